// Rules in their order: the first that objects decides.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { Judged, Rule, Trace } from './rule.ts'

/** The first objection, or null. Every rule that was asked leaves what it looked at in the trace. */
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
