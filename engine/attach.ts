// The database introduces itself to the engine: a database of another history is refused.
import type { AttachAnswer, AttachRequest } from '../shared/wire/control.ts'
import { checkDatabaseMatch, journalState } from './control/check-database-match.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { Readiness } from './readiness.ts'

/** Answers the database, and records durably that it confirmed the journal. */
export async function attach(
  request: AttachRequest,
  journal: EngineLog,
  readiness: Readiness,
  attachedTo: string | null,
): Promise<AttachAnswer> {
  const answer = checkDatabaseMatch(request, journalState(journal, attachedTo))
  readiness.refused = answer.attached ? null : answer.refused
  if (answer.attached) await journal.markAttached()
  return answer
}
