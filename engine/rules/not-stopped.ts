// A card that a fraud rule stopped stays stopped until PostgreSQL has taken over its suspension.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const notStopped: Rule = {
  id: 'not_stopped',
  judge: (judged, trace) =>
    judged.stoppedBy === null
      ? null
      : recordRow(notStopped, traceRow('not_stopped', judged.stoppedBy), trace),
  decide: (row) => (row[3] === null ? null : 'card_suspended'),
}
