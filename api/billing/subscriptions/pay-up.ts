// An overdue invoice was paid. Once nothing is overdue the subscription is active again, and a base
// price's period that began while it was suspended is charged from now to its end.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { BillingMoment } from '../require-billing.ts'
import { rollDue } from './apply-roll.ts'
import { resumeBase } from './resume-base.ts'
import { saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/**
 * Passes due boundaries first: they belong to the time before the payment. `overdueSince` is the
 * moment of the oldest invoice that is overdue still; null: none is. The subscription and its
 * tenant are locked.
 */
export async function payUp(
  sql: TxSql,
  held: SubscriptionRow,
  { overdueSince, moment }: { overdueSince: EpochMs | null; moment: BillingMoment },
): Promise<SubscriptionRow> {
  const rolled = held.endedAt === null ? await rollDue(sql, held, moment) : held
  const row = await saveSubscription(sql, rolled, { overdueSince })
  if (row.endedAt !== null || overdueSince !== null) return row
  return resumeBase(sql, row, { at: moment.now, moment })
}
