// A passkey's answer as the browser sends it, and its checks.
import type { RelyingParty } from '../../http/relying-party.ts'
import type { PasskeyRow } from './store.ts'

/** A browser's assertion, base64url. */
export interface SentAssertion {
  credential_id: string
  authenticator_data: string
  client_data_json: string
  signature: string
  /** Empty where the device does not say. */
  user_handle: string
}

export interface VerifiedAssertion {
  counter: number
  backedUp: boolean
}

/**
 * Null if any check of WebAuthn level 3 section 7.2 fails: type, challenge, origin, rp id, person
 * present and verified, signature, and the person that the device names.
 */
export async function verifyAssertion(
  sent: SentAssertion,
  { passkey, challenge, party }: { passkey: PasskeyRow; challenge: Buffer; party: RelyingParty },
): Promise<VerifiedAssertion | null> {
  const { credential_id: id, user_handle: userHandle } = sent
  if (userHandle !== '' && userHandle !== passkey.userHandle.toString('base64url')) return null
  const response = {
    authenticatorData: sent.authenticator_data,
    clientDataJSON: sent.client_data_json,
    signature: sent.signature,
  }
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // A lower counter is told, never refused: the caller compares.
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    })
    const { newCounter: counter, credentialBackedUp: backedUp } = authenticationInfo
    return verified ? { counter, backedUp } : null
  } catch {
    // The library throws for every answer that it refuses.
    return null
  }
}
