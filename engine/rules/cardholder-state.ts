// The cardholder must be active and not frozen by a review.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.cardholder_state
const ACTIVE = passingRow(RULE_CATALOG.cardholder_state, 'active', false)

export const cardholderState: Rule = {
  id: 'cardholder_state',
  judge: ({ cardholder: { status, frozen } }, trace) =>
    status === 'active' && frozen === false
      ? pass(ACTIVE, trace)
      : recordRow(cardholderState, [NUMBER, VERSION, 0, status, frozen], trace),
  decide(row) {
    if (row[4] !== false) return 'cardholder_frozen'
    return row[3] === 'active' ? null : 'cardholder_inactive'
  },
}
