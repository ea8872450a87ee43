// Access to the wallet API: a service account shows a signed assertion and gets a token for an
// hour. This file also decides which save links are valid.
import { type KeyObject, randomBytes } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { PeerAnswer } from '../peer-http.ts'

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_S = 3599
const ASSERTION_S_MAX = 3600
/** Longest link that every browser accepts. */
const LINK_CHARACTERS_MAX = 1800

export interface PeerAccount {
  email: string
  keyId: string
  publicKey: KeyObject
}

export class Access {
  readonly #account: PeerAccount
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #tokens = new Map<string, EpochMs>()

  constructor(account: PeerAccount, clock: Pick<Clock, 'nowMs'>) {
    this.#account = account
    this.#clock = clock
  }

  /** Number of granted tokens. */
  get granted(): number {
    return this.#tokens.size
  }

  /** Revokes all granted tokens. */
  revokeAll(): void {
    for (const token of this.#tokens.keys()) this.#tokens.set(token, 0)
  }

  /** Answers the token endpoint, which is the assertion's audience. RFC 7523. */
  async grant(form: string, audience: string): Promise<PeerAnswer> {
    const given = new URLSearchParams(form)
    if (given.get('grant_type') !== GRANT) return refusal('unsupported_grant_type')
    const assertion = given.get('assertion') ?? ''
    const claims = await this.#verified(assertion, audience, ['iat', 'exp'])
    if (claims === null) return refusal('invalid_grant')
    if (claims['scope'] !== SCOPE) return refusal('invalid_scope')
    if (Number(claims.exp) - Number(claims.iat) > ASSERTION_S_MAX) return refusal('invalid_grant')
    const token = 'ya29.' + randomBytes(24).toString('base64url')
    this.#tokens.set(token, this.#clock.nowMs() + TOKEN_S * 1000)
    const body = { access_token: token, expires_in: TOKEN_S, token_type: 'Bearer' }
    return { status: 200, body }
  }

  /** True if a call has a valid token. */
  admits(authorization: string | undefined): boolean {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? ''
    return this.#clock.nowMs() < (this.#tokens.get(token) ?? 0)
  }

  /** Returns the ids of the objects in a save link, or a sentence with its error. */
  async objectsIn(link: string): Promise<string[] | string> {
    if (link.length > LINK_CHARACTERS_MAX) return 'The link is too long.'
    const claims = await this.#verified(link, 'google', ['iat'])
    if (claims === null) return 'The link is not signed by an account of the issuer.'
    if (claims['typ'] !== 'savetowallet') return 'The link is none to save a pass by.'
    const { genericObjects } = (claims['payload'] ?? {}) as { genericObjects?: { id?: unknown }[] }
    const ids = (genericObjects ?? []).map(({ id }) => String(id))
    return ids.length === 0 ? 'The link names no object.' : ids
  }

  async #verified(
    token: string,
    audience: string,
    requiredClaims: string[],
  ): Promise<JWTPayload | null> {
    const { email: issuer, keyId, publicKey } = this.#account
    try {
      if (decodeProtectedHeader(token).kid !== keyId) return null
      const { payload } = await jwtVerify(token, publicKey, {
        algorithms: ['RS256'],
        issuer,
        audience,
        requiredClaims,
        currentDate: new Date(this.#clock.nowMs()),
        clockTolerance: 60,
      })
      return payload
    } catch {
      return null
    }
  }
}

function refusal(error: string): PeerAnswer {
  return { status: 400, body: { error, error_description: 'The assertion is not accepted.' } }
}
