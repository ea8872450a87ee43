// Access to the wallet API: an assertion of the service account is exchanged for a token, RFC 7523, which is kept until it runs out.
import { SignJWT } from 'jose'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Clock, type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Result } from '../../../shared/result.ts'
import type { OutsideCaller } from '../../partners/outside-caller.ts'
import { later, type PushOutcome } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { outcomeOf } from './outcome.ts'

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION_S = 3600
/** A token that runs out on the way is as good as none. */
const MARGIN_MS = 60_000

const Granted = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' }),
  expires_in: Type.Number({ minimum: 1, maximum: 86_400 }),
})

/** Null instead of a token: why there is none. */
type Grant = Result<string, PushOutcome>

export interface AccessTokens {
  /** The one that is valid, however many ask for it at once. Never rejects. */
  token(): Promise<Grant>
  /** The API did not take it: the next call asks for another one. */
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
    if (!Value.Check(Granted, granted)) return { ok: false, error: later('no_token') }
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
