// A PIN that was sent must be the card's, and one too many wrong ones is the end of it, right or wrong. The tries are counted
// by us, whatever the network counts.
import { PIN_TRIES_MAX } from '../../shared/limits.ts'
import { type Rule, recordRow, traceRow } from './rule.ts'

export const pinMatches: Rule = {
  id: 'pin_matches',
  judge: (judged, trace) =>
    judged.pin === 'not_provided' || judged.pin === 'not_checked'
      ? null
      : recordRow(
          pinMatches,
          traceRow('pin_matches', judged.pin, judged.pinFailures, PIN_TRIES_MAX),
          trace,
        ),
  decide(row) {
    const [failures, tries] = [Number(row[4]), Number(row[5])]
    if (failures >= tries) return 'pin_tries_exceeded'
    return row[3] === 'mismatch' ? 'pin_incorrect' : null
  },
}
