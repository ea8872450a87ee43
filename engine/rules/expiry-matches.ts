// An expiry that was sent must be the card's.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.expiry_matches

export const expiryMatches: Rule = {
  id: 'expiry_matches',
  judge: (judged, trace) => recordRow(expiryMatches, [NUMBER, VERSION, 0, judged.expiry], trace),
  decide: (row) => (row[3] === 'mismatch' ? 'expiry_mismatch' : null),
}
