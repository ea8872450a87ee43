// A person in a browser proves an approval: by a passkey, or by a code beside a session.
import type { FastifyRequest } from 'fastify'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { signInByCode } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import type { KnownSession } from '../sessions/index.ts'
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
 * the approval, or the reason why there is none.
 */
export async function approveOwnCall(
  services: HttpServices,
  request: FastifyRequest,
  { session, personId, handle }: { session: KnownSession; personId: string; handle: string },
): Promise<{ token: string } | Exclude<Decision, 'decided'>> {
  const challenge = await challengeNamed(services, handle)
  if (challenge === null || challenge.keyId !== personId) return 'too_late'
  const approver =
    (await approverByPasskey(services, request, challenge)) ??
    (await approverByCode(services, request, session))
  if (typeof approver === 'string') return approver
  const now = request.admittedAtMs
  const decision = await approveCall(services, challenge, { approver, now, wait: request.wait })
  if (decision !== 'decided') return decision
  return { token: openChallenge(services.unseal, challenge.sealed).token }
}
