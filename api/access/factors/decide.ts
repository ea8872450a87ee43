// A person decides about a call: once, and only while the call waits.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Wait } from '../../database/database-watchdog.ts'
import { tx } from '../../database/transaction.ts'
import type { HttpServices } from '../../http/services.ts'
import type { Evidence } from '../../write/evidence.ts'
import type { SignedIn } from '../identities/index.ts'
import { findMember, lockActiveMember, mayApprove } from '../people/index.ts'
import { type KnownSession, renewSession } from '../sessions/index.ts'
import { sealApproved } from './challenge.ts'
import { type ChallengeRow, saveDecision } from './store.ts'

export type Decision = 'decided' | 'wrong' | 'throttled' | 'late' | 'too_late'

/** A person who proved their identity; with evidence, by a passkey. */
export type Approver = SignedIn & { evidence?: Evidence }

interface Approval {
  approver: Approver
  now: EpochMs
  wait: Wait | null
  /** The browser's session: it is renewed if it is the approver's. */
  session: KnownSession | null
  /** Hash of the session, form and proof: it recognizes a repeat. Null without a session. */
  print: string | null
}

/**
 * Records the person's approval; with the token of the renewed session, which the caller forgets
 * and whose cookie it sets. The right proof of an analyst reads like a wrong one: this page
 * must not reveal an identity.
 */
export async function approveCall(
  services: Pick<HttpServices, 'sql' | 'seal' | 'unseal'>,
  challenge: ChallengeRow,
  { approver, now, wait, session, print }: Approval,
): Promise<{ decision: Decision; token: string | null }> {
  let token: string | null = null
  const { sql } = services
  const { tenantId, environment } = challenge
  const { identity, factor, evidence } = approver
  const member = await findMember(sql, { tenantId, identityId: identity.id })
  if (member === null || !mayApprove(member.role, environment)) return NOT_APPROVED
  if (factor === 'password') return NOT_APPROVED
  const sealed = sealApproved(services, challenge.sealed, print)
  const decision = await tx(
    sql,
    async (inner): Promise<Decision> => {
      const decision = { id: challenge.id, state: 'approved' as const, now }
      const decided = {
        ...decision,
        by: member.id,
        with: factor,
        assertion: evidence ?? null,
        sealed,
      }
      const role = await lockActiveMember(inner, member.id)
      if (role === null || !mayApprove(role, environment)) return 'wrong'
      if (!(await saveDecision(inner, decided))) return 'too_late'
      await takeOrFail(approver, inner)
      if (session?.identity.id === identity.id)
        token = await renewSession(inner, session, { factor, now })
      return 'decided'
    },
    { wait },
  ).catch((error): Decision => {
    if (error === CODE_TAKEN) return 'wrong'
    throw error
  })
  return { decision, token: decision === 'decided' ? token : null }
}

const NOT_APPROVED = { decision: 'wrong', token: null } as const

/** Rolls the decision back. */
const CODE_TAKEN = new Error('the proof was used before')

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
  { now, wait }: { now: EpochMs; wait: Wait | null },
): Promise<Decision> {
  const decision = {
    id,
    state: 'denied' as const,
    now,
    by: null,
    with: null,
    assertion: null,
    sealed: null,
  }
  return tx(
    sql,
    async (inner) => ((await saveDecision(inner, decision)) ? 'decided' : 'too_late'),
    { wait },
  )
}
