// A sent PIN must match the card's, and after too many wrong PINs even the right one is declined.
// The engine counts the tries itself, whatever the network counts.
import { PIN_TRIES_MAX } from '../../shared/limits.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.pin_matches

export const pinMatches: Rule = {
  id: 'pin_matches',
  judge: (judged, trace) =>
    judged.pin === 'not_provided' || judged.pin === 'not_checked'
      ? null
      : recordRow(
          pinMatches,
          [NUMBER, VERSION, 0, judged.pin, judged.pinFailures, PIN_TRIES_MAX],
          trace,
        ),
  decide(row) {
    const [failures, tries] = [Number(row[4]), Number(row[5])]
    if (failures >= tries) return 'pin_tries_exceeded'
    return row[3] === 'mismatch' ? 'pin_incorrect' : null
  },
}
