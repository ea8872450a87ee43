// Allow and block lists: every scope that has one must agree. One rule per dimension is made of this.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceRow } from '../../shared/rule-catalog.ts'
import type { ControlFact, ListRule } from '../../shared/wire/facts.ts'
import { type Judged, type Rule, recordRow, type Trace, traceRow } from './rule.ts'

export interface ListDimension {
  id: RuleId
  reason: DeclineReason
  listOf(control: ControlFact): ListRule | null
  valueOf(judged: Judged): string
}

/** The rule of one dimension: an allow list that lacks the value, or a block list that has it, declines. */
export function listRule(dimension: ListDimension): Rule {
  const decide = (row: TraceRow): DeclineReason | null => {
    const listed = row[6] === true
    return (row[4] === 'allow') === listed ? null : dimension.reason
  }
  const rule: Rule = {
    id: dimension.id,
    judge(judged: Judged, trace: Trace): DeclineReason | null {
      for (const { scope, control } of judged.controls) {
        const list = dimension.listOf(control)
        if (list === null) continue
        const value = dimension.valueOf(judged)
        const row = traceRow(dimension.id, scope, list.mode, value, list.values.includes(value))
        const reason = recordRow(rule, row, trace)
        if (reason !== null) return reason
      }
      return null
    },
    decide,
  }
  return rule
}
