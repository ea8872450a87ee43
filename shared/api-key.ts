// An API key as text: prefix, 43 random characters, checksum. Spec 5.1. The checksum tells a typing
// error or a scanner's false find from a key without the database. The database stores the SHA-256
// of the whole text. Operators of the installation, platforms and their tokens have credentials of
// the same form.
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from './wire/config-records.ts'

export type KeyRole = 'secret' | 'publishable'
export type KeyScope = 'read' | 'write' | 'admin'

/** Widest last: a scope includes every scope before it. Spec 5.1. */
export const KEY_SCOPES: readonly KeyScope[] = ['read', 'write', 'admin']

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 characters of 62 carry 256 bits. */
const RANDOM_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6
/**
 * The largest multiple of 62 in a byte; higher bytes are drawn again, so that no character is
 * likelier.
 */
const UNBIASED_BELOW = 248

const SHAPE = /^svc_(?:(sk|pk|at)_(sandbox|live)|op)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const ROLES = { sk: 'secret', pk: 'publishable', at: 'access_token' } as const

/**
 * Credentials of OAuth: access token, refresh token, authorization code, secret of a client.
 * Spec 5.2.
 */
export type OauthText = 'at' | 'rt' | 'ac' | 'cs'

/** A fresh key. Shown exactly once; only `apiKeyHash` of it is kept. */
export function newApiKey(role: KeyRole, environment: Environment): string {
  const body = apiKeyPrefix(role, environment) + randomText()
  return body + checksumOf(body)
}

/**
 * A fresh credential of an operator: `svc_op_…`. Shown exactly once; only `apiKeyHash` of it is
 * kept.
 */
export function newOperatorKey(): string {
  const body = 'svc_op_' + randomText()
  return body + checksumOf(body)
}

/**
 * A fresh credential of OAuth. The secret of a client is shown exactly once; only `apiKeyHash` of
 * any of them is kept.
 */
export function newOauthText(
  kind: OauthText,
  environment: Environment,
  random: (bytes: number) => Uint8Array = randomBytes,
): string {
  const body = 'svc_' + kind + '_' + environment + '_' + randomText(random)
  return body + checksumOf(body)
}

/**
 * Role and environment, as the text of a credential states them. An operator's credential belongs
 * to no environment.
 */
export type ParsedKey =
  | { role: KeyRole | 'access_token'; environment: Environment }
  | { role: 'operator'; environment: null }

/** Returns the beginning of every key of this kind. Spec 5.1. */
export function apiKeyPrefix(role: KeyRole, environment: Environment): string {
  return 'svc_' + (role === 'secret' ? 'sk' : 'pk') + '_' + environment + '_'
}

/**
 * Reads role and environment from a key's text, or returns null if the text cannot be a key of
 * ours. A result does not prove that the key exists.
 */
export function parseApiKey(text: string): ParsedKey | null {
  const match = SHAPE.exec(text)
  if (match === null) return null
  if (checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)) !== match[4]) return null
  if (match[1] === undefined) return { role: 'operator', environment: null }
  return {
    role: ROLES[match[1] as keyof typeof ROLES],
    environment: match[2] === 'live' ? 'live' : 'sandbox',
  }
}

/** The 32 bytes that stand for a key at rest. A bare hash is enough for 256 random bits. */
export function apiKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function randomText(random: (bytes: number) => Uint8Array = randomBytes): string {
  let text = ''
  while (text.length < RANDOM_CHARACTERS) {
    for (const byte of random(RANDOM_CHARACTERS)) {
      if (byte < UNBIASED_BELOW && text.length < RANDOM_CHARACTERS) text += ALPHABET[byte % 62]
    }
  }
  return text
}

function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
