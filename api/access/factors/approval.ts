// Checks whether a call carries a person's approval of exactly this call.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Principal } from '../../context.ts'
import type { HttpServices } from '../../http/services.ts'
import type { ApprovedCall } from '../../write/approval.ts'
import { mayApprove } from '../people/index.ts'
import { openChallenge, secretHash } from './challenge.ts'
import { type ChallengeRow, findChallengeByToken } from './store.ts'

/** Chosen: the call may be made for this long after a person approved it. */
const APPROVED_MS = 5 * 60_000

/**
 * Returns null for a token that is unknown, belongs to another key, is too old, or is used, and for
 * one whose approver lost the role that may approve.
 */
export async function findApproval(
  { sql, unseal }: Pick<HttpServices, 'sql' | 'unseal'>,
  call: { principal: Principal; token: string; fingerprint: string; now: EpochMs },
): Promise<ApprovedCall | 'another_call' | null> {
  const row = await findChallengeByToken(sql, call.principal, secretHash(call.token))
  if (row === null) return null
  if (openChallenge(unseal, row.sealed).fingerprint !== call.fingerprint) return 'another_call'
  if (row.state !== 'approved' || row.usedAt !== null || call.now >= usableUntil(row)) return null
  const { approverRole: role, environment } = row
  if (role === null || !mayApprove(role, environment)) return null
  const { id: challengeId, createdAt: askedAt, assertion: evidence } = row
  return { challengeId, approvedBy: row.decidedBy ?? '', askedAt, evidence }
}

/** Returns the end of the time to decide; after a decision, the end of the approval. */
export function usableUntil({ decidedAt, expiresAt }: ChallengeRow): EpochMs {
  return decidedAt === null ? expiresAt : decidedAt + APPROVED_MS
}
