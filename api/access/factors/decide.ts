// A person decides about a call: once, and only while the call waits.
import type { EpochMs } from '../../../shared/clock.ts'
import { tx } from '../../database/transaction.ts'
import type { HttpServices } from '../../http/services.ts'
import { type SignedIn, signIn } from '../identities/index.ts'
import { findMember, lockActiveMember, mayApprove } from '../people/index.ts'
import { type ChallengeRow, saveDecision } from './store.ts'

export type Decision = 'decided' | 'wrong' | 'throttled' | 'too_late'

export interface Claim {
  email: string
  password: string
  code: string
  ip: string
  /** Installation time. */
  now: EpochMs
}

/**
 * An analyst's correct password and code read like wrong ones: this page must not reveal an
 * identity.
 */
export async function approveCall(
  services: Pick<HttpServices, 'sql' | 'unseal'>,
  challenge: ChallengeRow,
  claim: Claim,
): Promise<Decision> {
  const signed = await signIn(services, claim)
  if (signed === 'wrong' || signed === 'throttled') return signed
  const { tenantId, environment } = challenge
  const member = await findMember(services.sql, { tenantId, identityId: signed.identity.id })
  if (member === null || !mayApprove(member.role, environment)) return 'wrong'
  const { factor } = signed
  if (factor === 'password') return 'wrong'
  return tx(services.sql, async (sql): Promise<Decision> => {
    const decision = { id: challenge.id, state: 'approved' as const, now: claim.now }
    const decided = { ...decision, by: member.id, with: factor }
    if (!(await lockActiveMember(sql, member.id))) return 'wrong'
    if (!(await saveDecision(sql, decided))) return 'too_late'
    await takeOrFail(signed, sql)
    return 'decided'
  }).catch((error) => {
    if (error === CODE_TAKEN) return 'wrong'
    throw error
  })
}

/** Rolls the decision back. */
const CODE_TAKEN = new Error('the code was used before')

async function takeOrFail(signed: SignedIn, sql: Parameters<SignedIn['take']>[0]): Promise<void> {
  if (!(await signed.take(sql))) throw CODE_TAKEN
}

/**
 * Chosen: anyone with the page's address may deny without signing in: a person who sees an
 * illegitimate call must be able to stop it at once.
 */
export function denyCall(
  { sql }: Pick<HttpServices, 'sql'>,
  { id }: ChallengeRow,
  now: EpochMs,
): Promise<Decision> {
  const decision = { id, state: 'denied' as const, now, by: null, with: null }
  return tx(sql, async (inner) => ((await saveDecision(inner, decision)) ? 'decided' : 'too_late'))
}
