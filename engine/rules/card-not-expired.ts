// A card may be used to the end of its last month. Chosen: the month ends in UTC.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const cardNotExpired: Rule = {
  id: 'card_not_expired',
  judge: (judged, trace) =>
    recordRow(cardNotExpired, traceRow('card_not_expired', judged.expired), trace),
  decide: (row) => (row[3] === false ? null : 'card_expired'),
}
