// Checks that the caller of an access token has the key that the token is bound to. RFC 9449. A
// token without a key is never accepted with a proof, and a bound one never without.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'
import { saveState } from '../../access/oauth/index.ts'
import type { GateParts } from './parts.ts'

const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']
/** Longer than any nonce of ours counts: a proof is forgotten only when it is of no use. */
const PROOF_MS = 600_000

interface Bound {
  text: string
  /** The scheme is that of a bound token. */
  isBound: boolean
  /** Thumbprint of the key; null: the token is bound to none. */
  jkt: string | null
}

/** The outcome of a check. */
export interface ProofCheck {
  /** A sentence about a missing or wrong proof; null for a right one. */
  problem: string | null
  /** The error of RFC 9449 for the problem. */
  error: 'invalid_dpop_proof' | 'use_dpop_nonce'
  /** Nonce for the caller's next proof; null where the caller has it already. */
  nonce: string | null
}

/**
 * RFC 9449 9: a proof without a nonce of ours is refused with a nonce, and a caller whose nonce
 * grows old is told the next one. The nonce shows the age of a proof, whatever the caller's clock.
 */
export async function checkProof(
  parts: GateParts,
  request: FastifyRequest,
  bound: Bound,
): Promise<ProofCheck> {
  const { dpop } = request.headers
  if (!bound.isBound)
    return wrong('This token is bound to a key: send it as "Authorization: DPoP <token>".')
  if (bound.jkt === null)
    return wrong('This token is bound to no key: send it as "Authorization: Bearer <token>".')
  if (typeof dpop !== 'string' || dpop.includes(','))
    return wrong('Send one proof of the token\u2019s key in the header DPoP.')
  const claims = await verified(dpop)
  if (claims === null || claims['jkt'] !== bound.jkt)
    return wrong('The proof is not signed with the token\u2019s key.')
  const problem = claimsProblem(parts, request, { claims, text: bound.text })
  if (problem !== null) return wrong(problem)
  const nonces = await parts.nonces()
  const next = nonces.next(request.admittedAtMs)
  const { nonce, jti } = claims
  if (typeof nonce !== 'string' || !nonces.accepts(nonce, request.admittedAtMs))
    return { problem: NO_NONCE, error: 'use_dpop_nonce', nonce: next }
  if (!(await isNew(parts, request, bound.jkt + String(jti))))
    return wrong('The proof was used already.')
  return { problem: null, error: 'invalid_dpop_proof', nonce: nonce === next ? null : next }
}

const NO_NONCE =
  'Put the value of the header DPoP-Nonce into the proof as nonce, and repeat the call.'

function wrong(problem: string): ProofCheck {
  return { problem, error: 'invalid_dpop_proof', nonce: null }
}

function claimsProblem(
  parts: GateParts,
  request: FastifyRequest,
  { claims, text }: { claims: Claims; text: string },
): string | null {
  const { htm, htu, ath, iat, jti } = claims
  if (htm !== request.method || !isAddressOf(parts, request, htu))
    return 'The proof belongs to another call.'
  if (ath !== hash('sha256', text, 'base64url')) return 'The proof belongs to another token.'
  if (typeof iat !== 'number') return 'The proof has no iat.'
  return typeof jti === 'string' && jti !== '' ? null : 'The proof has no jti.'
}

interface Claims {
  readonly [claim: string]: unknown
}

async function verified(proof: string): Promise<Claims | null> {
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
    endsAt: request.admittedAtMs + PROOF_MS,
  })
}
