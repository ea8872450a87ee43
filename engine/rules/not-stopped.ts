// A card stopped by a fraud rule stays stopped until PostgreSQL has stored its suspension.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.not_stopped

export const notStopped: Rule = {
  id: 'not_stopped',
  judge: (judged, trace) =>
    judged.stoppedBy === null
      ? null
      : recordRow(notStopped, [NUMBER, VERSION, 0, judged.stoppedBy], trace),
  decide: (row) => (row[3] === null ? null : 'card_suspended'),
}
