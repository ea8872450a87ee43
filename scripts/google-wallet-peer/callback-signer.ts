// Signs callbacks as Google does, ECv2SigningOnly: published root keys sign an intermediate key,
// which signs messages. Written from the protocol's description; it shares no code with the
// verifier.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Clock, EpochMs } from '../../shared/clock.ts'

const PROTOCOL = 'ECv2SigningOnly'
const SENDER = 'GooglePayPasses'
const DAY_MS = 86_400_000
/** Roots live long, intermediate keys a week; a replaced root stays published for one more day. */
const ROOT_MS = 365 * DAY_MS
const INTERMEDIATE_MS = 7 * DAY_MS

interface SigningKey {
  privateKey: KeyObject
  /** X.509 in base64. */
  keyValue: string
  expiresAt: EpochMs
}

/** A callback's body. */
export interface SignedMessage {
  protocolVersion: string
  signature: string
  intermediateSigningKey: { signedKey: string; signatures: string[] }
  signedMessage: string
}

export class CallbackSigner {
  readonly #clock: Pick<Clock, 'nowMs'>
  #roots: SigningKey[]
  #intermediate: SigningKey

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
    const now = clock.nowMs()
    this.#roots = [newKey(now + ROOT_MS)]
    this.#intermediate = newKey(now + INTERMEDIATE_MS)
  }

  /** Published keys in Google's format, with one for another protocol. */
  published(): { keys: { keyValue: string; protocolVersion: string; keyExpiration: string }[] } {
    const keys = this.#roots.map(({ keyValue, expiresAt }) => ({
      keyValue,
      protocolVersion: PROTOCOL,
      keyExpiration: String(expiresAt),
    }))
    const other = { ...newestOf(keys), protocolVersion: 'ECv2' }
    return { keys: [...keys, other] }
  }

  /** New keys sign from now on; the former root stays published for a day. */
  rotate(): void {
    const now = this.#clock.nowMs()
    const former = { ...newestOf(this.#roots), expiresAt: now + DAY_MS }
    this.#roots = [newKey(now + ROOT_MS), former]
    this.#intermediate = newKey(now + INTERMEDIATE_MS)
  }

  /** Signs a message to one recipient, which is an issuer id. */
  sign(message: object, recipient: string): SignedMessage {
    const { keyValue, expiresAt, privateKey } = this.#intermediate
    // Google escapes the padding like this, and the signature covers that text.
    const signedKey = JSON.stringify({ keyValue, keyExpiration: String(expiresAt) }).replaceAll(
      '=',
      '\\u003d',
    )
    const signedMessage = JSON.stringify(message)
    const root = newestOf(this.#roots)
    return {
      signature: signatureOf(privateKey, [SENDER, recipient, PROTOCOL, signedMessage]),
      intermediateSigningKey: {
        signedKey,
        signatures: [signatureOf(root.privateKey, [SENDER, PROTOCOL, signedKey])],
      },
      protocolVersion: PROTOCOL,
      signedMessage,
    }
  }
}

function newestOf<Item>(items: readonly Item[]): Item {
  const [newest] = items
  if (newest === undefined) throw new Error('there is always a root key')
  return newest
}

function newKey(expiresAt: EpochMs): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const keyValue = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return { privateKey, keyValue, expiresAt }
}

function signatureOf(key: KeyObject, parts: readonly string[]): string {
  const signed = parts.map((part) => {
    const bytes = Buffer.from(part, 'utf8')
    const framed = Buffer.alloc(4 + bytes.length)
    framed.writeInt32LE(bytes.length, 0)
    bytes.copy(framed, 4)
    return framed
  })
  return sign('sha256', Buffer.concat(signed), key).toString('base64')
}
