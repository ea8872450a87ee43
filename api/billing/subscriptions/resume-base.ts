// A base price's period that began while the subscription was suspended is charged from the moment
// at which it is not suspended any more.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  countInvoices,
  endBaseWaiver,
  finalizeInvoice,
  insertInvoice,
  isBaseWaived,
} from '../invoices/index.ts'
import type { BillingMoment } from '../require-billing.ts'
import { baseLine } from './roll.ts'
import { saveSubscription } from './store.ts'
import { basePeriodOf, type SubscriptionRow, subscriptionStanding } from './view.ts'

/**
 * Charges the rest of a waived period of the base price from `at` on, on an invoice of its own. An
 * override or dunning may keep the subscription suspended: nothing changes then. It is locked.
 */
export async function resumeBase(
  sql: TxSql,
  row: SubscriptionRow,
  { at, moment }: { at: EpochMs; moment: BillingMoment },
): Promise<SubscriptionRow> {
  const period = basePeriodOf(row)
  if (period === null || at < period.from || at >= period.until) return row
  const { status } = subscriptionStanding(row, at)
  if (status === 'canceled' || status === 'suspended') return row
  const { id: subscriptionId, currency, creditCents, netDays, baseOrdinal } = row
  if (!(await isBaseWaived(sql, subscriptionId, baseOrdinal))) return row
  await endBaseWaiver(sql, subscriptionId, baseOrdinal)
  const { now, installationNow, newId } = moment
  const ordinal = await countInvoices(sql, { subscriptionId, kind: 'change' })
  const draft = await insertInvoice(sql, row, {
    ...{ id: newId('inv'), subscriptionId, kind: 'change' as const, ordinal, currency, at },
    ...{ seenDueAt: installationNow, createdAt: now },
  })
  assert(draft !== null, 'changes of a locked subscription are numbered')
  const lines = [baseLine(row, period, at)].filter(({ amountCents }) => amountCents !== 0)
  const settled = await finalizeInvoice(sql, draft, { lines, creditCents, netDays, now })
  return saveSubscription(sql, row, { creditCents: settled.creditCents })
}

/**
 * Passes the end of an override that suspended, if it is not after `until`: the base price resumes
 * there, unless dunning keeps the subscription suspended. The override goes, so that the state at
 * its end is not computed again from what is paid later.
 */
export async function resumeAfterOverride(
  sql: TxSql,
  row: SubscriptionRow,
  { until, moment }: { until: EpochMs; moment: BillingMoment },
): Promise<SubscriptionRow> {
  const { overrideState, overrideExpiresAt: at } = row
  if (overrideState !== 'suspended' || at === null || at > until) return row
  const resumed = await resumeBase(sql, row, { at, moment })
  const none = { overrideState: null, overrideReason: null, overrideExpiresAt: null }
  return saveSubscription(sql, resumed, none)
}
