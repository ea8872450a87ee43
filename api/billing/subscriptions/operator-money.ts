// Operators correct counted usage and give credit. Neither has an event; the audit logs of the
// tenant and of the operators tell of each.
import { unixSeconds } from '../../../shared/clock.ts'
import type { UsageAdjustment } from '../../../shared/schemas/billing-adjustment.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { write } from '../../write/write.ts'
import type { Meter } from '../catalogue/index.ts'
import { insertAdjustment, lockCursor, segmentsOf, usageSums } from '../metering/index.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { lockOwner, operatorMoment } from '../require-billing.ts'
import { lockRolled } from './apply-roll.ts'
import { recordSubscription } from './record.ts'
import { insertCredit, saveSubscription } from './store.ts'
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
