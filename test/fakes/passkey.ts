// A passkey without a browser: signs as an authenticator does, user present and verified.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const VERIFIED = 0x05

export interface Passkey {
  /** Hex of the public point. */
  x: `0x${string}`
  y: `0x${string}`
  /** `keys` in another order play an authenticator of another maker. */
  sign(challenge: `0x${string}`, options?: { flags?: number; typeFirst?: boolean }): SignedChallenge
}

export interface SignedChallenge {
  authenticatorData: Uint8Array
  clientDataJson: string
  signature: Uint8Array
}

export function createPasskey(origin = 'http://localhost'): Passkey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return {
    x: hexOf(x),
    y: hexOf(y),
    sign(challenge, { flags = VERIFIED, typeFirst = true } = {}) {
      const text = Buffer.from(challenge.slice(2), 'hex').toString('base64url')
      const fields = typeFirst
        ? { type: 'webauthn.get', challenge: text, origin }
        : { origin, challenge: text, type: 'webauthn.get' }
      const clientDataJson = JSON.stringify(fields)
      const host = createHash('sha256').update('localhost').digest()
      const authenticatorData = Buffer.concat([host, Buffer.from([flags, 0, 0, 0, 1])])
      const clientHash = createHash('sha256').update(clientDataJson).digest()
      const signature = signed(Buffer.concat([authenticatorData, clientHash]), privateKey)
      return { authenticatorData, clientDataJson, signature }
    },
  }
}

function signed(bytes: Buffer, key: KeyObject): Buffer {
  return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
}

function hexOf(base64url: string): `0x${string}` {
  return `0x${Buffer.from(base64url, 'base64url').toString('hex').padStart(64, '0')}`
}
