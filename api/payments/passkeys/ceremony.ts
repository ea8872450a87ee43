// The checks that enrolling a passkey and approving with it share, in the order of WebAuthn level 3
// sections 7.1 and 7.2. Each failure has a name for programs.
import { createHash } from 'node:crypto'
import type { RelyingParty } from '../../http/relying-party.ts'

export type CeremonyProblem =
  | 'malformed'
  | 'type'
  | 'challenge'
  | 'origin'
  | 'rp_id'
  | 'user_present'
  | 'user_verified'

export interface Ceremony {
  type: 'webauthn.create' | 'webauthn.get'
  challenge: Uint8Array
  party: RelyingParty
}

const RP_ID_BYTES = 32
const FLAGS_AT = RP_ID_BYTES
/** rpIdHash, flags and the signature counter. */
const AUTHENTICATOR_BYTES_MIN = 37
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKED_UP = 0x10

/** The first check that the client data and the authenticator data fail; null: none. */
export function ceremonyProblem(
  { clientDataJson, authenticatorData }: { clientDataJson: string; authenticatorData: Uint8Array },
  { type, challenge, party }: Ceremony,
): CeremonyProblem | null {
  const client = readClientData(clientDataJson)
  if (client === null || authenticatorData.length < AUTHENTICATOR_BYTES_MIN) return 'malformed'
  if (client['type'] !== type) return 'type'
  if (client['challenge'] !== Buffer.from(challenge).toString('base64url')) return 'challenge'
  if (client['origin'] !== party.origin || client['crossOrigin'] === true) return 'origin'
  const rpIdHash = createHash('sha256').update(party.id).digest()
  if (!rpIdHash.equals(authenticatorData.subarray(0, RP_ID_BYTES))) return 'rp_id'
  const flags = authenticatorData[FLAGS_AT] ?? 0
  if ((flags & USER_PRESENT) === 0) return 'user_present'
  return (flags & USER_VERIFIED) === 0 ? 'user_verified' : null
}

/** Whether an authenticator keeps a copy of the passkey elsewhere. */
export function isBackedUp(authenticatorData: Uint8Array): boolean {
  return ((authenticatorData[FLAGS_AT] ?? 0) & BACKED_UP) !== 0
}

function readClientData(text: string): { readonly [field: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

const BASE64URL = /^[A-Za-z0-9_-]*$/

/** The bytes of unpadded base64url; null for other text. */
export function bytesOf(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !BASE64URL.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
