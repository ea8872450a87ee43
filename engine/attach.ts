// The database introduces itself to the engine: a database of another history is refused.
import { sleep } from '../shared/clock.ts'
import type { AttachAnswer, AttachRequest } from '../shared/wire/control.ts'
import { checkDatabaseMatch, journalState } from './control/check-database-match.ts'
import type { DatabaseTimeline } from './database-timeline.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { ReplicatedLog } from './journal/replicated-log.ts'
import type { Readiness } from './readiness.ts'

const BEHIND_MS_MAX = 1000
const BEHIND_LOOK_MS = 10

interface Attached {
  /** The database that this run is attached to; null before the first. */
  attachedTo: string | null
  /** The log of a member; null on one machine. */
  member: Pick<ReplicatedLog, 'role' | 'committedSeq'> | null
  timeline: Pick<DatabaseTimeline, 'problemOf' | 'follow'>
}

/** Answers the database, and records durably that it confirmed the journal. */
export async function attach(
  request: AttachRequest,
  journal: EngineLog,
  readiness: Pick<Readiness, 'refused'>,
  { attachedTo, member, timeline }: Attached,
): Promise<AttachAnswer> {
  const old = await timeline.problemOf(request.database_id)
  if (old !== null) {
    // An old primary that calls beside the new one changes nothing here.
    if (attachedTo === null) readiness.refused = old
    return { attached: false, refused: old }
  }
  const drainedSeq = request.journal?.seq ?? 0
  if (member !== null && !(await hasCaughtUp(journal, drainedSeq))) {
    // No member has what an owner has not: those decisions are lost, as on one machine.
    const isLost = member.role === 'owner' && member.committedSeq < drainedSeq
    if (!isLost)
      return { attached: false, refused: 'This member is behind what the database has drained.' }
  }
  const answer = checkDatabaseMatch(request, journalState(journal, attachedTo))
  readiness.refused = answer.attached ? null : answer.refused
  if (answer.attached) {
    await timeline.follow(request.database_id)
    await journal.markAttached()
  }
  return answer
}

/** A member may be a moment behind what the database drained from another one. */
async function hasCaughtUp(journal: EngineLog, seq: number): Promise<boolean> {
  for (let waited = 0; journal.syncedSeq < seq; waited += BEHIND_LOOK_MS) {
    if (waited >= BEHIND_MS_MAX) return false
    await sleep(BEHIND_LOOK_MS)
  }
  return true
}
