// Keeps since when a subscription is overdue: its oldest unpaid invoice says it. Once nothing is
// overdue the subscription is active again, and a base price's period that began while it was
// suspended is charged from now to its end.
import type { TxSql } from '../../database/transaction.ts'
import { oldestOverdue } from '../invoices/index.ts'
import type { BillingMoment } from '../require-billing.ts'
import { rollDue } from './apply-roll.ts'
import { renewEntitlements } from './entitlements.ts'
import { resumeBase } from './resume-base.ts'
import { saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/**
 * Called after an invoice was paid, failed, fell due or was voided. The subscription and its tenant
 * are locked.
 */
export async function renewOverdue(
  sql: TxSql,
  held: SubscriptionRow,
  moment: BillingMoment,
): Promise<SubscriptionRow> {
  const overdueSince = await oldestOverdue(sql, held.id, moment.now)
  const before = held.overdueSince
  if (overdueSince === before) return held
  const isLater = overdueSince === null || (before !== null && overdueSince > before)
  // Due boundaries belong to the time before the payment.
  const isRolled = isLater && held.endedAt === null
  const rolled = isRolled ? await rollDue(sql, held, moment) : held
  const saved = await saveSubscription(sql, rolled, { overdueSince })
  const isPaid = isRolled && overdueSince === null
  const row = isPaid ? await resumeBase(sql, saved, { at: moment.now, moment }) : saved
  await renewEntitlements(sql, row, moment.now)
  return row
}
