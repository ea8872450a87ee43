// A holder's approval as the browser sends it after `navigator.credentials.get`: an assertion of
// the enrolled passkey over a challenge that is computed here from stored terms.
import { createHash, verify } from 'node:crypto'
import type { Result } from '../../../shared/result.ts'
import type { RelyingParty } from '../../http/relying-party.ts'
import { bytesOf, type CeremonyProblem, ceremonyProblem } from './ceremony.ts'
import { publicKeyOf } from './registration.ts'

/** A browser's assertion, base64url. */
export interface SentAssertion {
  credential_id: string
  authenticator_data: string
  client_data_json: string
  /** DER. */
  signature: string
}

/** A verified assertion, as it is kept. */
export interface VerifiedAssertion {
  authenticatorData: Buffer
  clientDataJson: string
  /** r and s, 64 bytes; s is in the lower half of the order. */
  signature: Buffer
}

export type AssertionProblem = CeremonyProblem | 'credential' | 'signature' | 'chain'

export interface Expected {
  credentialId: Uint8Array
  x: Buffer
  y: Buffer
  challenge: Uint8Array
  party: RelyingParty
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const NUMBER_BYTES = 32

/**
 * The assertion, or the first check that it fails: credential, type, challenge, origin, rp id, user
 * present, user verified, signature.
 */
export function verifyAssertion(
  sent: SentAssertion,
  { credentialId, x, y, challenge, party }: Expected,
): Result<VerifiedAssertion, AssertionProblem> {
  const failed = (error: AssertionProblem) => ({ ok: false, error }) as const
  const credential = bytesOf(sent.credential_id)
  const authenticatorData = bytesOf(sent.authenticator_data)
  const client = bytesOf(sent.client_data_json)
  const der = bytesOf(sent.signature)
  if (credential === null || authenticatorData === null || client === null || der === null)
    return failed('malformed')
  if (!credential.equals(credentialId)) return failed('credential')
  const clientDataJson = client.toString()
  const problem = ceremonyProblem(
    { clientDataJson, authenticatorData },
    { type: 'webauthn.get', challenge, party },
  )
  if (problem !== null) return failed(problem)
  // Other bytes than those of the text would not have the same hash on the chain.
  if (!Buffer.from(clientDataJson).equals(client)) return failed('malformed')
  const signature = lowSignature(der)
  const key = publicKeyOf({ x, y })
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(client).digest()])
  if (
    signature === null ||
    key === null ||
    !verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  )
    return failed('signature')
  return { ok: true, value: { authenticatorData, clientDataJson, signature } }
}

/**
 * r and s of a DER signature, s in the lower half of the order: half of all signatures have it in
 * the upper half, and the contract refuses these. Null for bytes of another form.
 */
function lowSignature(der: Buffer): Buffer | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
  const r = integerAt(der, 2)
  const s = r === null ? null : integerAt(der, r.end)
  if (r === null || s === null || s.end !== der.length) return null
  return Buffer.concat([
    bytes32(r.value),
    bytes32(s.value > ORDER / 2n ? ORDER - s.value : s.value),
  ])
}

function integerAt(der: Buffer, at: number): { value: bigint; end: number } | null {
  const length = der[at + 1] ?? 0
  const end = at + 2 + length
  if (der[at] !== 0x02 || length === 0 || length > NUMBER_BYTES + 1 || end > der.length) return null
  const value = BigInt('0x' + der.subarray(at + 2, end).toString('hex'))
  return value > 0n && value < ORDER ? { value, end } : null
}

function bytes32(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * NUMBER_BYTES, '0'), 'hex')
}
