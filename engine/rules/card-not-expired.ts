// A card may be used to the end of its last month. Chosen: the month ends in UTC.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.card_not_expired

export const cardNotExpired: Rule = {
  id: 'card_not_expired',
  judge: (judged, trace) => recordRow(cardNotExpired, [NUMBER, VERSION, 0, judged.expired], trace),
  decide: (row) => (row[3] === false ? null : 'card_expired'),
}
