// Changes the plan or the interval of a subscription: now, or at the end of the base price's
// period. Spec 6.2, billing.plan_changed.
import { assert } from '../../../shared/assert.ts'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { type SelfServePlan, termsAt } from '../catalogue/index.ts'
import {
  countInvoices,
  finalizeInvoice,
  insertInvoice,
  isBaseWaived,
  moveBaseWaiver,
} from '../invoices/index.ts'
import {
  cutSegment,
  lastSegment,
  lockCursor,
  openSegment,
  type SegmentRow,
  uncountedFrom,
} from '../metering/index.ts'
import {
  type BillingMoment,
  type BillingPort,
  billingMoment,
  lockBuyer,
  requireBilled,
} from '../require-billing.ts'
import { lockRolled } from './apply-roll.ts'
import {
  type ChangeInput,
  isSelfServe,
  priceChange,
  type Target,
  targetOf,
} from './price-change.ts'
import { recordSubscription } from './record.ts'
import { PLAN_CHANGED, SUBSCRIPTION_MOVES } from './states.ts'
import { type SubscriptionChange, saveSubscription } from './store.ts'
import { basePeriodOf, isOver, type SubscriptionRow, subscriptionStanding } from './view.ts'

/** Chosen: approving a change takes minutes; it costs what the preview showed for an hour. */
const PRORATE_MS_MAX = 3_600_000

export interface ChangeCall extends ChangeInput {
  /** The moment that the preview priced, in Unix seconds of the tenant's clock; null: now. */
  prorateAt: number | null
}

/**
 * The plan that is in force already takes a waiting change back, and changes nothing else. Refuses
 * with 409 an upgrade while an invoice is overdue, with 403 an enterprise plan.
 */
export async function changeSubscription(
  context: Context,
  input: ChangeCall,
  port: BillingPort,
): Promise<Subscription> {
  const { principal, now } = context
  requireBilled(port, principal.environment)
  return write(context, async (sql) => {
    await lockBuyer(sql, principal)
    const moment = billingMoment(context)
    const held = await lockRolled(sql, principal, moment)
    const { status } = subscriptionStanding(held, now)
    requireState(status, SUBSCRIPTION_MOVES.change.from)
    if (held === null || isOver(held, now)) throw new Refusal('invalid_state', OVER)
    const target = targetOf(held, input)
    const at = prorateAt(input, now)
    const { row, isNewTier } = await applyChange(sql, held, { target, at, moment })
    return recordSubscription(sql, row, isNewTier ? [PLAN_CHANGED] : [], now)
  })
}

/** An override may hide it, and ends: the next plan is another subscription's. */
const OVER = { message: 'It was canceled for its debts. Make another subscription.' }

interface Change {
  target: Target
  at: EpochMs
  moment: BillingMoment
}

interface Changed {
  row: SubscriptionRow
  isNewTier: boolean
}

async function applyChange(sql: TxSql, held: SubscriptionRow, change: Change): Promise<Changed> {
  const { target, moment } = change
  const unset = { pendingPlan: null, pendingInterval: null }
  if (target.isSame) {
    const row = held.pendingPlan === null ? held : await saveSubscription(sql, held, unset)
    return { row, isNewTier: false }
  }
  const { plan, interval } = target
  if (!isSelfServe(plan)) throw new Refusal('feature_not_enabled')
  if (target.isUpgrade && held.overdueSince !== null) throw new Refusal('invoice_overdue')
  if (isUnpaid(held, moment.now)) return changeTrial(sql, held, { plan, ...change })
  if (target.effective === 'now') return changeNow(sql, held, { plan, ...change })
  if (held.cancelAtPeriodEnd) throw new Refusal('invalid_state')
  const waiting = { pendingPlan: plan, pendingInterval: interval }
  return { row: await saveSubscription(sql, held, waiting), isNewTier: false }
}

/** True in a trial; refuses with 409 one that ended. */
export function isUnpaid({ activeFrom, trialEndsAt }: SubscriptionRow, now: EpochMs): boolean {
  if (activeFrom !== null && now >= activeFrom) return false
  if (trialEndsAt === null || now >= trialEndsAt)
    throw new Refusal('invalid_state', { extra: { current_status: 'restricted' } })
  return true
}

/** In a trial a change holds at once and is free. */
async function changeTrial(
  sql: TxSql,
  held: SubscriptionRow,
  { plan, target, moment }: Change & { plan: SelfServePlan },
): Promise<Changed> {
  const terms = termsAt(plan, moment.now)
  const change = { terms, interval: target.interval, pendingPlan: null, pendingInterval: null }
  await cutInto(sql, held, { at: moment.now, now: moment.now, terms, interval: target.interval })
  return saveChange(sql, held, change)
}

/** Chosen: a subscription that was to end still ends with its base price's period. */
async function changeNow(
  sql: TxSql,
  held: SubscriptionRow,
  { plan, target, at, moment }: Change & { plan: SelfServePlan },
): Promise<Changed> {
  const { interval } = target
  const change = { terms: termsAt(plan, moment.now), interval, netDays: held.netDays }
  return changeTerms(sql, held, { change, at, moment })
}

/** Terms that replace those in force, and the collection of their invoices. */
export type NewTerms = Pick<SubscriptionRow, 'terms' | 'interval' | 'netDays'>

/** Replaces the terms of a locked subscription that is paid for, priced at a moment. */
export async function changeTerms(
  sql: TxSql,
  held: SubscriptionRow,
  { change: next, at: asked, moment }: Omit<Change, 'target'> & { change: NewTerms },
): Promise<Changed> {
  const { now, installationNow, newId } = moment
  const { terms, interval, netDays } = next
  const at = await cutInto(sql, held, { at: asked, now, terms, interval })
  const baseWaived = await isBaseWaived(sql, held.id, held.baseOrdinal)
  const { lines, baseOrdinal } = priceChange(held, { terms, interval }, { at, baseWaived })
  const { id: subscriptionId, currency, creditCents } = held
  if (baseWaived && baseOrdinal !== held.baseOrdinal)
    await moveBaseWaiver(sql, subscriptionId, { from: held.baseOrdinal, to: baseOrdinal })
  const ordinal = await countInvoices(sql, { subscriptionId, kind: 'change' })
  const draft = await insertInvoice(sql, held, {
    ...{ id: newId('inv'), subscriptionId, kind: 'change' as const, ordinal, currency, at },
    ...{ seenDueAt: installationNow, createdAt: now },
  })
  assert(draft !== null, 'changes of a locked subscription are numbered')
  const settled = await finalizeInvoice(sql, draft, { lines, creditCents, netDays, now })
  const unset = { pendingPlan: null, pendingInterval: null }
  const change = { ...next, baseOrdinal, creditCents: settled.creditCents, ...unset }
  const endsAt = held.cancelAtPeriodEnd ? endOf({ ...held, ...change }) : null
  return saveChange(sql, held, { ...change, endsAt })
}

function endOf(row: SubscriptionRow): EpochMs | null {
  return basePeriodOf(row)?.until ?? row.endsAt
}

async function saveChange(
  sql: TxSql,
  held: SubscriptionRow,
  change: SubscriptionChange & Pick<SubscriptionRow, 'terms'>,
): Promise<Changed> {
  const isNewTier = change.terms.plan !== held.terms.plan
  const tier = isNewTier ? { previousPlan: held.terms.plan } : {}
  return { row: await saveSubscription(sql, held, { ...change, ...tier }), isNewTier }
}

/**
 * Ends the segment that runs and opens one with the new terms; returns the moment of the cut.
 * Refuses with 400 a moment before the segment began; `now` itself may be that of another change.
 */
async function cutInto(
  sql: TxSql,
  held: SubscriptionRow,
  cut: Pick<SegmentRow, 'terms' | 'interval'> & { at: EpochMs; now: EpochMs },
): Promise<EpochMs> {
  const countsFrom = uncountedFrom(await lockCursor(sql, held), cut.now)
  const last = await lastSegment(sql, held.id)
  assert(last !== null, 'a running subscription has a segment')
  if (unixSeconds(cut.at) < unixSeconds(last.fromAt)) throw new Refusal('parameter_invalid', BEFORE)
  const fromAt = Math.min(Math.max(cut.at, last.fromAt), last.untilAt)
  await cutSegment(sql, last, { untilAt: fromAt, countsUntil: countsFrom })
  const { terms, interval } = cut
  await openSegment(sql, held, {
    ...{ subscriptionId: held.id, month: last.month, fromAt, untilAt: last.untilAt },
    ...{ countsFrom: Math.max(countsFrom, last.countsFrom), terms, interval },
  })
  return fromAt
}

const BEFORE = {
  param: 'prorate_at',
  message: 'The present terms hold only since a later moment.',
}

/** Refuses with 400 a moment in the future, or more than an hour old. */
function prorateAt({ prorateAt: seconds }: ChangeCall, now: EpochMs): EpochMs {
  if (seconds === null) return now
  if (seconds > unixSeconds(now) || seconds * 1000 < now - PRORATE_MS_MAX)
    throw new Refusal('parameter_invalid', {
      param: 'prorate_at',
      message: 'A change is priced at a moment of the last hour.',
    })
  return seconds * 1000
}
