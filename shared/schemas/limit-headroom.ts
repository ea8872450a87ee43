// Headroom of every limit that was judged, so that a tenant can decide without a database of its own. AUTHORIZATION.md 1.
import { isoInstant } from '../clock.ts'
import { RULE_CATALOG, type TraceRow, traceSteps } from '../rule-catalog.ts'

/** In the order in which the limits were judged. */
export function limitHeadroom(trace: readonly TraceRow[]) {
  return traceSteps(trace.filter((row) => row[0] === RULE_CATALOG.within_limit.number)).map(
    ({ inputs }) => {
      const amount = Number(inputs['limit'])
      const used = Number(inputs['used_before'])
      const reserved = Number(inputs['reserved_before'])
      const end = inputs['window_end']
      return {
        id: inputs['limit_id'] ?? null,
        scope: inputs['scope'] ?? null,
        interval: inputs['interval'] ?? null,
        amount_cents: amount,
        used_cents: used,
        reserved_cents: reserved,
        remaining_cents: Math.max(0, amount - used - reserved),
        resets_at: typeof end === 'number' ? isoInstant(end) : null,
        time_zone: inputs['time_zone'] ?? null,
      }
    },
  )
}
