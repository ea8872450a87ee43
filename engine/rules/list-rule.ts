// Allow and block lists: every control that has one must agree. One rule per dimension is made of this.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type RuleId } from '../../shared/rule-catalog.ts'
import type { ControlFact, ListRule } from '../../shared/wire/facts.ts'
import type { ControlRule } from './control-rule.ts'
import { isListed } from './listed.ts'
import type { Judged } from './rule.ts'

export interface ListDimension {
  id: RuleId
  reason: DeclineReason
  listOf(control: ControlFact): ListRule | null
  valueOf(judged: Judged): string
  /** How a list is searched, where it is not for the value itself. */
  isListed?(values: readonly string[], value: string): boolean
}

/** The rule of one dimension: an allow list that lacks the value, or a block list that has it, declines. */
export function listRule(dimension: ListDimension): ControlRule<ListRule> {
  const { id, reason } = dimension
  const has = dimension.isListed ?? isListed
  const { number, version } = RULE_CATALOG[id]
  return {
    id,
    asks: (control) => dimension.listOf(control),
    rowOf(judged, { scope }, asker, { mode, values }) {
      const value = dimension.valueOf(judged)
      return [number, version, 0, scope, mode, value, has(values, value), asker]
    },
    decide: (row) => ((row[4] === 'allow') === (row[6] === true) ? null : reason),
  }
}
