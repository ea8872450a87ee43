// A person in a browser proves an approval: by a passkey, or by a code beside a session.
import type { FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { signInByCode } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import { type KnownSession, sessionCookie } from '../sessions/index.ts'
import { usableUntil } from './approval.ts'
import { openChallenge, secretHash } from './challenge.ts'
import { type Approver, approveCall, type Decision } from './decide.ts'
import { type ChallengeRow, findChallengeByHandle } from './store.ts'

const HANDLE = /^[\w-]{43}$/

type Waiting = NonNullable<Awaited<ReturnType<typeof findChallengeByHandle>>>

/** The challenge that the secret of an address names; null for any other text. */
export async function challengeNamed(
  { sql }: HttpServices,
  handle: string,
): Promise<Waiting | null> {
  return HANDLE.test(handle) ? findChallengeByHandle(sql, secretHash(handle)) : null
}

/** Options of `navigator.credentials.get` for exactly this call, and our sealed ceremony. */
export function passkeyOffer(
  services: HttpServices,
  { id, sealed }: ChallengeRow,
  now: number,
): { options: string; sealed: string } {
  const { fingerprint } = openChallenge(services.unseal, sealed)
  const begun = beginCeremony(services, { purpose: 'approve', subject: id, fingerprint }, now)
  return { options: getOptions(partyOf(pagesUrlOf(services)), begun), sealed: begun.sealed }
}

/** The person of the passkey in the form; null for a form without one. */
export async function approverByPasskey(
  services: HttpServices,
  request: FastifyRequest,
  { id, sealed }: ChallengeRow,
): Promise<Approver | 'wrong' | 'throttled' | 'late' | null> {
  const sent = assertionIn((name) => longFieldOf(request, name))
  if (sent === null) return null
  const { fingerprint } = openChallenge(services.unseal, sealed)
  const signed = await signInByPasskey(services, {
    sent,
    sealed: longFieldOf(request, 'ceremony'),
    expected: { purpose: 'approve', subject: id, fingerprint },
    party: partyOf(pagesUrlOf(services)),
    requestId: request.id,
    ip: request.clientAddress ?? '',
    now: request.admittedAtMs,
  })
  return signed === 'unknown' ? 'wrong' : signed
}

/** The person of the session, proved by the code in the form. */
export function approverByCode(
  services: HttpServices,
  request: FastifyRequest,
  { identity }: KnownSession,
): Promise<Approver | 'wrong' | 'throttled'> {
  return signInByCode(services, {
    identityId: identity.id,
    email: identity.email,
    code: fieldOf(request, 'code'),
    ip: request.clientAddress ?? '',
    now: request.admittedAtMs,
  })
}

/**
 * Approves a call that the person of this session makes, in the same request. Returns the token of
 * the approval and the cookie of the renewed session, or the reason why there is none.
 */
export async function approveOwnCall(
  services: HttpServices,
  request: FastifyRequest,
  { session, personId, handle }: { session: KnownSession; personId: string; handle: string },
): Promise<{ token: string; cookie: string | null } | Exclude<Decision, 'decided'>> {
  const challenge = await challengeNamed(services, handle)
  if (challenge === null || challenge.keyId !== personId) return 'too_late'
  const now = request.admittedAtMs
  if (challenge.state !== 'pending') return sameApproval(services, { personId, handle, now })
  const approver =
    (await approverByPasskey(services, request, challenge)) ??
    (await approverByCode(services, request, session))
  if (approver === 'wrong') {
    const same = await sameApproval(services, { personId, handle, now })
    return same === 'too_late' ? approver : same
  }
  if (typeof approver === 'string') return approver
  const { wait } = request
  const approved = await approveCall(services, challenge, { approver, now, wait, session })
  if (approved.decision === 'too_late') return sameApproval(services, { personId, handle, now })
  if (approved.decision !== 'decided') return approved.decision
  const cookie = renewedCookie(services, request, { session, token: approved.token })
  return { token: openChallenge(services.unseal, challenge.sealed).token, cookie }
}

/**
 * The second click on a form comes before the call of the first: it makes the same call by the same
 * approval, which counts once.
 */
async function sameApproval(
  services: HttpServices,
  { personId, handle, now }: { personId: string; handle: string; now: EpochMs },
): Promise<{ token: string; cookie: null } | 'too_late'> {
  const challenge = await challengeNamed(services, handle)
  if (challenge === null || challenge.state !== 'approved') return 'too_late'
  if (challenge.decidedBy !== personId || now >= usableUntil(challenge)) return 'too_late'
  return { token: openChallenge(services.unseal, challenge.sealed).token, cookie: null }
}

/** Text of Set-Cookie for a session that was renewed; null for one that was not. */
export function renewedCookie(
  { credentials }: HttpServices,
  request: FastifyRequest,
  { session, token }: { session: KnownSession | null; token: string | null },
): string | null {
  if (session === null || token === null) return null
  // The process knows its own change before it hears of it.
  credentials.forget('identity:' + session.identity.id)
  return sessionCookie(request, token)
}
