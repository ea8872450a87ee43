// Passes the boundaries of a locked subscription, oldest first. Calls that change a
// subscription do it for boundaries that no job saw yet.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { finalizeInvoice, insertInvoice, insertLines } from '../invoices/index.ts'
import {
  cutSegment,
  lastSegment,
  lockCursor,
  openSegment,
  uncountedFrom,
} from '../metering/index.ts'
import { recordNotice } from '../notices/index.ts'
import { boundary, period } from '../periods.ts'
import type { BillingMoment } from '../require-billing.ts'
import { renewEntitlements } from './entitlements.ts'
import { recordSubscription } from './record.ts'
import { resumeAfterOverride } from './resume-base.ts'
import { baseLine, basePeriod, nextRoll, type Roll } from './roll.ts'
import { PLAN_CHANGED } from './states.ts'
import { lockSubscription, type SubscriptionChange, saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/** Locks the subscription, with every boundary behind it that is due. */
export async function lockRolled(
  sql: TxSql,
  owner: Owner,
  moment: BillingMoment,
): Promise<SubscriptionRow | null> {
  const held = await lockSubscription(sql, owner)
  return held === null ? null : rollDue(sql, held, moment)
}

/** Passes the next boundary that is due, or the end of an override; false where neither is. */
export async function rollNext(sql: TxSql, owner: Owner, moment: BillingMoment): Promise<boolean> {
  const held = await lockSubscription(sql, owner)
  if (held === null) return false
  const roll = nextRoll(held, moment.now)
  const row = await resumeAfterOverride(sql, held, { until: roll?.at ?? moment.now, moment })
  if (roll !== null) await applyRoll(sql, row, { roll, moment })
  return roll !== null || row !== held
}

/** Passes every boundary and end of an override that is due; the subscription is locked. */
export async function rollDue(
  sql: TxSql,
  held: SubscriptionRow,
  moment: BillingMoment,
): Promise<SubscriptionRow> {
  let row = held
  for (let roll = nextRoll(row, moment.now); roll !== null; roll = nextRoll(row, moment.now)) {
    row = await resumeAfterOverride(sql, row, { until: roll.at, moment })
    row = await applyRoll(sql, row, { roll, moment })
  }
  return resumeAfterOverride(sql, row, { until: moment.now, moment })
}

/** Passes a boundary of a locked subscription. The invoice is a draft until its usage is known. */
async function applyRoll(
  sql: TxSql,
  held: SubscriptionRow,
  { roll, moment }: { roll: Roll; moment: BillingMoment },
): Promise<SubscriptionRow> {
  const row = await saveSubscription(sql, held, roll.change)
  await noticePrices(sql, { before: held, row, moment })
  const { terms, interval, id: subscriptionId, currency } = row
  if (roll.month !== null) {
    const { ordinal: month, period: stretch } = roll.month
    const { from: fromAt, until: untilAt } = stretch
    const opened = { month, fromAt, untilAt, countsFrom: fromAt, terms, interval }
    await openSegment(sql, row, { subscriptionId, ...opened })
  }
  if (roll.invoice !== null) {
    const isCharged = roll.base !== null && !roll.baseWaived
    const lines = isCharged && roll.base !== null ? [baseLine(row, roll.base)] : []
    const draft = await insertInvoice(sql, row, {
      ...{ id: moment.newId('inv'), subscriptionId, currency, ...roll.invoice, at: roll.at },
      ...{ totalCents: lines.reduce((sum, line) => sum + line.amountCents, 0) },
      ...{ seenDueAt: moment.installationNow, baseWaived: roll.baseWaived, createdAt: moment.now },
    })
    assert(draft !== null, 'a boundary is passed once')
    await insertLines(sql, draft.id, lines)
  }
  if (roll.isNewTier) await recordSubscription(sql, row, [PLAN_CHANGED], moment.now)
  else if (roll.isNewTerms) await renewEntitlements(sql, row, moment.now)
  return row
}

/** A clock that jumps passes the boundary before the notice: it comes with the boundary then. */
async function noticePrices(
  sql: TxSql,
  { before, row, moment }: { before: SubscriptionRow; row: SubscriptionRow; moment: BillingMoment },
): Promise<void> {
  const { plan, version } = row.terms
  if (plan === 'enterprise' || plan !== before.terms.plan || version === before.terms.version)
    return
  await recordNotice(sql, row, {
    ...{ subscriptionId: row.id, kind: 'new_prices' as const, subject: version, invoiceId: null },
    ...{ now: moment.now, installationNow: moment.installationNow },
  })
}

/**
 * Begins the paid periods of a locked subscription now: its first segment, and an invoice of its
 * base price. `change` is saved with it.
 */
export async function beginPaid(
  sql: TxSql,
  held: SubscriptionRow,
  { change, moment }: { change: SubscriptionChange; moment: BillingMoment },
): Promise<SubscriptionRow> {
  const { now, installationNow, newId } = moment
  const counted = await lockCursor(sql, held)
  const countsFrom = uncountedFrom(counted, now)
  await cutLast(sql, held, { now, countsFrom })
  const unset = { ordinal: 0, baseOrdinal: 0, pendingPlan: null, pendingInterval: null }
  const begun = { activeFrom: now, rollsAt: boundary(now, 1), ...unset }
  const row = await saveSubscription(sql, held, { ...change, ...begun })
  const { id: subscriptionId, terms, interval, currency, netDays, creditCents } = row
  const { from: fromAt, until: untilAt } = period(now, 0, 1)
  const opened = { month: 0, fromAt, untilAt, countsFrom, terms, interval }
  await openSegment(sql, row, { subscriptionId, ...opened })
  const draft = await insertInvoice(sql, row, {
    ...{ id: newId('inv'), subscriptionId, kind: 'period' as const, ordinal: 0, currency },
    ...{ at: now, seenDueAt: installationNow, createdAt: now },
  })
  assert(draft !== null, 'a subscription begins once')
  const lines = [baseLine(row, basePeriod(now, 0, interval))]
  const settled = await finalizeInvoice(sql, draft, { lines, creditCents, netDays, now })
  return saveSubscription(sql, row, { creditCents: settled.creditCents })
}

/** Ends the segment that runs, if any: it was a trial's, or that of an ended subscription. */
export async function cutLast(
  sql: TxSql,
  { id }: SubscriptionRow,
  { now, countsFrom }: { now: EpochMs; countsFrom: EpochMs },
): Promise<void> {
  const last = await lastSegment(sql, id)
  if (last === null || last.untilAt <= now) return
  await cutSegment(sql, last, { untilAt: now, countsUntil: countsFrom })
}
