// Allow and block lists: every control with a list must agree. One rule per dimension is made of
// this.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type RuleId } from '../../shared/rule-catalog.ts'
import type { ControlConfig, ListRule } from '../../shared/wire/config-records.ts'
import type { ControlRule } from './control-rule.ts'
import { isListed } from './listed.ts'
import type { ControlInputs } from './rule.ts'

export interface ListDimension {
  id: RuleId
  reason: DeclineReason
  listOf(control: ControlConfig): ListRule | null
  valueOf(judged: ControlInputs): string
  /** Search in a list, if not for the value itself. */
  isListed?(values: readonly string[], value: string): boolean
}

/**
 * Returns the rule of one dimension: an allow list without the value, or a block list with it,
 * declines.
 */
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
