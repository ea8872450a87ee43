// ECv2SigningOnly, the signature scheme of Google's callbacks: a published root key signs an
// intermediate key, which signs the message. Both signatures cover the sender too; the message's
// covers its recipient, so a message for another issuer is rejected. Pure: keys and time are
// arguments.
import { type KeyObject, verify } from 'node:crypto'
import type { Static } from 'typebox'
import type { EpochMs } from '../../../../shared/clock.ts'
import type { Result } from '../../../../shared/result.ts'
import { Type } from '../../../../shared/schema-builders.ts'
import { hasShape } from '../../../../shared/shape.ts'
import { parsedJson } from '../../../http/outside-caller.ts'
import { p256KeyIn } from '../p256-key.ts'

const CALLBACK_PROTOCOL = 'ECv2SigningOnly'
const SENDER = 'GooglePayPasses'
const SIGNATURES_MAX = 8

const Base64 = Type.String({ minLength: 4, maxLength: 512, pattern: '^[A-Za-z0-9+/]+={0,2}$' })
/** Milliseconds, which Google writes as text in keys and as a number in messages. */
const Moment = Type.Union([
  Type.String({ pattern: '^\\d{1,15}$' }),
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
])
const Name = Type.String({ pattern: '^[0-9A-Za-z._-]{1,200}$' })

/** A callback as received. Google may send more fields, now or later. */
export const SignedCallback = Type.Object({
  protocolVersion: Type.Literal(CALLBACK_PROTOCOL),
  signature: Base64,
  intermediateSigningKey: Type.Object({
    signedKey: Type.String({ maxLength: 2048 }),
    signatures: Type.Array(Base64, { minItems: 1, maxItems: SIGNATURES_MAX }),
  }),
  signedMessage: Type.String({ maxLength: 8192 }),
})
export type SignedCallback = Static<typeof SignedCallback>

const SignedKey = Type.Object({ keyValue: Base64, keyExpiration: Moment })

const Message = Type.Object({
  classId: Name,
  objectId: Name,
  eventType: Type.Enum(['save', 'del']),
  expTimeMillis: Moment,
  nonce: Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' }),
})

/** Google's report: an object was added to a wallet, or removed. */
export interface GoogleCallback {
  objectId: string
  eventType: 'save' | 'del'
  expiresAt: EpochMs
  nonce: string
}

export interface RootKey {
  key: KeyObject
  /** The key is invalid from then on. */
  expiresAt: EpochMs
}

/**
 * `unvouched`: no currently valid root key signed the intermediate key. `forged`: the intermediate
 * key did not sign this message for this recipient. `expired`: the intermediate key or the message
 * is no longer valid. `unreadable`: the message is signed, but its content is unknown.
 */
export type CallbackProblem = 'unvouched' | 'forged' | 'expired' | 'unreadable'

export interface Verifying {
  roots: readonly RootKey[]
  /** The issuer id. */
  recipient: string
  now: EpochMs
}

export function verifyCallback(
  callback: SignedCallback,
  { roots, recipient, now }: Verifying,
): Result<GoogleCallback, CallbackProblem> {
  const { signedKey, signatures } = callback.intermediateSigningKey
  const vouched = signedBytes([SENDER, CALLBACK_PROTOCOL, signedKey])
  const valid = roots.filter(({ expiresAt }) => now < expiresAt)
  if (!signatures.some((signature) => valid.some(({ key }) => signs(key, vouched, signature))))
    return { ok: false, error: 'unvouched' }
  const said = parsedJson(Buffer.from(signedKey))
  const key = hasShape(SignedKey, said) ? p256KeyIn(said.keyValue) : null
  if (!hasShape(SignedKey, said) || key === null) return { ok: false, error: 'unvouched' }
  if (now >= Number(said.keyExpiration)) return { ok: false, error: 'expired' }
  const signed = signedBytes([SENDER, recipient, CALLBACK_PROTOCOL, callback.signedMessage])
  if (!signs(key, signed, callback.signature)) return { ok: false, error: 'forged' }
  const message = parsedJson(Buffer.from(callback.signedMessage))
  if (!hasShape(Message, message)) return { ok: false, error: 'unreadable' }
  const { objectId, eventType, nonce } = message
  const expiresAt = Number(message.expTimeMillis)
  if (now >= expiresAt) return { ok: false, error: 'expired' }
  return { ok: true, value: { objectId, eventType, expiresAt, nonce } }
}

/** Each part follows its length in four bytes, little-endian: no part can run into the next. */
export function signedBytes(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )
}

function signs(key: KeyObject, signed: Buffer, signature: string): boolean {
  return verify('sha256', signed, key, Buffer.from(signature, 'base64'))
}

const PublishedKey = Type.Object({
  keyValue: Base64,
  protocolVersion: Type.String(),
  keyExpiration: Moment,
})
const Published = Type.Object({ keys: Type.Array(Type.Unknown(), { maxItems: 100 }) })

/** Returns Google's published keys for this protocol; null if the document is no key list. */
export function rootKeysIn(document: unknown): RootKey[] | null {
  if (!hasShape(Published, document)) return null
  return document.keys.flatMap((entry) => {
    // Keys for unknown protocols may have any form.
    if (!hasShape(PublishedKey, entry) || entry.protocolVersion !== CALLBACK_PROTOCOL) return []
    const key = p256KeyIn(entry.keyValue)
    return key === null ? [] : [{ key, expiresAt: Number(entry.keyExpiration) }]
  })
}
