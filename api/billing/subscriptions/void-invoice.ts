// An operator ends a debt: an open invoice is voided while the processor does not have it, and one
// that was given up ends as the processor says, where the processor has it.
import { assert } from '../../../shared/assert.ts'
import type { Invoice } from '../../../shared/schemas/billing-invoice.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { isAnswered, write } from '../../write/write.ts'
import { findCustomer, takeCustomer } from '../customers/index.ts'
import {
  findAnyInvoice,
  type InvoiceLineRow,
  type InvoiceRow,
  invoiceView,
  isAsked,
  listLines,
  lockInvoice,
  saveInvoice,
} from '../invoices/index.ts'
import { auditOnTenant } from '../operator-audit.ts'
import type { CollectedInvoice, Processor, ProcessorPort } from '../processor/index.ts'
import { lockOwner, operatorMoment } from '../require-billing.ts'
import { renewOverdue } from './overdue.ts'
import { lockAnySubscription, lockSubscription, saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/** Longer than the calls about one invoice take at most. */
const LEASE_MS = 60_000

/**
 * The invoice is not owed any more, and credit that it used up is there again. One that was given
 * up and paid at the processor since becomes paid. Chosen: 409 for an open invoice once the
 * processor has it, or may have it after a call without an answer: it could still be paid there.
 * 503 while the processor does not answer about one that was given up.
 */
export async function voidInvoice(
  context: OperatorContext,
  id: string,
  { processors }: ProcessorPort,
): Promise<Invoice> {
  const { sql } = context
  const known = (await isAnswered(sql, context)) ? null : await findAnyInvoice(sql, id)
  const isGivenUp = known?.status === 'uncollectible'
  const end = isGivenUp ? await endAtProcessor(context, known, processors) : null
  return write(context, async (inner) => {
    const found = await findAnyInvoice(inner, id)
    if (found === null) throw new Refusal('resource_missing')
    await lockOwner(inner, found)
    const now = await tenantTime(inner, found, context.now)
    const subscription = await lockAnySubscription(inner, found, found.subscriptionId)
    assert(subscription !== null, 'an invoice has its subscription')
    const held = await lockInvoice(inner, found, id)
    if (held === null) throw new Refusal('resource_missing')
    requireState(held.status, isGivenUp ? ['uncollectible'] : ['open'])
    if (!isGivenUp && (held.processorId !== null || (await isAsked(inner, id))))
      throw new Refusal('invalid_state')
    const lines = await listLines(inner, [id])
    const isPaid = end === 'paid'
    const change = isPaid ? { status: 'paid' as const, paidAt: now } : { status: 'void' as const }
    const row = await saveInvoice(inner, held, { ...change, nextAttemptAt: null })
    const owing = isPaid ? subscription : await restoreCredit(inner, subscription, lines)
    await renewOverdue(inner, owing, operatorMoment(context, now))
    const shown = invoiceView(row, lines)
    await auditOnTenant(inner, context, found, id)
    return shown
  })
}

/**
 * Ends an invoice that was given up at the processor, so that nobody pays it there afterwards. The
 * customer is leased meanwhile, as for every call about an invoice.
 */
async function endAtProcessor(
  { sql, now, newId }: OperatorContext,
  invoice: InvoiceRow,
  processors: ProcessorPort['processors'],
): Promise<'void' | 'paid'> {
  const processor = processors[invoice.environment]
  const customer = await findCustomer(sql, invoice)
  const isThere = customer !== null && customer.processorId !== null
  if (processor === null || !isThere) {
    // An environment that is not billed any more may still have it at the processor.
    if (invoice.processorId !== null) throw new Refusal('dependency_unavailable')
    return 'void'
  }
  const lease = { by: newId('lease'), now, until: now + LEASE_MS }
  const taken = await takeCustomer(sql, customer, lease)
  if (taken === null) throw new Refusal('dependency_unavailable')
  try {
    const { processorId } = invoice
    const looked =
      processorId === null
        ? await processor.findInvoice(customer.processorId ?? '', invoice.id)
        : await processor.readInvoice(processorId)
    if (!looked.ok) throw new Refusal('dependency_unavailable')
    return looked.value === null ? 'void' : await endSeen(processor, invoice, looked.value)
  } finally {
    await taken.release()
  }
}

async function endSeen(
  processor: Processor,
  invoice: InvoiceRow,
  seen: CollectedInvoice,
): Promise<'void' | 'paid'> {
  // A draft has no page, and nothing opens it any more.
  if (seen.status === 'void' || seen.status === 'draft') return 'void'
  if (seen.status === 'paid') {
    const isWhole = seen.total === invoice.totalCents && seen.amountDue === invoice.totalCents
    if (isWhole && seen.currency === invoice.currency) return 'paid'
    throw new Refusal('invalid_state', { message: 'The processor was paid another sum.' })
  }
  const voided = await processor.voidInvoice(seen.id, invoice.id + '-void')
  // Refused where it was paid in between: the next call looks again.
  if (!voided.ok || voided.value.status !== 'void') throw new Refusal('dependency_unavailable')
  return 'void'
}

/**
 * Gives credit that the invoice used up to its subscription, or to the one that took its place.
 * Returns the subscription of the invoice. Refuses with 409 where no subscription could use it.
 */
async function restoreCredit(
  sql: TxSql,
  subscription: SubscriptionRow,
  lines: readonly InvoiceLineRow[],
): Promise<SubscriptionRow> {
  const cents = appliedCents(lines)
  if (cents === 0) return subscription
  if (subscription.endedAt === null)
    return saveSubscription(sql, subscription, { creditCents: subscription.creditCents + cents })
  const current = await lockSubscription(sql, subscription)
  if (current === null || current.currency !== subscription.currency)
    throw new Refusal('invalid_state', { message: NO_HEIR })
  await saveSubscription(sql, current, { creditCents: current.creditCents + cents })
  return subscription
}

const NO_HEIR =
  'The invoice used up credit of a subscription that ended, and no other one of its currency runs.'

/** Cents of the subscription's credit that an invoice used up; negative where it collected some. */
function appliedCents(lines: readonly InvoiceLineRow[]): number {
  const applied = lines.filter(({ kind, plan }) => kind === 'credit' && plan === null)
  return -applied.reduce((sum, { amountCents }) => sum + amountCents, 0)
}
