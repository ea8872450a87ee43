// The bodies of the control socket, from bytes to values. A malformed body becomes null, never an
// exception.
import { Packr } from 'msgpackr'
import type { ConfigChange } from '../../shared/wire/config-records.ts'
import {
  type AcceptClock,
  type AttachRequest,
  type ConfigPush,
  type DatabaseClock,
  type DrainedRequest,
  type EndHolds,
  type EvaluateRequest,
  type HoldToEnd,
  PAYMENT_KINDS,
  type PaymentMessage,
} from '../../shared/wire/control.ts'
import { configChangeOf } from '../config-cache/record.ts'

/** Holds in one request; more would delay the decision thread. */
const HOLDS_MAX = 100
const LINK_BYTES = 16
const NAME_CHARACTERS_MAX = 200
/** Changes in one push; more would delay the decision thread. */
const CHANGES_MAX = 10_000
const SNAPSHOT = /^\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?$/

const packr = new Packr({ useRecords: false, variableMapSize: true })

/** A body of the control socket, as bytes. */
export function packed(value: unknown): Buffer {
  return packr.pack(value)
}

/** Reads the identity of the api that attaches, and the journal that its database knows. */
export function attachRequestOf(bytes: Uint8Array): AttachRequest | null {
  const body = objectOf(bytes)
  const databaseId = body?.['database_id']
  const journal = body?.['journal']
  if (typeof databaseId !== 'string') return null
  if (journal === null) return { database_id: databaseId, journal: null }
  const cursor = cursorOf(journal)
  return cursor === null ? null : { database_id: databaseId, journal: cursor }
}

/** Reads the entry up to which PostgreSQL has the journal. */
export function drainedRequestOf(bytes: Uint8Array): DrainedRequest | null {
  return cursorOf(objectOf(bytes))
}

/** Reads an authorization request for a dry run; the line decodes its message. */
export function evaluateRequestOf(bytes: Uint8Array): EvaluateRequest | null {
  const body = objectOf(bytes)
  if (body === null) return null
  const { card_id: cardId, environment, message } = body
  if (typeof cardId !== 'string' || !isObject(message)) return null
  if (environment !== 'sandbox' && environment !== 'live') return null
  return { card_id: cardId, environment, message: message as EvaluateRequest['message'] }
}

/** Reads a message of the network of payments; the line checks its amounts and texts. */
export function paymentMessageOf(bytes: Uint8Array): PaymentMessage | null {
  const body = objectOf(bytes)
  if (body === null || !isObject(body['merchant'])) return null
  const { kind, environment, final, hold_expires_at_ms: endMs } = body
  if (environment !== 'sandbox' && environment !== 'live') return null
  if (!(PAYMENT_KINDS as readonly unknown[]).includes(kind) || typeof final !== 'boolean')
    return null
  const hasEnd = Number.isSafeInteger(endMs) && Number(endMs) > 0
  if (kind === 'authorization' ? !hasEnd : endMs !== null) return null
  return body as unknown as PaymentMessage
}

/** Reads the holds to end; null also for more than HOLDS_MAX of them. */
export function endHoldsOf(bytes: Uint8Array): EndHolds | null {
  const holds = objectOf(bytes)?.['holds']
  if (!Array.isArray(holds) || holds.length > HOLDS_MAX) return null
  return holds.every(isHoldToEnd) ? { holds } : null
}

/** The time by the database's clock, in milliseconds since the epoch; null for a malformed body. */
export function databaseClockOf(bytes: Uint8Array): DatabaseClock | null {
  const nowMs = objectOf(bytes)?.['now_ms']
  return typeof nowMs === 'number' && Number.isSafeInteger(nowMs) && nowMs >= 0
    ? { now_ms: nowMs }
    : null
}

/**
 * The disagreement of clocks that an operator names; null also for more than NAME_CHARACTERS_MAX
 * characters.
 */
export function acceptClockOf(bytes: Uint8Array): AcceptClock | null {
  const disagreement = objectOf(bytes)?.['disagreement']
  if (typeof disagreement !== 'string' || disagreement.length > NAME_CHARACTERS_MAX) return null
  return { disagreement }
}

function isHoldToEnd(value: unknown): value is HoldToEnd {
  if (!isObject(value)) return false
  const { transaction_id: id, link, now_ms: nowMs } = value
  return (
    typeof id === 'string' &&
    /^txn_[0-9a-z]{26}$/.test(id) &&
    link instanceof Uint8Array &&
    link.length === LINK_BYTES &&
    Number.isSafeInteger(nowMs)
  )
}

/**
 * Reads a push of config records and checks each change; null also for more than CHANGES_MAX of
 * them.
 */
export function configPushOf(bytes: Uint8Array): ConfigPush | null {
  const body = objectOf(bytes)
  if (body === null) return null
  const { database_id: databaseId, step, base, changes, cursor } = body
  if (typeof databaseId !== 'string' || !isStep(step)) return null
  if (!isTextOrNull(base) || !isTextOrNull(cursor)) return null
  if (cursor !== null && !SNAPSHOT.test(cursor)) return null
  if (!Array.isArray(changes) || changes.length > CHANGES_MAX) return null
  const checked: ConfigChange[] = []
  for (const change of changes) {
    const configChange = configChangeOf(change)
    if (configChange === null) return null
    checked.push(configChange)
  }
  return { database_id: databaseId, step, base, changes: checked, cursor }
}

function cursorOf(value: unknown): DrainedRequest | null {
  if (!isObject(value)) return null
  const { journal_id: journalId, seq } = value
  if (typeof journalId !== 'string' || !Number.isSafeInteger(seq) || Number(seq) < 0) return null
  return { journal_id: journalId, seq: Number(seq) }
}

function objectOf(bytes: Uint8Array): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = packr.unpack(bytes)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function isStep(value: unknown): value is ConfigPush['step'] {
  return value === 'begin' || value === 'part' || value === 'commit' || value === 'change'
}
