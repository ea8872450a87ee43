// An expiry that was sent must be the card's.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const expiryMatches: Rule = {
  id: 'expiry_matches',
  judge: (judged, trace) =>
    recordRow(expiryMatches, traceRow('expiry_matches', judged.expiry), trace),
  decide: (row) => (row[3] === 'mismatch' ? 'expiry_mismatch' : null),
}
