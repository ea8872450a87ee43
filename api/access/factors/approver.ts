// A person in a browser proves an approval: by a passkey, or by a code beside a session.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { signInByCode } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import { cookieForRepeat, type KnownSession, sessionCookie } from '../sessions/index.ts'
import { usableUntil } from './approval.ts'
import { openChallenge, secretHash, signedPrint } from './challenge.ts'
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
  const fingerprint = signedPrint(services.unseal, sealed)
  const begun = beginCeremony(services, { purpose: 'approve', subject: id, fingerprint }, now)
  return { options: getOptions(partyOf(pagesUrlOf(services)), begun), sealed: begun.sealed }
}

/**
 * The person of the passkey in the form; null for a form without one. A repeat of the form that
 * approved the call is no replay to note.
 */
export async function approverByPasskey(
  services: HttpServices,
  request: FastifyRequest,
  { id, sealed }: ChallengeRow,
  repeated: Repeated,
): Promise<Approver | 'wrong' | 'throttled' | 'late' | null> {
  const sent = assertionIn((name) => longFieldOf(request, name))
  if (sent === null) return null
  const fingerprint = signedPrint(services.unseal, sealed)
  const signed = await signInByPasskey(services, {
    sent,
    sealed: longFieldOf(request, 'ceremony'),
    expected: { purpose: 'approve', subject: id, fingerprint },
    party: partyOf(pagesUrlOf(services)),
    requestId: request.id,
    ip: request.clientAddress ?? '',
    now: request.admittedAtMs,
    wasSent: async () => (await repeatedToken(services, request, repeated)) !== null,
  })
  return signed === 'unknown' || signed === 'used' ? 'wrong' : signed
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

interface OwnApproval {
  token: string
  /** Text of Set-Cookie for the renewed session; null for one that was not renewed. */
  cookie: string | null
}

/**
 * Approves a call that the person of this session makes, in the same request. Returns the token of
 * the approval, or the reason why there is none.
 */
export async function approveOwnCall(
  services: HttpServices,
  request: FastifyRequest,
  { session, personId, handle }: { session: KnownSession; personId: string; handle: string },
): Promise<OwnApproval | Exclude<Decision, 'decided'>> {
  const challenge = await challengeNamed(services, handle)
  if (challenge === null || challenge.keyId !== personId) return 'too_late'
  const { token, sessionId } = openChallenge(services.unseal, challenge.sealed)
  // Another session of the person makes the call itself, and asks with a challenge of its own.
  if (sessionId !== session.id) return 'too_late'
  const repeated = { handle, session }
  const again = async (): Promise<OwnApproval | 'too_late'> =>
    (await repeatedApproval(services, request, repeated)) ?? 'too_late'
  if (challenge.state !== 'pending') return again()
  const approver =
    (await approverByPasskey(services, request, challenge, repeated)) ??
    (await approverByCode(services, request, session))
  if (approver === 'wrong') {
    const same = await again()
    return same === 'too_late' ? approver : same
  }
  if (typeof approver === 'string') return approver
  const { admittedAtMs: now, wait } = request
  const print = approvalPrint(request, session)
  const approved = await approveCall(services, challenge, { approver, now, wait, session, print })
  if (approved.decision === 'too_late') return again()
  if (approved.decision !== 'decided') return approved.decision
  return { token, cookie: renewedCookie(services, request, { session, token: approved.token }) }
}

/**
 * Hash of the session, the form and its proof. It is sealed with the challenge, therefore a code in
 * it cannot be guessed.
 */
export function approvalPrint(
  request: FastifyRequest,
  session: KnownSession | null,
): string | null {
  if (session === null) return null
  const proof = [fieldOf(request, 'code'), longFieldOf(request, 'signature')]
  return hash('sha256', JSON.stringify([session.id, request.url, ...proof]))
}

interface Repeated {
  handle: string
  session: KnownSession | null
}

/**
 * The second click on a form: the same form, with the same proof, in the same session, after the
 * approval of the first. It makes the same call by the same approval, which counts once. Null for
 * any other form.
 */
export async function repeatedApproval(
  services: HttpServices,
  request: FastifyRequest,
  repeated: Repeated,
): Promise<OwnApproval | null> {
  const token = await repeatedToken(services, request, repeated)
  const { session } = repeated
  if (token === null || session === null) return null
  return { token, cookie: await cookieForRepeat(services, request, session) }
}

async function repeatedToken(
  services: HttpServices,
  request: FastifyRequest,
  { handle, session }: Repeated,
): Promise<string | null> {
  const challenge = await challengeNamed(services, handle)
  if (challenge?.state !== 'approved') return null
  if (request.admittedAtMs >= usableUntil(challenge)) return null
  const { token, approvedWith = null } = openChallenge(services.unseal, challenge.sealed)
  return approvedWith !== null && approvedWith === approvalPrint(request, session) ? token : null
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
