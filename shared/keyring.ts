// Master keys (never in Postgres) seal secrets at rest; one random root, itself sealed, derives the
// keyed hashes.
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'
import { HmacKey, writeLatin1 } from './hmac-key.ts'
import type { Result } from './result.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 's1'

export interface MasterKey {
  id: string
  bytes: Buffer
  /** True when `npm start` made it; live refuses such a key. */
  generated: boolean
}

/** Current key first; the others only open values that were sealed before a rekey. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]]

/** Parses `id:base64[,id:base64…]` (also one per line). Ids 1–16 of a–z, 0–9; keys 32 bytes. */
export function parseMasterKeys(text: string, generated: boolean): Result<MasterKeys, string> {
  const keys: MasterKey[] = []
  for (const item of text.split(/[,\n]/)) {
    const entry = item.trim()
    if (entry === '') continue
    const colon = entry.indexOf(':')
    const id = entry.slice(0, colon)
    const bytes = Buffer.from(entry.slice(colon + 1), 'base64')
    if (colon < 1 || !/^[a-z0-9]{1,16}$/.test(id) || bytes.length !== KEY_BYTES) {
      return {
        ok: false,
        error: 'each master key is <id>:<base64 of 32 bytes>, ids of a-z and 0-9',
      }
    }
    keys.push({ id, bytes, generated })
  }
  const [first, ...rest] = keys
  if (first === undefined) return { ok: false, error: 'no master key given' }
  return { ok: true, value: [first, ...rest] }
}

/** A fresh master key as a line of `master.key`. */
export function newMasterKeyText(): string {
  return 'k' + randomBytes(4).toString('hex') + ':' + randomBytes(KEY_BYTES).toString('base64')
}

/**
 * AES-256-GCM under the current master key: `s1:<key id>:<base64url of iv, tag, ciphertext>`.
 * `context` is authenticated.
 */
export function seal(keys: MasterKeys, context: string, plaintext: string | Buffer): string {
  const key = keys[0]
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return (
    FORMAT +
    ':' +
    key.id +
    ':' +
    Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
  )
}

/** The plaintext, or the reason it cannot be opened (never the text itself). */
export function unseal(keys: MasterKeys, context: string, sealed: string): Result<Buffer, string> {
  const [format, keyId, body, ...rest] = sealed.split(':')
  if (format !== FORMAT || keyId === undefined || body === undefined || rest.length > 0) {
    return { ok: false, error: 'not a sealed value' }
  }
  const key = keys.find((candidate) => candidate.id === keyId)
  if (key === undefined)
    return { ok: false, error: 'sealed under master key ' + keyId + ', which is not configured' }
  const bytes = Buffer.from(body, 'base64url')
  if (bytes.length < IV_BYTES + TAG_BYTES) return { ok: false, error: 'not a sealed value' }
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return {
      ok: true,
      value: Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]),
    }
  } catch {
    return { ok: false, error: 'sealed value does not open under master key ' + keyId }
  }
}

export type Unseal = (context: string, sealed: string) => Result<Buffer, string>

/**
 * Opens values in a process that runs on: a rekey adds a key meanwhile, so a value that does not
 * open has them read again.
 */
export function unsealer(first: MasterKeys, load: () => Result<MasterKeys, string>): Unseal {
  let keys = first
  return (context, sealed) => {
    const opened = unseal(keys, context, sealed)
    if (opened.ok) return opened
    const loaded = load()
    if (!loaded.ok) return loaded
    keys = loaded.value
    return unseal(keys, context, sealed)
  }
}

export type Seal = (context: string, plaintext: string) => string

/** Seals in a process that runs on. The keys are read afresh: a rekey replaces the current one. */
export function sealer(first: MasterKeys, load: () => Result<MasterKeys, string>): Seal {
  return (context, plaintext) => {
    const loaded = load()
    return seal(loaded.ok ? loaded.value : first, context, plaintext)
  }
}

/** Contexts bind a sealed value to its place, so that one cannot be moved to another column. */
export const SEAL_CONTEXTS = {
  root: 'derivation-root',
  pan: 'card-pan',
  webhookSecret: 'webhook-secret',
  networkSecret: 'network-secret',
  idempotencyKey: 'idempotency-key',
  totpSecret: 'totp-secret',
  factorChallenge: 'factor-challenge',
  generatorOffer: 'generator-offer',
  accountChange: 'account-change',
  mail: 'mail',
  passkeyCeremony: 'passkey-ceremony',
  sponsorKey: 'sponsor-key',
  erasedIdentity: 'erased-identity',
} as const

/**
 * Keyed hashes derived from the root. Chosen: the root, itself sealed, survives a rekey, so no
 * fingerprint and no CVC changes.
 */
export interface Derivation {
  /** 32 hex characters that stand for a PAN. PCI DSS 3.5.1.1: keyed, never a bare hash. */
  fingerprint(pan: string): string
  /** The three-digit CVC of a PAN and expiry. Chosen: derived, never stored anywhere. */
  cvc(pan: string, expMonth: number, expYear: number): string
  /** 32 hex characters that verify a CVC against a card without revealing it. */
  cvcVerifier(fingerprint: string, cvc: string): string
  /** 32 hex characters that verify a PIN against a card without revealing it. */
  pinVerifier(fingerprint: string, pin: string): string
  /** 16 bytes naming a message: network and id. */
  messageKey(network: string, messageId: string): Buffer
  /** 8 bytes over the content of a message that a repeat must share. */
  contentHash(content: string): Buffer
  /** `areq_…`: the same for every attempt to decide one message. */
  requestId(messageKey: Buffer): string
}

export const ROOT_BYTES = KEY_BYTES
const REQUEST_ID_BYTES = 16

/**
 * Every keyed hash of an installation from its root of ROOT_BYTES; the same root gives the same
 * hashes for ever.
 */
export function deriveKeys(root: Buffer, encodeId: (bytes: Uint8Array) => string): Derivation {
  const keyFor = (purpose: string): Buffer => createHmac('sha256', root).update(purpose).digest()
  const panKey = new HmacKey(keyFor('pan-fingerprint'))
  const cvcKey = keyFor('cvc')
  const verifierKey = new HmacKey(keyFor('cvc-verifier'))
  const pinKey = new HmacKey(keyFor('pin-verifier'))
  // Truncated keyed SHA-256 over fixed-length key plus text: one call instead of a two-pass HMAC on
  // the hot line.
  const messagePrefix = keyFor('message-key').toString('base64')
  const contentPrefix = keyFor('content-hash').toString('base64')
  const requestPrefix = keyFor('authorization-request').toString('base64')
  /** Only ever used within one call. */
  const requestDigest = Buffer.alloc(REQUEST_ID_BYTES)
  return {
    fingerprint: (pan) => panKey.hexOf(pan).slice(0, 32),
    cvc(pan, expMonth, expYear) {
      const mac = createHmac('sha256', cvcKey)
        .update(pan + '|' + expMonth + '|' + expYear)
        .digest()
      return String(mac.readUInt32BE(0) % 1000).padStart(3, '0')
    },
    cvcVerifier: (fingerprint, cvc) => verifierKey.hexOf(fingerprint + '|' + cvc).slice(0, 32),
    pinVerifier: (fingerprint, pin) => pinKey.hexOf(fingerprint + '|' + pin).slice(0, 32),
    messageKey: (network, messageId) => digestOf(messagePrefix + network + '\0' + messageId, 16),
    contentHash: (content) => digestOf(contentPrefix + content, 8),
    requestId(messageKey) {
      const digest = hash('sha256', requestPrefix + messageKey.toString('hex'), 'binary')
      writeLatin1(requestDigest, 0, digest, REQUEST_ID_BYTES)
      return 'areq_' + encodeId(requestDigest)
    },
  }
}

/**
 * The first bytes of a SHA-256. As text in between: a buffer of the library's own costs more than
 * the digest.
 */
function digestOf(text: string, bytes: number): Buffer {
  const digest = Buffer.allocUnsafe(bytes)
  writeLatin1(digest, 0, hash('sha256', text, 'binary'), bytes)
  return digest
}
