// An amount in another currency needs a rate: the network's or our own.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.amount_convertible

export const amountConvertible: Rule = {
  id: 'amount_convertible',
  judge: (judged, trace) =>
    recordRow(
      amountConvertible,
      [
        NUMBER,
        VERSION,
        0,
        judged.card.currency,
        judged.message.currency,
        judged.convertible,
        judged.fx === null ? null : judged.fx.rate,
        judged.fx === null ? null : judged.fx.source,
        judged.cardAmountCents,
      ],
      trace,
    ),
  decide: (row) => (row[5] === true ? null : 'fx_rate_unavailable'),
}
