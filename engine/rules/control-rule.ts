// A rule that asks every control, one after the other, and stops at the first that objects. Most controls say nothing about
// most things, so each carries as bits what it speaks of, and a rule that none speaks of costs one comparison.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type RuleId, type TraceRow } from '../../shared/rule-catalog.ts'
import type { ControlFact } from '../../shared/wire/facts.ts'
import {
  type BoundControl,
  type Judged,
  type MutableTraceRow,
  type Rule,
  recordRow,
  type Trace,
} from './rule.ts'

export interface ControlQuestion {
  id: RuleId
  /** True where the control says something about it. */
  concerns(control: ControlFact): boolean
  /** What such a control looks at; null where it has no say in this message. */
  rowOf(judged: Judged, bound: BoundControl): MutableTraceRow | null
  decide(row: TraceRow): DeclineReason | null
}

/** The rule that puts a question to every control that binds. */
export function controlRule(question: ControlQuestion): Rule {
  const bit = bitOf(question.id)
  return {
    id: question.id,
    concerns: question.concerns,
    judge(judged: Judged, trace: Trace): DeclineReason | null {
      if ((judged.topics & bit) === 0) return null
      for (const bound of judged.controls) {
        if ((bound.topics & bit) === 0) continue
        const row = question.rowOf(judged, bound)
        if (row === null) continue
        const reason = recordRow(question, row, trace)
        if (reason !== null) return reason
      }
      return null
    },
    decide: question.decide,
  }
}

/** The bit of a rule among the topics of a control. Rules of controls have numbers below 32. */
export function bitOf(id: RuleId): number {
  return 1 << RULE_CATALOG[id].number
}
