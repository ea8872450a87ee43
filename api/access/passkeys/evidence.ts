// Verifies the evidence of an approval again, from its own bytes alone.
import { hash } from 'node:crypto'
import type { Evidence } from '../../write/evidence.ts'
import { challengeOf } from './ceremony.ts'

/** Where the flags of the authenticator data stand, after the hash of the relying party. */
const FLAGS_AT = 32
const PRESENT_AND_VERIFIED = 0x05

/**
 * True if the passkey signed, with its person present and verified, the challenge of exactly the
 * call with this fingerprint.
 */
export async function verifyEvidence(evidence: Evidence): Promise<boolean> {
  const { nonce, fingerprint, clientDataJson, authenticatorData, signature, publicKey } = evidence
  const client = bytes(clientDataJson)
  const data = bytes(authenticatorData)
  const challenge = challengeOf(bytes(nonce), fingerprint).toString('base64url')
  const { verifySignature } = await import('@simplewebauthn/server/helpers')
  try {
    const said: { type?: unknown; challenge?: unknown } = JSON.parse(client.toString('utf8'))
    if (said.type !== 'webauthn.get' || said.challenge !== challenge) return false
    if (((data[FLAGS_AT] ?? 0) & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED) return false
    return await verifySignature({
      signature: new Uint8Array(bytes(signature)),
      data: new Uint8Array(Buffer.concat([data, hash('sha256', client, 'buffer')])),
      credentialPublicKey: new Uint8Array(bytes(publicKey)),
    })
  } catch {
    // Bytes of another form are no evidence.
    return false
  }
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
