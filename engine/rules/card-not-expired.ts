// A card may be used to the end of its last month. Chosen: the month ends in UTC.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.card_not_expired
const NOT_EXPIRED = passingRow(RULE_CATALOG.card_not_expired, false)

export const cardNotExpired: Rule = {
  id: 'card_not_expired',
  judge: ({ expired }, trace) =>
    expired
      ? recordRow(cardNotExpired, [NUMBER, VERSION, 0, expired], trace)
      : pass(NOT_EXPIRED, trace),
  decide: (row) => (row[3] === false ? null : 'card_expired'),
}
