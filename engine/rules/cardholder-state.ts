// The cardholder must be active and not frozen by a review.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const cardholderState: Rule = {
  id: 'cardholder_state',
  judge: (judged, trace) =>
    recordRow(
      cardholderState,
      traceRow('cardholder_state', judged.cardholder.status, judged.cardholder.frozen),
      trace,
    ),
  decide(row) {
    if (row[4] !== false) return 'cardholder_frozen'
    return row[3] === 'active' ? null : 'cardholder_inactive'
  },
}
