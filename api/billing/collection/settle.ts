// Saves outcomes of collecting: paid, failed, processing. Each is one transaction that locks
// tenant, subscription and invoice in this order; an outcome that is saved already changes nothing.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { lockTenant, tenantTime } from '../../platform/tenants/index.ts'
import { auditTimer } from '../../write/audit.ts'
import { type NewException, recordException } from '../exceptions/index.ts'
import { findInvoice, type InvoiceRow, lockInvoice, saveInvoice } from '../invoices/index.ts'
import { recordNotice } from '../notices/index.ts'
import type { CollectedInvoice } from '../processor/index.ts'
import { lockAnySubscription, renewOverdue } from '../subscriptions/index.ts'
import { isHardDecline, nextAttempt } from './dunning.ts'
import {
  type CollectionRow,
  type DueInvoice,
  findCollection,
  saveCollection,
  savePlacedAt,
} from './store.ts'

/** Chosen: an invoice that waits for a bank or a person is looked at hourly. */
const LOOK_MS = 3_600_000
/** Chosen: after an exception the invoice is tried again. */
const DAY_MS = 86_400_000

interface Held {
  sql: TxSql
  invoice: InvoiceRow
  collection: CollectionRow
  /** Tenant time. */
  now: EpochMs
  installationNow: EpochMs
}

/** Runs on a locked invoice that is open; a paid one is final. */
function onOpen(
  sql: Sql,
  due: DueInvoice,
  now: EpochMs,
  work: (held: Held) => Promise<void>,
): Promise<void> {
  return onInvoice(sql, due, { now, status: 'open', work })
}

interface OnInvoice {
  now: EpochMs
  /** Any other status changed meanwhile: nothing is done. */
  status: 'open' | 'uncollectible'
  work(held: Held): Promise<void>
}

async function onInvoice(
  sql: Sql,
  due: DueInvoice,
  { now, status, work }: OnInvoice,
): Promise<void> {
  await tx(
    sql,
    async (inner) => {
      await lockTenant(inner, due.tenantId)
      const tenantNow = await tenantTime(inner, due, now)
      const found = await findInvoice(inner, due, due.id)
      if (found === null || found.status !== status) return
      await lockAnySubscription(inner, due, found.subscriptionId)
      const invoice = await lockInvoice(inner, due, due.id)
      if (invoice === null || invoice.status !== status) return
      const collection = await findCollection(inner, due.id)
      await work({ sql: inner, invoice, collection, now: tenantNow, installationNow: now })
    },
    { safeToRepeat: true },
  )
}

/**
 * The processor's invoice has this state; nothing happened to ours. An invoice with a due date is
 * told once it has a page on which it is paid.
 */
export function savePlace(
  sql: Sql,
  due: DueInvoice,
  { seen, now }: { seen: CollectedInvoice; now: EpochMs },
): Promise<void> {
  return onOpen(sql, due, now, async (held) => {
    const { sql: inner, invoice, collection } = held
    await saveInvoice(inner, invoice, { processorId: seen.id, hostedUrl: seen.hostedUrl })
    await saveCollection(inner, { ...collection, asked: null, askedAt: null })
    await savePlacedAt(inner, due.id, now)
    const isSent = invoice.dueAt !== null && seen.status === 'open' && seen.hostedUrl !== null
    if (isSent) await notice(held, 'invoice_sent', invoice.id)
  })
}

/** The invoice waits for a bank or a person and is looked at meanwhile. */
export function saveWaiting(
  sql: Sql,
  due: DueInvoice,
  { isProcessing, endsAttempts, now }: Waiting & { now: EpochMs },
): Promise<void> {
  return onOpen(sql, due, now, async ({ sql: inner, invoice, collection }) => {
    if (endsAttempts) await saveInvoice(inner, invoice, { nextAttemptAt: null })
    const free = { asked: null, askedAt: null, notBefore: null, isProcessing }
    await saveCollection(inner, { ...collection, ...free, lookAt: now + LOOK_MS })
  })
}

export interface Waiting {
  isProcessing: boolean
  /** No attempt is made before the bank or the person acts. */
  endsAttempts: boolean
}

/** Nobody knows, or nobody may call now: the next call looks first. */
export function saveDelay(
  sql: Sql,
  due: DueInvoice,
  { delayMs, now }: { delayMs: number; now: EpochMs },
): Promise<void> {
  return onOpen(sql, due, now, ({ sql: inner, collection }) =>
    saveCollection(inner, { ...collection, notBefore: now + delayMs }),
  )
}

export function savePaid(
  sql: Sql,
  due: DueInvoice,
  { seen, now }: { seen: CollectedInvoice; now: EpochMs },
): Promise<void> {
  return onOpen(sql, due, now, async (held) => {
    await settlePaid(held, seen)
    if (held.collection.failedAt !== null) await notice(held, 'payment_succeeded', due.id)
  })
}

async function settlePaid(held: Held, seen: CollectedInvoice): Promise<void> {
  const { sql, invoice, collection } = held
  await saveInvoice(sql, invoice, {
    ...{ status: 'paid', paidAt: held.now, nextAttemptAt: null },
    ...{ processorId: seen.id, hostedUrl: seen.hostedUrl },
  })
  const free = { asked: null, askedAt: null, isProcessing: false, needsAction: false }
  await saveCollection(sql, { ...collection, ...free, lookAt: null })
  await saveOverdue(held)
}

/**
 * Ends a debt that was given up and is paid since. The subscription goes on where its last boundary
 * is ahead; one that ended stays ended. The tenant's audit log tells of it, because no call did it.
 */
export function savePaidLate(
  sql: Sql,
  due: DueInvoice,
  { seen, now }: { seen: CollectedInvoice; now: EpochMs },
): Promise<void> {
  const work = async (held: Held): Promise<void> => {
    await settlePaid(held, seen)
    await notice(held, 'payment_succeeded', due.id)
    const log = { ...due, clockOffsetMs: held.now - now }
    await auditTimer(held.sql, log, { timer: 'late_payment', resourceId: due.id, now })
  }
  return onInvoice(sql, due, { now, status: 'uncollectible', work })
}

export interface Failure {
  declineCode: string | null
  needsAction: boolean
  /** Attempts of the processor after this one. */
  attempts: number
}

/** Counts a failed attempt once, and plans the next. */
export function saveFailure(
  sql: Sql,
  due: DueInvoice,
  { failure, now }: { failure: Failure; now: EpochMs },
): Promise<void> {
  return onOpen(sql, due, now, async (held) => {
    const { sql: inner, invoice, collection } = held
    const { declineCode, needsAction, attempts } = failure
    const failedAt = collection.failedAt ?? held.now
    const isHard = isHardDecline(declineCode)
    await saveInvoice(inner, invoice, {
      attempts: invoice.attempts + 1,
      nextAttemptAt: isHard ? null : nextAttempt(failedAt, held.now),
    })
    await saveCollection(inner, {
      ...{ ...collection, asked: null, askedAt: null, attempts, needsAction, isHard },
      ...{ declineCode, failedAt, isProcessing: false, lookAt: now + LOOK_MS },
    })
    await saveOverdue(held)
    const kind = needsAction ? 'action_required' : 'payment_failed'
    await notice(held, kind, invoice.id + '-' + (invoice.attempts + 1))
  })
}

/** Stops the attempts: a person has to look. */
export function saveException(
  sql: Sql,
  due: DueInvoice,
  made: Omit<NewException, 'environment' | 'tenantId' | 'subject'>,
): Promise<void> {
  return onOpen(sql, due, made.now, async ({ sql: inner, invoice, collection }) => {
    await saveInvoice(inner, invoice, { nextAttemptAt: null })
    const free = { asked: null, askedAt: null, lookAt: null, notBefore: made.now + DAY_MS }
    await saveCollection(inner, { ...collection, ...free })
    const { environment, tenantId } = due
    await recordException(inner, { ...made, environment, tenantId, subject: due.id })
  })
}

async function saveOverdue({ sql, invoice, now, installationNow }: Held): Promise<void> {
  const subscription = await lockAnySubscription(sql, invoice, invoice.subscriptionId)
  if (subscription === null) return
  const moment = {
    ...{ now, installationNow },
    newId: (prefix: string) => newId(prefix, installationNow),
  }
  await renewOverdue(sql, subscription, moment)
}

function notice(
  { sql, invoice, now, installationNow }: Held,
  kind: 'invoice_sent' | 'payment_succeeded' | 'payment_failed' | 'action_required',
  subject: string,
): Promise<void> {
  const { subscriptionId, id: invoiceId } = invoice
  const made = { subscriptionId, kind, subject, invoiceId, now, installationNow }
  return recordNotice(sql, invoice, made)
}
