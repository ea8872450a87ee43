// Allow and block lists: every control that has one must agree. One rule per dimension is made of this.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type RuleId } from '../../shared/rule-catalog.ts'
import type { ControlFact, ListRule } from '../../shared/wire/facts.ts'
import { controlRule } from './control-rule.ts'
import { isListed } from './listed.ts'
import type { Judged, Rule } from './rule.ts'

export interface ListDimension {
  id: RuleId
  reason: DeclineReason
  listOf(control: ControlFact): ListRule | null
  valueOf(judged: Judged): string
  /** How a list is searched, where it is not for the value itself. */
  isListed?(values: readonly string[], value: string): boolean
}

/** The rule of one dimension: an allow list that lacks the value, or a block list that has it, declines. */
export function listRule(dimension: ListDimension): Rule {
  const has = dimension.isListed ?? isListed
  const { number, version } = RULE_CATALOG[dimension.id]
  return controlRule({
    id: dimension.id,
    concerns: (control) => dimension.listOf(control) !== null,
    rowOf(judged, { scope, control }) {
      const list = dimension.listOf(control)
      if (list === null) return null
      const value = dimension.valueOf(judged)
      const listed = has(list.values, value)
      return [number, version, 0, scope, list.mode, value, listed, control.id]
    },
    decide: (row) => ((row[4] === 'allow') === (row[6] === true) ? null : dimension.reason),
  })
}
