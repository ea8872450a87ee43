// A call that needs a person becomes a challenge with two secrets: one for the person's browser and
// one that the approved call carries. Spec 5.1.
//
// Chosen: a challenge waits fifteen minutes; its approval is valid for five, for the same call by
// the same key only.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import type { Principal } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import type { HttpServices } from '../../http/services.ts'
import { type BodyField, bodyFields } from './body-fields.ts'
import { insertChallenge } from './store.ts'

const PENDING_MS = 15 * 60_000
const SECRET_BYTES = 32
const TOKEN_PREFIX = 'svc_factor_'

/** A call that requires a person. */
export interface GuardedCall {
  principal: Principal
  requestId: string
  /** The call's effect, in a sentence. */
  operation: string
  method: string
  path: string
  /** 64 hex digits over method, path, query and body. */
  fingerprint: string
  body: unknown
  ip: string
  /** Installation time: people do not follow a sandbox clock. */
  now: EpochMs
  /**
   * Address where people open the pages, and address where the caller reached the API; without a
   * slash at the end.
   */
  pagesUrl: string
  apiUrl: string
  /** The call carried an approval that belongs to another call. */
  misplaced: boolean
  /** The session of the person who calls; null for a key or a platform. */
  sessionId: string | null
}

/** The sealed part of a challenge. */
interface Sealed {
  fingerprint: string
  fields: readonly BodyField[]
  token: string
  /** Session of the person who calls; its own form alone gets the token. */
  sessionId: string | null
  /** Session, form and proof that approved the call, as a hash; absent until then. */
  approvedWith?: string | null
}

const MISPLACED =
  'This Svc-Factor belongs to another call: an approval is for one method, path and body. A person has to approve this call: ' +
  'open challenge_url.'

/** Records the challenge and returns the refusal that names it. */
export async function challengeCall(
  { sql, seal }: Pick<HttpServices, 'sql' | 'seal'>,
  call: GuardedCall,
): Promise<Refusal> {
  const { operation, method, path, ip, requestId, fingerprint, now } = call
  const id = newId('fch', now)
  const handle = randomSecret(SECRET_BYTES)
  const token = TOKEN_PREFIX + randomSecret(SECRET_BYTES)
  const { sessionId } = call
  const sealed: Sealed = { fingerprint, fields: bodyFields(call.body), token, sessionId }
  await insertChallenge(sql, call.principal, {
    id,
    handleHash: secretHash(handle),
    tokenHash: secretHash(token),
    operation,
    method,
    path,
    ip,
    requestId,
    sealed: seal(SEAL_CONTEXTS.factorChallenge, JSON.stringify(sealed)),
    createdAt: now,
    expiresAt: now + PENDING_MS,
  })
  return new Refusal('factor_required', {
    ...(call.misplaced ? { message: MISPLACED } : {}),
    headers: {
      'WWW-Authenticate':
        'Bearer realm="svc", error="insufficient_user_authentication", max_age=300',
    },
    extra: {
      challenge_url: call.pagesUrl + '/challenge/' + handle,
      challenge: {
        id,
        status_url: call.apiUrl + '/v1/factor_challenges/' + id,
        expires_at: unixSeconds(now + PENDING_MS),
        methods: ['passkey', 'totp', 'recovery_code'],
      },
    },
  })
}

/** The sealed part of a challenge that this session approved with this form and proof. */
export function sealApproved(
  { seal, unseal }: Pick<HttpServices, 'seal' | 'unseal'>,
  sealed: string,
  approvedWith: string | null,
): string {
  const approved: Sealed = { ...openChallenge(unseal, sealed), approvedWith }
  return seal(SEAL_CONTEXTS.factorChallenge, JSON.stringify(approved))
}

/** The stored form of a secret with 256 random bits. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/**
 * 64 hex digits for a passkey to sign, kept with its evidence for ever. A body may hold a PIN: a
 * bare fingerprint would let anyone guess it. The token has 256 random bits.
 */
export function signedPrint(unseal: Unseal, sealed: string): string {
  const { fingerprint, token } = openChallenge(unseal, sealed)
  return hash('sha256', fingerprint + '\n' + token)
}

export function openChallenge(unseal: Unseal, sealed: string): Sealed {
  const opened = unseal(SEAL_CONTEXTS.factorChallenge, sealed)
  assert(opened.ok, 'a challenge does not open')
  return JSON.parse(opened.value.toString('utf8')) as Sealed
}
