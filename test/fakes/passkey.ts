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

/** A signature of r and s in DER, as browsers give it. */
export function derOf(signature: Uint8Array): Buffer {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const from = number.findIndex((byte) => byte !== 0)
    const digits = Buffer.from(number.subarray(from))
    const positive = (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.alloc(1), digits])
    return Buffer.concat([Buffer.from([0x02, positive.length]), positive])
  })
  const body = Buffer.concat(integers)
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
}

function hexOf(base64url: string): `0x${string}` {
  return `0x${Buffer.from(base64url, 'base64url').toString('hex').padStart(64, '0')}`
}
