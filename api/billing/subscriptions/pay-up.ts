// Nothing is overdue any more: the subscription is active again. A base price's period that began
// while it was suspended is charged from now to its end.
import { assert } from '../../../shared/assert.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  countInvoices,
  endBaseWaiver,
  finalizeInvoice,
  insertInvoice,
  isBaseWaived,
} from '../invoices/index.ts'
import type { BillingMoment } from '../require-billing.ts'
import { rollDue } from './apply-roll.ts'
import { baseLine } from './roll.ts'
import { saveSubscription } from './store.ts'
import { basePeriodOf, type SubscriptionRow, subscriptionStanding } from './view.ts'

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
  return row.endedAt === null ? resumeBase(sql, row, moment) : row
}

/** Charges the rest of a waived period of the base price on an invoice of its own. */
async function resumeBase(
  sql: TxSql,
  row: SubscriptionRow,
  { now, installationNow, newId }: BillingMoment,
): Promise<SubscriptionRow> {
  const period = basePeriodOf(row)
  if (period === null || now < period.from || now >= period.until) return row
  const { status } = subscriptionStanding(row, now)
  // An operator's override may keep it suspended.
  if (status === 'canceled' || status === 'suspended') return row
  const { id: subscriptionId, currency, creditCents, netDays, baseOrdinal } = row
  if (!(await isBaseWaived(sql, subscriptionId, baseOrdinal))) return row
  await endBaseWaiver(sql, subscriptionId, baseOrdinal)
  const ordinal = await countInvoices(sql, { subscriptionId, kind: 'change' })
  const draft = await insertInvoice(sql, row, {
    ...{ id: newId('inv'), subscriptionId, kind: 'change' as const, ordinal, currency, at: now },
    ...{ seenDueAt: installationNow, createdAt: now },
  })
  assert(draft !== null, 'changes of a locked subscription are numbered')
  const lines = [baseLine(row, period, now)].filter(({ amountCents }) => amountCents !== 0)
  const settled = await finalizeInvoice(sql, draft, { lines, creditCents, netDays, now })
  return saveSubscription(sql, row, { creditCents: settled.creditCents })
}
