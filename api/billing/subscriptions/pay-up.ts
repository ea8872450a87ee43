// Nothing is overdue any more: the subscription is active again. A base price's period that began
// while it was suspended is charged from now to its end.
import type { TxSql } from '../../database/transaction.ts'
import type { BillingMoment } from '../require-billing.ts'
import { rollDue } from './apply-roll.ts'
import { resumeBase } from './resume-base.ts'
import { saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/**
 * Passes due boundaries first: they belong to the time in which the subscription was overdue. The
 * subscription and its tenant are locked.
 */
export async function payUp(
  sql: TxSql,
  held: SubscriptionRow,
  moment: BillingMoment,
): Promise<SubscriptionRow> {
  const rolled = held.endedAt === null ? await rollDue(sql, held, moment) : held
  const row = await saveSubscription(sql, rolled, { overdueSince: null })
  return row.endedAt === null ? resumeBase(sql, row, { at: moment.now, moment }) : row
}
