// Evidence of a passkey's approval: everything that anyone needs to verify the signature again.
/** Base64url, except for the fingerprint. */
export interface Evidence {
  /** The random part of the challenge. */
  nonce: string
  /** 64 hex digits over method, path, query and body of the approved call. */
  fingerprint: string
  credentialId: string
  clientDataJson: string
  authenticatorData: string
  signature: string
  /** COSE key. */
  publicKey: string
}

/** The fields in one order. */
export function evidenceOf(fields: Evidence): Evidence {
  const { nonce, fingerprint, credentialId, clientDataJson } = fields
  const { authenticatorData, signature, publicKey } = fields
  return {
    ...{ nonce, fingerprint, credentialId, clientDataJson },
    ...{ authenticatorData, signature, publicKey },
  }
}
