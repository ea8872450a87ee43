// Step 2. Bytes → message. Malformed input becomes a value, never an exception; the PAN becomes a
// keyed fingerprint here and goes no further.
import { isUtf8 } from 'node:buffer'
import { Ajv } from 'ajv'
import { FIRST_FAULT } from '../../shared/ajv-options.ts'
import { parseInstant } from '../../shared/clock.ts'
import { CODE_APPROVED } from '../../shared/decline-reason.ts'
import type { Derivation } from '../../shared/keyring.ts'
import { MESSAGE_AGE_MS_MAX, MESSAGE_AHEAD_MS_MAX } from '../../shared/limits.ts'
import { withoutPans } from '../../shared/log.ts'
import {
  ENTRY_METHODS,
  type EntryMethod,
  type MessageKind,
  NOTIFICATION_KINDS,
  PAYMENTS_NETWORK,
  TRANSACTION_TYPES,
  type TransactionType,
  type NetworkMessage as Wire,
  NetworkMessage as WireSchema,
} from '../../shared/schemas/network-message.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { type Arrival, type Line, type Message, type Refused, refusal } from './line.ts'
import { refusedBySchema, withOthers } from './message-faults.ts'
import { holdsNumber } from './own-number.ts'
import { readPlainMessage } from './plain-message.ts'
import { repeatsKey } from './repeated-key.ts'

const validate = new Ajv(FIRST_FAULT).compile<Wire>(WireSchema)
const ENTRY_METHOD_SET: ReadonlySet<EntryMethod> = new Set(ENTRY_METHODS)
const NOTIFICATION_KIND_SET: ReadonlySet<MessageKind> = new Set(NOTIFICATION_KINDS)
const TRANSACTION_TYPE_SET: ReadonlySet<TransactionType> = new Set(TRANSACTION_TYPES)
/** Field 39 of an advice without a code. */
const CODE_DECLINED = '05'
/** Minimum digits of a PAN-like number. */
const PAN_DIGITS_MIN = 13
const CONTROL = /\p{Cc}/gu
/** Separators inside a written card number. */
const GROUPED = /[ ._-]/
const GROUPS = /[ ._-]/g

/**
 * Returns the message in these bytes of JSON, or 400 with the field's name. Both readers give the
 * same result.
 */
export function decode(line: Line, arrival: Arrival, body: Buffer): Message | Refused {
  const plain = readPlainMessage(body)
  if (plain !== null) return decodeValid(line, arrival, plain)
  if (repeatsKey(body)) return refusal('invalid_json')
  if (!isUtf8(body)) return refusal('invalid_json', null, 'The body is not UTF-8.')
  let wire: unknown
  try {
    wire = JSON.parse(body.toString('utf8'))
  } catch {
    return refusal('invalid_json')
  }
  return decodeWire(line, arrival, wire)
}

/** Returns the message in this object from any listener, or 400 with the field's name. */
export function decodeWire(line: Line, arrival: Arrival, wire: unknown): Message | Refused {
  return validate(wire)
    ? decodeValid(line, arrival, wire)
    : refusedBySchema(validate.errors?.[0], wire)
}

function decodeValid(line: Line, arrival: Arrival, wire: Wire): Message | Refused {
  const derivation = line.secrets.derivation()
  if (derivation === null) return refusal('not_ready')
  const bad =
    cardProblem(wire) ??
    kindProblem(wire) ??
    amountProblem(wire) ??
    identifierProblem(wire, line, derivation)
  if (bad !== null)
    return withOthers(bad, [
      kindProblem(wire),
      amountProblem(wire),
      identifierProblem(wire, line, derivation),
    ])
  const transmittedAtMs = parseInstant(wire.transmitted_at)
  if (transmittedAtMs === null)
    return refusal(
      'parameter_invalid',
      'transmitted_at',
      'transmitted_at must be an RFC 3339 date-time with a zone.',
    )
  return messageOf(arrival, wire, transmittedAtMs, derivation)
}

function messageOf(
  arrival: Arrival,
  wire: Wire,
  transmittedAtMs: number,
  derivation: Derivation,
): Message {
  const { network, environment } = arrival.networkKey
  const { card } = wire
  const fingerprint = card.pan === undefined ? null : derivation.fingerprint(card.pan)
  const cardIdentity = fingerprint === null ? 't:' + card.token : 'f:' + fingerprint
  // Chosen: the network of the signing key and the id identify a message.
  const messageKey = derivation.messageKey(network, wire.id)
  const ageMs = arrival.receivedAtMs - transmittedAtMs
  return {
    record: recordOf(wire, network, transmittedAtMs),
    environment,
    cardToken: card.token ?? null,
    fingerprint,
    expMonth: card.exp_month ?? 0,
    expYear: card.exp_year ?? 0,
    cvc: card.cvc ?? null,
    messageKey,
    pin: card.pin ?? null,
    contentHash: derivation.contentHash(contentOf(wire, cardIdentity)),
    stale: ageMs > MESSAGE_AGE_MS_MAX || ageMs < -MESSAGE_AHEAD_MS_MAX,
  }
}

/**
 * Returns the content that must match for two messages with one id to be the same; the repeat
 * marker is not part of it.
 */
function contentOf(wire: Wire, cardIdentity: string): string {
  return (
    wire.kind +
    '\0' +
    cardIdentity +
    '\0' +
    wire.amount_cents +
    '\0' +
    wire.currency +
    '\0' +
    wire.merchant.id +
    '\0' +
    wire.network_transaction_id
  )
}

/** Returns the stored part of a message, without its card. */
function recordOf(wire: Wire, network: string, transmittedAtMs: number): MessageRecord {
  const { merchant } = wire
  return {
    id: wire.id,
    kind: wire.kind,
    network,
    networkTransactionId: wire.network_transaction_id,
    transmittedAtMs,
    // -0 is an amount of 0; adding 0 turns it into 0.
    amountCents: wire.amount_cents + 0,
    currency: wire.currency,
    merchantId: merchant.id,
    merchantName: storable(merchant.name),
    mcc: merchant.mcc,
    city: storable(merchant.city),
    country: merchant.country,
    entryMethod: knownOr(ENTRY_METHOD_SET, wire.entry_method ?? 'unknown'),
    partialApprovalCapable: wire.partial_approval_capable ?? false,
    originalNetworkTransactionId:
      wire.original_network_transaction_id ?? wire.network_transaction_id,
    transactionType: transactionTypeOf(wire, network),
    final: wire.final ?? wire.kind === 'capture',
    initiator: wire.initiator ?? 'cardholder',
    recurring: wire.recurring ?? false,
    fallbackFromChip: wire.fallback_from_chip ?? false,
    billingAmountCents: wire.billing === undefined ? null : wire.billing.amount_cents + 0,
    billingCurrency: wire.billing?.currency ?? null,
    billingRate: wire.billing?.rate ?? null,
    cashbackCents: (wire.cashback_cents ?? 0) + 0,
    feeCents: (wire.fee_cents ?? 0) + 0,
    advice: adviceOf(wire),
    walletProvider: wire.wallet?.provider === undefined ? null : storable(wire.wallet.provider),
    walletTokenId: wire.wallet?.token_id ?? null,
    threeDsId: wire.three_ds?.transaction_id ?? null,
    threeDsClaim: wire.three_ds?.claim ?? null,
    isRepeat: wire.is_repeat ?? false,
    holdExpiresAtMs: null,
  }
}

function transactionTypeOf({ transaction_type: type }: Wire, network: string): TransactionType {
  if (network === PAYMENTS_NETWORK) return 'payment'
  return knownOr(TRANSACTION_TYPE_SET, type ?? 'purchase')
}

/**
 * Chosen: a value unknown to this version becomes `unknown`, never an error: networks add values.
 */
function knownOr<Value extends string>(known: ReadonlySet<Value>, value: string): Value {
  return known.has(value as Value) ? (value as Value) : ('unknown' as Value)
}

function adviceOf({ advice }: Wire): MessageRecord['advice'] {
  if (advice === undefined) return null
  const { approved, decided_by: decidedBy = 'network', response_code: code } = advice
  return { approved, decidedBy, code: code ?? (approved ? CODE_APPROVED : CODE_DECLINED) }
}

/**
 * One card, by token or by number. Chosen: a notification needs no expiry, because no rule judges
 * its card.
 */
function cardProblem({ kind, card }: Wire): Refused | null {
  if (card.token !== undefined && card.pan !== undefined)
    return refusal('parameters_exclusive', 'card', 'Send either card.token or card.pan.')
  if (card.token !== undefined) return null
  if (card.pan === undefined) return refusal('parameter_missing', 'card.token')
  if (NOTIFICATION_KIND_SET.has(kind)) return null
  if (card.exp_month === undefined) return refusal('parameter_missing', 'card.exp_month')
  return card.exp_year === undefined ? refusal('parameter_missing', 'card.exp_year') : null
}

/** Checks fields allowed for one kind only, and fields required by a kind. */
function kindProblem(wire: Wire): Refused | null {
  if (wire.kind === 'advice' && wire.advice === undefined)
    return refusal('parameter_missing', 'advice')
  if (wire.kind !== 'advice' && wire.advice !== undefined)
    return refusal('parameter_invalid', 'advice', 'advice belongs to kind advice.')
  const empty = wire.kind === 'account_verification' || wire.kind === 'balance_inquiry'
  if (!empty || wire.amount_cents === 0) return null
  return refusal('parameter_invalid', 'amount_cents', 'amount_cents must be 0 with this kind.')
}

/**
 * Returns the first contradiction between the amounts of one message, or null. Chosen: a
 * contradictory notification is recorded and flagged instead, because its money has moved already.
 */
function amountProblem(wire: Wire): Refused | null {
  const { amount_cents: amount, billing, cashback_cents: cashback = 0, fee_cents: fee = 0 } = wire
  if (NOTIFICATION_KIND_SET.has(wire.kind)) return null
  if (cashback > amount) return amountsDiffer('cashback_cents', 'must be at most amount_cents.')
  if (fee > amount) return amountsDiffer('fee_cents', 'must be at most amount_cents.')
  if (cashback > amount - fee)
    return amountsDiffer('cashback_cents', 'and fee_cents together must be at most amount_cents.')
  if (billing === undefined) return null
  if (amount === 0 && billing.amount_cents !== 0)
    return amountsDiffer('billing.amount_cents', 'must be 0 where amount_cents is.')
  return billing.currency === wire.currency && billing.amount_cents !== amount
    ? amountsDiffer('billing.amount_cents', 'must be amount_cents where both have one currency.')
    : null
}

function amountsDiffer(path: string, what: string): Refused {
  return refusal('parameter_invalid', path, path + ' ' + what)
}

/**
 * Identifiers are stored and compared unchanged, so an identifier with a PAN or control characters
 * is refused.
 */
function identifierProblem(wire: Wire, line: Line, derivation: Derivation): Refused | null {
  const { merchant, card } = wire
  if (hasControls(merchant.id) || !merchant.id.isWellFormed()) {
    return refusal('parameter_invalid', 'merchant.id', 'merchant.id must be one line of text.')
  }
  const { pan, token = '' } = card
  const path =
    pan === undefined
      ? identifierWithPanOf(token, wire, { line, derivation })
      : identifierThat(wire, (text) => names(text, pan))
  return path === null
    ? null
    : refusal('parameter_invalid', path, path + ' must not contain the number of the card.')
}

/**
 * Chosen: an ordinary number may pass as some card's, so only the number of the very card is
 * refused.
 */
function identifierWithPanOf(
  token: string,
  wire: Wire,
  { line, derivation }: { line: Line; derivation: Derivation },
): string | null {
  if (identifierThat(wire, holdsNumber) === null) return null
  const card = line.configCache.cardByToken(token)
  if (card === null) return null
  const isOfCard = (pan: string): boolean => derivation.fingerprint(pan) === card.fingerprint
  return identifierThat(wire, (text) => holdsNumber(text, isOfCard))
}

/** The path of the first identifier for which `holds` is true. */
function identifierThat(wire: Wire, holds: (text: string | undefined) => boolean): string | null {
  const { merchant, wallet } = wire
  if (holds(wire.id)) return 'id'
  if (holds(wire.network_transaction_id)) return 'network_transaction_id'
  if (holds(wire.original_network_transaction_id)) return 'original_network_transaction_id'
  if (holds(wallet?.token_id)) return 'wallet.token_id'
  if (holds(wallet?.provider)) return 'wallet.provider'
  if (holds(wire.three_ds?.transaction_id)) return 'three_ds.transaction_id'
  if (holds(wire.billing?.rate)) return 'billing.rate'
  return holds(merchant.id) ? 'merchant.id' : null
}

/** True if a text contains the number, also written in groups. */
function names(text: string | undefined, pan: string): boolean {
  if (text === undefined || text.length < pan.length) return false
  return text.includes(pan) || (GROUPED.test(text) && text.replaceAll(GROUPS, '').includes(pan))
}

/**
 * Returns free text in a form that may be stored and shown: PAN-like parts are cut out, so a
 * merchant's name cannot store a PAN; ill-formed UTF-16 and control characters, which other JSON
 * readers refuse, become the replacement character.
 */
function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  const clean = hasControls(whole) ? whole.replaceAll(CONTROL, '\ufffd') : whole
  return digitsOf(clean) < PAN_DIGITS_MIN ? clean : withoutPans(clean)
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 32 || code === 127) return true
  }
  return false
}

function digitsOf(text: string): number {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) digits += 1
  }
  return digits
}
