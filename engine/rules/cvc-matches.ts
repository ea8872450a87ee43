// A CVC that was sent must be the card's; none sent passes.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.cvc_matches

export const cvcMatches: Rule = {
  id: 'cvc_matches',
  judge: (judged, trace) => recordRow(cvcMatches, [NUMBER, VERSION, 0, judged.cvc], trace),
  decide: (row) => (row[3] === 'mismatch' ? 'cvc_mismatch' : null),
}
