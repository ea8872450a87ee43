// The cardholder must be active and not frozen by a review.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.cardholder_state

export const cardholderState: Rule = {
  id: 'cardholder_state',
  judge: (judged, trace) =>
    recordRow(
      cardholderState,
      [NUMBER, VERSION, 0, judged.cardholder.status, judged.cardholder.frozen],
      trace,
    ),
  decide(row) {
    if (row[4] !== false) return 'cardholder_frozen'
    return row[3] === 'active' ? null : 'cardholder_inactive'
  },
}
