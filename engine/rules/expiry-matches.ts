// A sent expiry must match the card's.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.expiry_matches
const MATCH = passingRow(RULE_CATALOG.expiry_matches, 'match')
const NOT_PROVIDED = passingRow(RULE_CATALOG.expiry_matches, 'not_provided')

export const expiryMatches: Rule = {
  id: 'expiry_matches',
  judge({ expiry }, trace) {
    if (expiry === 'match') return pass(MATCH, trace)
    if (expiry === 'not_provided') return pass(NOT_PROVIDED, trace)
    return recordRow(expiryMatches, [NUMBER, VERSION, 0, expiry], trace)
  },
  decide: (row) => (row[3] === 'mismatch' ? 'expiry_mismatch' : null),
}
