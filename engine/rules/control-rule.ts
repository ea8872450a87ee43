// A rule that asks every control, one after the other, and stops at the first that objects.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceRow } from '../../shared/rule-catalog.ts'
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
  /** What the control looks at; null where it says nothing about it. */
  rowOf(judged: Judged, bound: BoundControl): MutableTraceRow | null
  decide(row: TraceRow): DeclineReason | null
}

/** The rule that puts a question to every control that binds. */
export function controlRule(question: ControlQuestion): Rule {
  return {
    id: question.id,
    judge(judged: Judged, trace: Trace): DeclineReason | null {
      for (const bound of judged.controls) {
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
