// Every limit of every scope. Chosen: used + reserved + amount <= limit approves, equality included. AUTHORIZATION.md 4.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { LimitFact } from '../../shared/wire/facts.ts'
import { type Rule, recordRow, traceRow } from './rule.ts'

const REASONS: { readonly [Interval in LimitFact['interval']]: DeclineReason } = {
  per_authorization: 'limit_per_authorization',
  daily: 'limit_daily',
  weekly: 'limit_weekly',
  monthly: 'limit_monthly',
  yearly: 'limit_yearly',
  all_time: 'limit_all_time',
  rolling: 'limit_rolling',
}

export const withinLimit: Rule = {
  id: 'within_limit',
  judge(judged, trace) {
    const requested = judged.cardAmountCents
    for (const view of judged.limits) {
      const { limit } = view
      if (limit.amount_cents === null) continue
      const row = traceRow(
        'within_limit',
        view.scope,
        limit.id,
        limit.interval,
        limit.amount_cents,
        limit.currency,
        view.used,
        view.reserved,
        requested,
        view.startMs,
        view.endMs,
        limit.time_zone,
      )
      const reason = recordRow(withinLimit, row, trace)
      if (reason !== null) return reason
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
    return used + reserved + requested <= limit ? null : REASONS[row[5] as LimitFact['interval']]
  },
}
