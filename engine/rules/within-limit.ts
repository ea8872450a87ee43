// Every limit of every control, of amounts and of counts. Chosen: used + reserved + requested <=
// limit approves, equality included; a request for zero passes even if a limit was lowered below
// the used amount. A limit per authorization judges the whole amount, increments included; windows
// judge only the added amount. Authorization 4.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { LimitConfig } from '../../shared/wire/config-records.ts'
import {
  addedCount,
  type ControlInputs,
  type LimitsRule,
  type LimitView,
  type MutableTraceRow,
  recordRow,
} from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.within_limit

const REASONS: { readonly [Interval in LimitConfig['interval']]: DeclineReason } = {
  per_authorization: 'limit_per_authorization',
  daily: 'limit_daily',
  weekly: 'limit_weekly',
  monthly: 'limit_monthly',
  yearly: 'limit_yearly',
  all_time: 'limit_all_time',
  rolling: 'limit_rolling',
}

export const withinLimit: LimitsRule = {
  id: 'within_limit',
  judge(judged, trace) {
    for (const view of judged.limits) {
      const { amount_cents: amount, count } = view.limit
      if (amount !== null) {
        const reason = recordRow(withinLimit, amountRow(judged, view, amount), trace)
        if (reason !== null) return reason
      }
      if (count !== null) {
        const reason = recordRow(withinLimit, countRow(judged, view, count), trace)
        if (reason !== null) return reason
      }
    }
    return null
  },
  decide(row) {
    const [limit, used, reserved, requested] = [row[6], row[8], row[9], row[10]] as [
      number,
      number,
      number,
      number,
    ]
    if (used + reserved + requested <= limit) return null
    // The first version also declined requests for zero.
    if (requested === 0 && row[1] > 1) return null
    return row[14] === 'count' ? 'limit_count' : REASONS[row[5] as LimitConfig['interval']]
  },
}

function amountRow(judged: ControlInputs, view: LimitView, amount: number): MutableTraceRow {
  const { limit, scope, used, reserved, startMs, endMs } = view
  const requested =
    limit.interval === 'per_authorization'
      ? judged.chainCents + judged.cardAmountCents
      : judged.cardAmountCents
  return [
    NUMBER,
    VERSION,
    0,
    scope,
    limit.id,
    limit.interval,
    amount,
    limit.currency,
    used,
    reserved,
    requested,
    startMs,
    endMs,
    limit.time_zone,
    'amount',
  ]
}

function countRow(judged: ControlInputs, view: LimitView, count: number): MutableTraceRow {
  const { limit, scope, usedCount, reservedCount, startMs, endMs } = view
  return [
    NUMBER,
    VERSION,
    0,
    scope,
    limit.id,
    limit.interval,
    count,
    limit.currency,
    usedCount,
    reservedCount,
    addedCount(judged),
    startMs,
    endMs,
    limit.time_zone,
    'count',
  ]
}
