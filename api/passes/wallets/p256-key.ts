// Public keys of the curve P-256 in their usual exchange format: X.509 SubjectPublicKeyInfo in
// base64.
import { createPublicKey, type KeyObject } from 'node:crypto'

/** Null when the text is no such key. */
export function p256KeyIn(text: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    return null
  }
}
