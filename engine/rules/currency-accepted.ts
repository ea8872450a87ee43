// Chosen: a currency other than the card's is declined until conversion exists.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const currencyAccepted: Rule = {
  id: 'currency_accepted',
  judge: (judged, trace) =>
    recordRow(
      currencyAccepted,
      traceRow('currency_accepted', judged.card.currency, judged.message.currency),
      trace,
    ),
  decide: (row) => (row[3] === row[4] ? null : 'currency_blocked'),
}
