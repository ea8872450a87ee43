// A passkey without a browser: signs as an authenticator does, user present and verified.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'

const VERIFIED = 0x05
/** The authenticator data carries a new credential. */
const ATTESTED = 0x40
const CREDENTIAL_BYTES = 16

/** A passkey for a later process. */
export interface KeptPasskey {
  /** PEM of the private key. */
  key: string
  /** The credential's id, base64url. */
  id: string
}

export interface Passkey {
  keep(): KeptPasskey
  /** Hex of the public point. */
  x: `0x${string}`
  y: `0x${string}`
  /** `keys` in another order play an authenticator of another maker. */
  sign(challenge: `0x${string}`, options?: { flags?: number; typeFirst?: boolean }): SignedChallenge
  /** The answer of `navigator.credentials.create`, as our page sends it. */
  register(challenge: Uint8Array, changes?: Changes): { [field: string]: string }
  /** The answer of `navigator.credentials.get`, as our page sends it. */
  assert(challenge: Uint8Array, changes?: Changes): SentFields
}

export type SentFields = Record<
  'credential_id' | 'authenticator_data' | 'client_data_json' | 'signature',
  string
>

/** Deviations from a right answer. */
export interface Changes {
  flags?: number
  type?: string
  origin?: string
  rpId?: string
  /** COSE algorithm of the public key. */
  algorithm?: number
  /** A point that is not on the curve. */
  offCurve?: boolean
  credentialId?: Uint8Array
}

export interface SignedChallenge {
  authenticatorData: Uint8Array
  clientDataJson: string
  signature: Uint8Array
}

export function createPasskey(origin = 'http://localhost', kept?: KeptPasskey): Passkey {
  const privateKey =
    kept === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : createPrivateKey(kept.key)
  const publicKey = createPublicKey(privateKey)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const ownId =
    kept === undefined ? randomBytes(CREDENTIAL_BYTES) : Buffer.from(kept.id, 'base64url')
  const clientData = (challenge: Uint8Array, type: string, from = origin): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: Buffer.from(challenge).toString('base64url'),
        origin: from,
      }),
    )
  const party = new URL(origin).hostname
  return {
    keep: () => ({
      key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      id: ownId.toString('base64url'),
    }),
    register(challenge, changes = {}) {
      const { flags = VERIFIED, type = 'webauthn.create', rpId = party } = changes
      const point = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
      if (changes.offCurve === true) point.y = Buffer.alloc(point.y.length, 1)
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, ownId.length]),
        ownId,
        coseKey(point, changes.algorithm ?? -7),
      ])
      const data = Buffer.concat([authenticatorHead(rpId, flags | ATTESTED), credential])
      return {
        attestation_object: attestationObject(data).toString('base64url'),
        client_data_json: clientData(challenge, type, changes.origin).toString('base64url'),
      }
    },
    assert(challenge, changes = {}) {
      const { flags = VERIFIED, type = 'webauthn.get', rpId = party } = changes
      const data = authenticatorHead(rpId, flags)
      const client = clientData(challenge, type, changes.origin)
      const clientHash = createHash('sha256').update(client).digest()
      return {
        credential_id: Buffer.from(changes.credentialId ?? ownId).toString('base64url'),
        authenticator_data: data.toString('base64url'),
        client_data_json: client.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, clientHash]), privateKey).toString(
          'base64url',
        ),
      }
    },
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

function authenticatorHead(rpId: string, flags: number): Buffer {
  const host = createHash('sha256').update(rpId).digest()
  return Buffer.concat([host, Buffer.from([flags, 0, 0, 0, 1])])
}

/** RFC 9052: a map of key type, algorithm, curve and point, in CTAP2's order. */
function coseKey({ x, y }: { x: Buffer; y: Buffer }, algorithm: number): Buffer {
  const negative = Buffer.from([0x20 | (-1 - algorithm)])
  const head = Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03]), negative])
  return Buffer.concat([
    head,
    Buffer.from([0x20, 0x01, 0x21, 0x58, 32]),
    x,
    Buffer.from([0x22, 0x58, 32]),
    y,
  ])
}

/** CBOR of `{ fmt: 'none', attStmt: {}, authData }`. */
function attestationObject(data: Buffer): Buffer {
  const text = (value: string): Buffer => Buffer.from([0x60 | value.length, ...Buffer.from(value)])
  const head = [
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
  ]
  return Buffer.concat([...head, text('authData'), Buffer.from([0x58, data.length]), data])
}
