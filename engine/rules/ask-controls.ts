// Every check of every control, in the order of the rules; checks of one rule run in the order of
// program, cardholder and card.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { ControlRule } from './control-rule.ts'
import { CONTROL_RULES } from './order.ts'
import { type BoundControls, type ControlInputs, recordRow, type Trace } from './rule.ts'

/**
 * Returns the first objection of a control, or null. Every check that applied leaves its inputs in
 * the trace.
 */
export function askControls(judged: ControlInputs, trace: Trace): DeclineReason | null {
  let rules = 0
  for (const bound of judged.controls) rules |= bound.rules
  // Iterates over set bits only, because no control uses most rules.
  for (; rules !== 0; rules &= rules - 1) {
    const at = lowestBit(rules)
    for (const bound of judged.controls) {
      const reason = ask(at, judged, bound, trace)
      if (reason !== null) return reason
    }
  }
  return null
}

function ask(
  at: number,
  judged: ControlInputs,
  bound: BoundControls,
  trace: Trace,
): DeclineReason | null {
  const rule = CONTROL_RULES[at] as ControlRule
  const end = bound.from[at + 1] as number
  for (let question = bound.from[at] as number; question < end; question++) {
    const asker = bound.askers[question] as string
    const row = rule.rowOf(judged, bound, asker, bound.asked[question])
    if (row === null) continue
    const reason = recordRow(rule, row, trace)
    if (reason !== null) return reason
  }
  return null
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
