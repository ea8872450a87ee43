// A control that ends after a number of approved authorizations lets only increments of those pass
// afterwards.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type ControlRule, usesOf } from './control-rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.uses_left

export const usesLeft: ControlRule<number> = {
  id: 'uses_left',
  asks: (control) => control.cancel_after,
  rowOf({ message }, bound, asker, cancelAfter) {
    const { uses } = usesOf(bound, asker)
    const increment = message.kind === 'incremental'
    return [NUMBER, VERSION, 0, bound.scope, asker, uses, increment, cancelAfter]
  },
  decide: (row) =>
    row[6] !== true && Number(row[5]) >= Number(row[7]) ? 'card_single_use_spent' : null,
}
