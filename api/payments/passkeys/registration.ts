// A new passkey as the browser sends it after `navigator.credentials.create`. Attestation is not
// asked for: the passkey commands the holder's own money, so its maker does not matter.
import { createPublicKey } from 'node:crypto'
import type { Result } from '../../../shared/result.ts'
import type { RelyingParty } from '../../http/relying-party.ts'
import { bytesOf, type CeremonyProblem, ceremonyProblem, isBackedUp } from './ceremony.ts'

/** A browser's registration, base64url. */
export interface Registration {
  attestation_object: string
  client_data_json: string
}

export interface NewPasskey {
  credentialId: Buffer
  /** The public point on P-256, 32 bytes each. */
  x: Buffer
  y: Buffer
  backedUp: boolean
}

export type RegistrationProblem = CeremonyProblem | 'algorithm' | 'public_key'

const POINT_BYTES = 32
/** WebAuthn level 3 section 5.8.3. */
const CREDENTIAL_ID_BYTES_MAX = 1023

/** Loaded by the first registration, because it is large. */
type Library = typeof import('@simplewebauthn/server/helpers')

/** The passkey, or the first check that the registration fails. */
export async function readRegistration(
  { attestation_object, client_data_json }: Registration,
  { challenge, party }: { challenge: Uint8Array; party: RelyingParty },
): Promise<Result<NewPasskey, RegistrationProblem>> {
  const library = await import('@simplewebauthn/server/helpers')
  const failed = (error: RegistrationProblem) => ({ ok: false, error }) as const
  const [attestation, client] = [bytesOf(attestation_object), bytesOf(client_data_json)]
  const authenticator = attestation === null ? null : authenticatorOf(library, attestation)
  if (client === null || authenticator === null) return failed('malformed')
  const { authenticatorData, credentialId, publicKey } = authenticator
  const problem = ceremonyProblem(
    { clientDataJson: client.toString(), authenticatorData },
    { type: 'webauthn.create', challenge, party },
  )
  if (problem !== null) return failed(problem)
  const point = pointOf(library, publicKey)
  if (!point.ok) return point
  const backedUp = isBackedUp(authenticatorData)
  return { ok: true, value: { credentialId: Buffer.from(credentialId), ...point.value, backedUp } }
}

interface Authenticator {
  authenticatorData: Uint8Array
  credentialId: Uint8Array
  publicKey: Uint8Array
}

/** Null for bytes of another form. */
function authenticatorOf(library: Library, attestation: Buffer): Authenticator | null {
  const { decodeAttestationObject, parseAuthenticatorData } = library
  try {
    const data = decodeAttestationObject(new Uint8Array(attestation)).get('authData')
    const { credentialID, credentialPublicKey } = parseAuthenticatorData(data)
    if (credentialID === undefined || credentialPublicKey === undefined) return null
    if (credentialID.length > CREDENTIAL_ID_BYTES_MAX) return null
    return { authenticatorData: data, credentialId: credentialID, publicKey: credentialPublicKey }
  } catch {
    return null
  }
}

/** ES256 only: the chain verifies no other signature. The library checks that the curve has it. */
function pointOf(
  { cose, decodeCredentialPublicKey }: Library,
  publicKey: Uint8Array,
): Result<Pick<NewPasskey, 'x' | 'y'>, RegistrationProblem> {
  const key = decodeCredentialPublicKey(new Uint8Array(publicKey))
  if (!cose.isCOSEPublicKeyEC2(key) || key.get(cose.COSEKEYS.alg) !== cose.COSEALG.ES256)
    return { ok: false, error: 'algorithm' }
  if (key.get(cose.COSEKEYS.crv) !== cose.COSECRV.P256) return { ok: false, error: 'algorithm' }
  const [x, y] = [key.get(cose.COSEKEYS.x), key.get(cose.COSEKEYS.y)].map((part) =>
    Buffer.from(part ?? []),
  )
  if (x?.length !== POINT_BYTES || y?.length !== POINT_BYTES || publicKeyOf({ x, y }) === null)
    return { ok: false, error: 'public_key' }
  return { ok: true, value: { x, y } }
}

/** The key of a point; null for a point that is not on the curve. */
export function publicKeyOf({ x, y }: Pick<NewPasskey, 'x' | 'y'>) {
  try {
    const point = { x: x.toString('base64url'), y: y.toString('base64url') }
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', ...point }, format: 'jwk' })
  } catch {
    return null
  }
}
