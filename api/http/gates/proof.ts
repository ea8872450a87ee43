// Checks that the caller of an access token has the key that the token is bound to. RFC 9449. A
// token without a key is never accepted with a proof, and a bound one never without.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'
import { saveState } from '../../access/oauth/index.ts'
import type { GateParts } from './parts.ts'

const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']
/** Chosen: milliseconds between the proof's moment and ours, both ways; as in the library. */
const PROOF_MS = 300_000

interface Bound {
  text: string
  /** The scheme is that of a bound token. */
  isBound: boolean
  /** Thumbprint of the key; null: the token is bound to none. */
  jkt: string | null
}

/** Returns a sentence about a missing or wrong proof; null for a right one. */
export async function proofProblem(
  parts: GateParts,
  request: FastifyRequest,
  { text, isBound, jkt }: Bound,
): Promise<string | null> {
  const { dpop } = request.headers
  if (!isBound) return 'This token is bound to a key: send it as "Authorization: DPoP <token>".'
  if (jkt === null)
    return 'This token is bound to no key: send it as "Authorization: Bearer <token>".'
  if (typeof dpop !== 'string' || dpop.includes(','))
    return 'Send one proof of the token\u2019s key in the header DPoP.'
  const claims = await verified(dpop)
  if (claims === null || claims['jkt'] !== jkt)
    return 'The proof is not signed with the token\u2019s key.'
  const { htm, htu, ath, iat, jti } = claims
  if (htm !== request.method || !isAddressOf(parts, request, htu))
    return 'The proof belongs to another call.'
  if (ath !== hash('sha256', text, 'base64url')) return 'The proof belongs to another token.'
  if (typeof iat !== 'number' || Math.abs(iat * 1000 - request.admittedAtMs) > PROOF_MS)
    return 'The proof is not of this moment.'
  if (typeof jti !== 'string' || jti === '') return 'The proof has no jti.'
  return (await isNew(parts, request, jkt + jti)) ? null : 'The proof was used already.'
}

async function verified(proof: string): Promise<{ readonly [claim: string]: unknown } | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: ALGORITHMS,
      typ: 'dpop+jwt',
    })
    const { jwk } = protectedHeader
    return jwk === undefined ? null : { ...payload, jkt: await calculateJwkThumbprint(jwk) }
  } catch {
    return null
  }
}

/** Scheme and host are those of our own address: a Host header decides nothing. */
function isAddressOf({ publicUrl }: GateParts, { url }: FastifyRequest, htu: unknown): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false
  const named = new URL(htu)
  const own = new URL(publicUrl + url)
  return named.origin === own.origin && named.pathname === own.pathname
}

/** Each proof counts once, in every process. */
async function isNew(parts: GateParts, request: FastifyRequest, id: string): Promise<boolean> {
  return saveState(parts.sql, {
    hash: hash('sha256', id, 'buffer'),
    kind: 'proof',
    payload: {},
    endsAt: request.admittedAtMs + 2 * PROOF_MS,
  })
}
