// The database introduces itself to the engine: a database of another history is refused.
import { sleep } from '../shared/clock.ts'
import type { AttachAnswer, AttachRequest } from '../shared/wire/control.ts'
import { checkDatabaseMatch, journalState } from './control/check-database-match.ts'
import type { EngineLog } from './journal/decision-log.ts'
import { ReplicatedLog } from './journal/replicated-log.ts'
import type { Readiness } from './readiness.ts'

const BEHIND_MS_MAX = 1000
const BEHIND_LOOK_MS = 10

function isBehind(journal: EngineLog, seq: number): boolean {
  return journal instanceof ReplicatedLog && journal.syncedSeq < seq
}

/** Answers the database, and records durably that it confirmed the journal. */
export async function attach(
  request: AttachRequest,
  journal: EngineLog,
  readiness: Readiness,
  attachedTo: string | null,
): Promise<AttachAnswer> {
  // A follower may be a moment behind what the database drained from another member.
  const drained = request.journal?.seq ?? 0
  for (
    let waited = 0;
    isBehind(journal, drained) && waited < BEHIND_MS_MAX;
    waited += BEHIND_LOOK_MS
  )
    await sleep(BEHIND_LOOK_MS)
  const answer = checkDatabaseMatch(request, journalState(journal, attachedTo))
  readiness.refused = answer.attached ? null : answer.refused
  if (answer.attached) await journal.markAttached()
  return answer
}
