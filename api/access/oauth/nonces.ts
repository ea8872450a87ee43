// Nonces for proofs of possession, RFC 9449 8 and 9. The library makes and checks the same ones at
// its endpoints, from the same secret: a nonce of a token's answer is good for the first call of
// the API, and the other way round.
import { hkdfSync, timingSafeEqual } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { type OauthKeys, openOauthKeys } from '../../database/derivation.ts'
import type { HttpServices } from '../../http/services.ts'

/** A nonce is made for a minute. */
const STEP_MS = 60_000
/** Minutes before and after the present one whose nonces count, for clocks that differ. */
const STEPS = [-2, -1, 0, 1, 2] as const
/** The newest: callers who are told it may use it longest before they are told another. */
const NEXT = 1
const NONCE_BYTES = 32
/** Part of what the library derives its nonces from. */
const INFO = 'DPoP'

type Keys = Pick<OauthKeys, 'nonceSecret'>

export class Nonces {
  readonly #secret: Buffer
  #step = Number.NaN
  #known: ReadonlyMap<number, string> = new Map()

  constructor({ nonceSecret }: Keys) {
    this.#secret = nonceSecret
  }

  /** The nonce for the next proof. */
  next(now: EpochMs): string {
    return this.#at(now).get(NEXT) ?? ''
  }

  /** True for a nonce of ours that is not too old. */
  accepts(nonce: string, now: EpochMs): boolean {
    return [...this.#at(now).values()].some((own) => areEqual(own, nonce))
  }

  #at(now: EpochMs): ReadonlyMap<number, string> {
    const step = Math.floor(now / STEP_MS)
    if (step !== this.#step) {
      this.#known = new Map(STEPS.map((ahead) => [ahead, this.#make(step + ahead)]))
      this.#step = step
    }
    return this.#known
  }

  #make(step: number): string {
    const salt = Buffer.alloc(8)
    // The library counts steps in 32 bits.
    salt.writeInt32BE(step >> 0, 4)
    return Buffer.from(hkdfSync('sha256', this.#secret, salt, INFO, NONCE_BYTES)).toString(
      'base64url',
    )
  }
}

function areEqual(own: string, given: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Reads the secret at the first call: it is in the database. */
export function nonceSource(services: Pick<HttpServices, 'sql' | 'unseal'>): () => Promise<Nonces> {
  let opening: Promise<Nonces> | null = null
  return async () => {
    opening ??= openOauthKeys(services.sql, services).then((keys) => new Nonces(keys))
    try {
      return await opening
    } catch (error) {
      opening = null
      throw error
    }
  }
}
