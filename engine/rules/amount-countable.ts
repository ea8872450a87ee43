// No window may count beyond the largest safe integer, because sums would stop being exact.
import { AMOUNT_MAX } from '../../shared/money.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.amount_countable

export const amountCountable: Rule = {
  id: 'amount_countable',
  judge: (judged, trace) =>
    recordRow(
      amountCountable,
      [NUMBER, VERSION, 0, judged.largestCounted, judged.cardAmountCents],
      trace,
    ),
  decide: (row) => (Number(row[3]) <= AMOUNT_MAX - Number(row[4]) ? null : 'limit_all_time'),
}
