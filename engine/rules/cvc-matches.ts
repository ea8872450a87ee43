// A CVC that was sent must be the card's; none sent passes.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const cvcMatches: Rule = {
  id: 'cvc_matches',
  judge: (judged, trace) => recordRow(cvcMatches, traceRow('cvc_matches', judged.cvc), trace),
  decide: (row) => (row[3] === 'mismatch' ? 'cvc_mismatch' : null),
}
