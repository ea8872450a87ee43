// A new passkey as the browser sends it. Attestation is not asked for: people bring the devices
// they have.
import { COSE } from '../../http/pages/passkey-form.ts'
import type { RelyingParty } from '../../http/relying-party.ts'
import type { PasskeyRow } from './store.ts'

export const ALGORITHMS = [COSE.eddsa, COSE.es256, COSE.rs256] as const

/** A browser's registration, base64url. */
export interface SentRegistration {
  attestation_object: string
  client_data_json: string
  /** Names of transports, between spaces. */
  transports: string
}

type FieldOf = (name: string) => string

/** Null for a form that no passkey filled. */
export function registrationIn(fieldOf: FieldOf): SentRegistration | null {
  const attestation_object = fieldOf('attestation_object')
  if (attestation_object === '') return null
  return {
    attestation_object,
    client_data_json: fieldOf('client_data_json'),
    transports: fieldOf('transports'),
  }
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
/** WebAuthn level 3 section 5.8.3. */
const CREDENTIAL_ID_BYTES_MAX = 1023

export type NewPasskey = Pick<
  PasskeyRow,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'deviceType' | 'backedUp'
>

/** The passkey, or null if any check of WebAuthn level 3 section 7.1 fails. */
export async function verifyRegistration(
  sent: SentRegistration,
  { challenge, party }: { challenge: Buffer; party: RelyingParty },
): Promise<NewPasskey | null> {
  const response = {
    attestationObject: sent.attestation_object,
    clientDataJSON: sent.client_data_json,
  }
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const verified = await verifyRegistrationResponse({
      // The library reads the id of the credential from the attestation; ours sends none beside it.
      response: { id: '-', rawId: '-', type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified.verified) return null
    const { credential, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
    const credentialId = Buffer.from(credential.id, 'base64url')
    if (credentialId.length > CREDENTIAL_ID_BYTES_MAX) return null
    return {
      credentialId,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: TRANSPORTS.filter((name) => sent.transports.split(' ').includes(name)),
      deviceType: credentialDeviceType,
      backedUp: credentialBackedUp,
    }
  } catch {
    // The library throws for every answer that it refuses.
    return null
  }
}
