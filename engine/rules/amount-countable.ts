// No window may count beyond the largest safe integer: sums would stop being exact.
import { AMOUNT_MAX } from '../../shared/money.ts'
import { type Rule, recordRow, traceRow } from './rule.ts'

export const amountCountable: Rule = {
  id: 'amount_countable',
  judge: (judged, trace) =>
    recordRow(
      amountCountable,
      traceRow('amount_countable', judged.largestCounted, judged.cardAmountCents),
      trace,
    ),
  decide: (row) => (Number(row[3]) <= AMOUNT_MAX - Number(row[4]) ? null : 'limit_all_time'),
}
