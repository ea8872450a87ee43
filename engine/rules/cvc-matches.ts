// A sent CVC must match the card's; a message without a CVC passes.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.cvc_matches
const MATCH = passingRow(RULE_CATALOG.cvc_matches, 'match')
const NOT_PROVIDED = passingRow(RULE_CATALOG.cvc_matches, 'not_provided')

export const cvcMatches: Rule = {
  id: 'cvc_matches',
  judge({ cvc }, trace) {
    if (cvc === 'match') return pass(MATCH, trace)
    if (cvc === 'not_provided') return pass(NOT_PROVIDED, trace)
    return recordRow(cvcMatches, [NUMBER, VERSION, 0, cvc], trace)
  },
  decide: (row) => (row[3] === 'mismatch' ? 'cvc_mismatch' : null),
}
