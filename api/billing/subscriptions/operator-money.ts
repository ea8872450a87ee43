// Operators correct counted usage, give credit, and void an invoice. None has an event; the audit
// logs of the tenant and of the operators tell of each.
import { assert } from '../../../shared/assert.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import type { UsageAdjustment } from '../../../shared/schemas/billing-adjustment.ts'
import type { Invoice } from '../../../shared/schemas/billing-invoice.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import type { Meter } from '../catalogue/index.ts'
import {
  findAnyInvoice,
  type InvoiceLineRow,
  invoiceView,
  isAsked,
  listLines,
  lockInvoice,
  saveInvoice,
} from '../invoices/index.ts'
import { insertAdjustment, lockCursor, segmentsOf, usageSums } from '../metering/index.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { lockOwner, operatorMoment } from '../require-billing.ts'
import { lockRolled } from './apply-roll.ts'
import { renewOverdue } from './overdue.ts'
import { recordSubscription } from './record.ts'
import { insertCredit, lockAnySubscription, saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

export interface AdjustmentInput {
  /** Number of the month within the subscription. */
  month: number
  meter: Meter
  /** Signed units, not 0. */
  quantity: number
  reason: string
}

/**
 * Corrects the usage of a month; counted rows stay, and the next invoice bills the difference.
 * Chosen: the correction belongs to the last stretch of terms of its month. Refuses with 400 one
 * that leaves less than nothing.
 */
export async function adjustUsage(
  context: OperatorContext,
  owner: Owner,
  input: AdjustmentInput,
): Promise<UsageAdjustment> {
  return write(context, async (sql) => {
    const { held, now } = await lockForOperator(sql, context, owner)
    await lockCursor(sql, owner)
    const segment = (await segmentsOf(sql, held.id, input.month)).at(-1)
    if (segment === undefined)
      throw new Refusal('parameter_invalid', {
        param: 'month',
        message: 'The subscription has no such month yet.',
      })
    const sums = await usageSums(sql, [segment.id])
    const before = sums.find(({ meter }) => meter === input.meter)?.quantity ?? 0
    const after = before + input.quantity
    if (after < 0 || !Number.isSafeInteger(after))
      throw new Refusal('parameter_invalid', {
        param: 'quantity',
        message: 'The corrected usage would be ' + after + '.',
      })
    const { month, ...corrected } = input
    const id = context.newId('adj')
    const made = { ...corrected, id, segmentId: segment.id, createdAt: now }
    await insertAdjustment(sql, owner, { ...made, operatorId: context.operatorId })
    await auditOnTenant(sql, context, owner, id)
    return {
      ...{ id, object: 'usage_adjustment' as const, created: unixSeconds(now) },
      ...{ livemode: owner.environment === 'live', month, ...corrected },
      corrected_quantity: after,
    }
  })
}

/** Adds credit, which later invoices use up; it is never paid out. */
export async function giveCredit(
  context: OperatorContext,
  owner: Owner,
  { amountCents, reason }: { amountCents: number; reason: string },
): Promise<Subscription> {
  return write(context, async (sql) => {
    const { held, now } = await lockForOperator(sql, context, owner)
    const id = context.newId('crd')
    const { operatorId } = context
    await insertCredit(sql, held, { id, amountCents, reason, operatorId, createdAt: now })
    const creditCents = held.creditCents + amountCents
    const row = await saveSubscription(sql, held, { creditCents })
    const shown = await recordSubscription(sql, row, [], now)
    await auditOnTenant(sql, context, owner, id)
    return shown
  })
}

/**
 * Voids an open invoice: it is not owed any more, and credit that it used up is there again.
 * Chosen: 409 once the processor has it, or may have it after a call without an answer: it could
 * still be paid there.
 */
export async function voidInvoice(context: OperatorContext, id: string): Promise<Invoice> {
  return write(context, async (sql) => {
    const found = await findAnyInvoice(sql, id)
    if (found === null) throw new Refusal('resource_missing')
    await lockOwner(sql, found)
    const now = await tenantTime(sql, found, context.now)
    const subscription = await lockAnySubscription(sql, found, found.subscriptionId)
    const held = await lockInvoice(sql, found, id)
    if (held === null) throw new Refusal('resource_missing')
    requireState(held.status, ['open'])
    if (held.processorId !== null || (await isAsked(sql, id))) throw new Refusal('invalid_state')
    const row = await saveInvoice(sql, held, { status: 'void', nextAttemptAt: null })
    assert(subscription !== null, 'an invoice has its subscription')
    const lines = await listLines(sql, [id])
    const creditCents = subscription.creditCents + appliedCents(lines)
    const credited = await saveSubscription(sql, subscription, { creditCents })
    await renewOverdue(sql, credited, operatorMoment(context, now))
    const shown = invoiceView(row, lines)
    await auditOnTenant(sql, context, found, id)
    return shown
  })
}

/** Cents of the subscription's credit that an invoice used up; negative where it collected some. */
function appliedCents(lines: readonly InvoiceLineRow[]): number {
  const applied = lines.filter(({ kind, plan }) => kind === 'credit' && plan === null)
  return -applied.reduce((sum, { amountCents }) => sum + amountCents, 0)
}

/** The subscription behind its due boundaries, and the moment by the tenant's clock. */
async function lockForOperator(
  sql: TxSql,
  context: OperatorContext,
  owner: Owner,
): Promise<{ held: SubscriptionRow; now: number }> {
  await lockOwner(sql, owner)
  const now = await tenantTime(sql, owner, context.now)
  const held = await lockRolled(sql, owner, operatorMoment(context, now))
  if (held === null) throw new Refusal('invalid_state', { extra: { current_status: 'none' } })
  return { held, now }
}
