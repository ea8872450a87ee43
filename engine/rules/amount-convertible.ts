// An amount in another currency needs a rate: the network's, or one of ours.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const amountConvertible: Rule = {
  id: 'amount_convertible',
  judge: (judged, trace) =>
    recordRow(
      amountConvertible,
      traceRow(
        'amount_convertible',
        judged.card.currency,
        judged.message.currency,
        judged.convertible,
        judged.fx === null ? null : judged.fx.rate,
        judged.fx === null ? null : judged.fx.source,
        judged.cardAmountCents,
      ),
      trace,
    ),
  decide: (row) => (row[5] === true ? null : 'fx_rate_unavailable'),
}
