// Access to the wallet API: the service account's assertion is exchanged for a token, RFC 7523,
// which is kept until it expires.
import { SignJWT } from 'jose'
import { type Clock, type EpochMs, unixSeconds } from '../../../../shared/clock.ts'
import type { Result } from '../../../../shared/result.ts'
import { Type } from '../../../../shared/schema-builders.ts'
import { hasShape } from '../../../../shared/shape.ts'
import type { OutsideCaller } from '../../../http/outside-caller.ts'
import { later, type PushOutcome } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { outcomeOf } from './outcome.ts'

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION_S = 3600
/** A token that expires in transit is useless. */
const MARGIN_MS = 60_000

const Granted = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' }),
  expires_in: Type.Number({ minimum: 1, maximum: 86_400 }),
})

/** A token, or the reason for its absence. */
type Grant = Result<string, PushOutcome>

export interface AccessTokens {
  /** Returns the valid token, shared by simultaneous callers. Never rejects. */
  token(): Promise<Grant>
  /** The API rejected the token: the next call gets a new one. */
  forget(token: string): void
}

export function openAccessTokens(
  issuer: Pick<GoogleIssuer, 'email' | 'keyId' | 'key' | 'tokenUrl'>,
  { outside, clock }: { outside: OutsideCaller; clock: Clock },
): AccessTokens {
  let known: { token: string; until: EpochMs } | null = null
  let asking: Promise<Grant> | null = null
  const ask = async (): Promise<Grant> => {
    const now = clock.nowMs()
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertion(issuer, now) })
    const answer = await outside.call({
      method: 'POST',
      url: issuer.tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    })
    if (!answer.ok) return { ok: false, error: later(answer.error) }
    const outcome = outcomeOf(answer.value)
    if (outcome.kind !== 'taken') return { ok: false, error: outcome }
    const granted = answer.value.body
    if (!hasShape(Granted, granted)) return { ok: false, error: later('no_token') }
    const { access_token: token, expires_in: seconds } = granted
    known = { token, until: now + seconds * 1000 - MARGIN_MS }
    return { ok: true, value: token }
  }
  return {
    async token() {
      if (known !== null && clock.nowMs() < known.until) return { ok: true, value: known.token }
      asking ??= ask().finally(() => {
        asking = null
      })
      return asking
    },
    forget(token) {
      if (known?.token === token) known = null
    },
  }
}

function assertion(
  { email, keyId, key, tokenUrl }: Pick<GoogleIssuer, 'email' | 'keyId' | 'key' | 'tokenUrl'>,
  now: EpochMs,
): Promise<string> {
  const issuedAt = unixSeconds(now)
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keyId })
    .setIssuer(email)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_S)
    .sign(key)
}
