// Step 5. (gathered data) → verdict and trace. Pure: rules in a table whose order is policy;
// returns, never throws.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { askControls } from '../rules/ask-controls.ts'
import { firstObjection } from '../rules/first-objection.ts'
import { ACCOUNT_RULES_BEFORE, RULES_AFTER, RULES_BEFORE, STATE_RULES } from '../rules/order.ts'
import type { Judged, Trace } from '../rules/rule.ts'

/**
 * Returns the first objection, or null. Every rule that ran leaves its inputs in the trace, for
 * approvals too.
 */
export function judge(judged: Judged, trace: Trace): DeclineReason | null {
  const before = judged.card.card_type === 'account' ? ACCOUNT_RULES_BEFORE : RULES_BEFORE
  return (
    firstObjection(before, judged, trace) ??
    askControls(judged, trace) ??
    firstObjection(RULES_AFTER, judged, trace)
  )
}

/** Judges by the state rules alone, for config records that changed while the tenant was asked. */
export function judgeState(judged: Judged, trace: Trace): DeclineReason | null {
  return firstObjection(STATE_RULES, judged, trace)
}
