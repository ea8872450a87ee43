// Whether a call carries the approval of a person for exactly this call.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Principal, Services } from '../../context.ts'
import { openChallenge, secretHash } from './challenge.ts'
import { type ChallengeRow, findChallengeByToken } from './store.ts'
import type { ApprovedCall } from './use.ts'

/** Chosen: so long after a person approved it the call may be made. */
const APPROVED_MS = 5 * 60_000

/** Null for a token that nobody was given, that is of another key, too old, or used. */
export async function findApproval(
  { sql, unseal }: Pick<Services, 'sql' | 'unseal'>,
  call: { principal: Principal; token: string; fingerprint: string; now: EpochMs },
): Promise<ApprovedCall | 'another_call' | null> {
  const row = await findChallengeByToken(sql, call.principal, secretHash(call.token))
  if (row === null) return null
  if (openChallenge(unseal, row.sealed).fingerprint !== call.fingerprint) return 'another_call'
  if (row.state !== 'approved' || row.usedAt !== null || call.now >= usableUntil(row)) return null
  return { challengeId: row.id, approvedBy: row.decidedBy ?? '' }
}

/** When nobody can decide any more, and then when the approval ends. */
export function usableUntil({ decidedAt, expiresAt }: ChallengeRow): EpochMs {
  return decidedAt === null ? expiresAt : decidedAt + APPROVED_MS
}
