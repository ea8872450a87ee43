// Runs rules in their order: the first objection decides.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { Judged, Rule, Trace } from './rule.ts'

/** Returns the first objection, or null. Every rule that ran leaves its inputs in the trace. */
export function firstObjection(
  rules: readonly Rule[],
  judged: Judged,
  trace: Trace,
): DeclineReason | null {
  for (const rule of rules) {
    const reason = rule.judge(judged, trace)
    if (reason !== null) return reason
  }
  return null
}
