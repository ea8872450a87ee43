// An override holds a subscription open whose last boundary is behind because its debts were given
// up. Its periods go on from then, so that no usage stays uncounted and no month is free.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { insertInvoice, insertLines } from '../invoices/index.ts'
import { lockCursor, openSegment, uncountedFrom } from '../metering/index.ts'
import { boundary, INTERVAL_MONTHS, periodIndex } from '../periods.ts'
import type { BillingMoment } from '../require-billing.ts'
import { baseLine, basePeriod } from './roll.ts'
import { saveSubscription } from './store.ts'
import { type SubscriptionRow, subscriptionStanding } from './view.ts'

/**
 * Begins the month of usage that runs, from now to its boundary, and charges the rest of the base
 * price's period unless it was charged before. Boundaries that passed meanwhile are left out:
 * nothing was open then. Chosen: a subscription that an override suspends pays usage alone, as in
 * dunning. Nothing changes while periods run, or where the override changes no status. The
 * subscription is locked.
 */
export async function resumePeriods(
  sql: TxSql,
  row: SubscriptionRow,
  moment: BillingMoment,
): Promise<SubscriptionRow> {
  const { now } = moment
  const { activeFrom, rollsAt, terms, interval, id: subscriptionId } = row
  const { status } = subscriptionStanding(row, now)
  if (activeFrom === null || rollsAt !== null || status === 'canceled') return row
  const { ordinal, baseOrdinal } = ordinalsAt({ ...row, activeFrom }, now)
  const untilAt = boundary(activeFrom, ordinal + 1)
  const countsFrom = uncountedFrom(await lockCursor(sql, row), now)
  await openSegment(sql, row, {
    ...{ subscriptionId, month: ordinal, fromAt: now, untilAt, countsFrom, terms, interval },
  })
  const resumed = await saveSubscription(sql, row, { ordinal, baseOrdinal, rollsAt: untilAt })
  if (baseOrdinal === row.baseOrdinal) return resumed
  const base = basePeriod(activeFrom, baseOrdinal, interval)
  const baseWaived = status === 'suspended'
  const lines = baseWaived ? [] : [baseLine(resumed, base, now)]
  const draft = await insertInvoice(sql, resumed, {
    ...{ id: moment.newId('inv'), subscriptionId, currency: row.currency, at: now, baseWaived },
    ...{ kind: 'period' as const, ordinal: baseOrdinal, createdAt: now },
    ...{ totalCents: lines.reduce((sum, { amountCents }) => sum + amountCents, 0) },
    seenDueAt: moment.installationNow,
  })
  assert(draft !== null, 'the invoice of the last boundary was its final one')
  await insertLines(sql, draft.id, lines)
  return resumed
}

/** Numbers of the month that runs, and of the first month of the base price's period. */
function ordinalsAt(
  row: Pick<SubscriptionRow, 'baseOrdinal' | 'interval'> & { activeFrom: EpochMs },
  now: EpochMs,
): Pick<SubscriptionRow, 'ordinal' | 'baseOrdinal'> {
  const { activeFrom, baseOrdinal: last, interval } = row
  const ordinal = periodIndex(activeFrom, now, 1)
  const months = INTERVAL_MONTHS[interval]
  return { ordinal, baseOrdinal: last + months * Math.floor((ordinal - last) / months) }
}
