// How the values of settings are written that are more than a word or a number.
import { resolve } from 'node:path'
import { parseApiKey } from './api-key.ts'
import type { Result } from './result.ts'

/** A row of the table of settings: its default, a sentence about it, and its form. */
export interface Setting<Value> {
  fallback: string
  about: string
  parse(text: string): Result<Value, string>
}

/** Returns the row itself; the compiler infers the type of its value. */
export function setting<Value>(row: Setting<Value>): Setting<Value> {
  return row
}

/** A whole number in this range. */
export function integer(low: number, high: number): (text: string) => Result<number, string> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
    if (value >= low && value <= high) return { ok: true, value }
    return { ok: false, error: 'must be a whole number from ' + low + ' to ' + high }
  }
}

/** A port, or nothing. */
export function optionalPort(text: string): Result<number | null, string> {
  return text === '' ? { ok: true, value: null } : integer(1, 65535)(text)
}

/** An address or a name. Never empty: to the kernel that means every address of the machine. */
export function host(text: string): Result<string, string> {
  return /^[\w.:%-]+$/.test(text)
    ? { ok: true, value: text }
    : { ok: false, error: 'must be an address or a host name' }
}

/** A path, made absolute, or nothing. */
export function optionalPath(text: string): Result<string | null, string> {
  return { ok: true, value: text === '' ? null : resolve(text) }
}

/** Digits, or nothing. */
export function optionalDigits(text: string): Result<string | null, string> {
  return /^\d{0,32}$/.test(text)
    ? { ok: true, value: text === '' ? null : text }
    : { ok: false, error: 'must be digits, 32 at most' }
}

/** Words of lower-case letters and hyphens with commas between them, or nothing. */
export function wordList(text: string): Result<readonly string[], string> {
  if (text === '') return { ok: true, value: [] }
  return /^[a-z-]+(,[a-z-]+)*$/.test(text)
    ? { ok: true, value: text.split(',') }
    : { ok: false, error: 'must be words with commas between them' }
}

/** One of these words. */
export function oneOf<Word extends string>(
  words: readonly Word[],
): (text: string) => Result<Word, string> {
  return (text) => {
    const word = words.find((candidate) => candidate === text)
    return word === undefined
      ? { ok: false, error: 'must be one of ' + words.join(', ') }
      : { ok: true, value: word }
  }
}

/** A URL of one of these protocols, or nothing. The parser behind it needs every % encoded. */
export function optionalUrl(
  protocols: readonly string[],
): (text: string) => Result<string | null, string> {
  return (text) => {
    if (text === '') return { ok: true, value: null }
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) {
      return percentEncoded(text)
        ? { ok: true, value: text }
        : { ok: false, error: 'holds a % that is not followed by two hex digits: write it as %25' }
    }
    return {
      ok: false,
      error: 'must be a URL starting with ' + protocols.map((name) => name + '//').join(' or '),
    }
  }
}

/** A URL of one of these protocols. */
export function requiredUrl(
  protocols: readonly string[],
): (text: string) => Result<string, string> {
  const parse = optionalUrl(protocols)
  return (text) => {
    const parsed = parse(text)
    if (!parsed.ok) return parsed
    const { value } = parsed
    return value === null ? { ok: false, error: 'must not be empty' } : { ok: true, value }
  }
}

/** Whether every part of it can be decoded: a password with a bare % cannot. */
function percentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * A network key and one client that may speak for it: a DNS name, or `sha256:` and 64 hex digits.
 */
export interface ClientRule {
  keyId: string
  client: string
}

/** `<key id>=<client>`, comma-separated; or a sentence about their form. */
export function parseClientRules(text: string): Result<readonly ClientRule[], string> {
  const rules: ClientRule[] = []
  for (const item of text === '' ? [] : text.split(',')) {
    const match = /^([\w-]+)=(sha256:[0-9a-f]{64}|[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/.exec(item.trim())
    if (match === null) {
      return { ok: false, error: 'must be pairs such as nk_1=acquirer.example or nk_1=sha256:…' }
    }
    rules.push({ keyId: match[1] ?? '', client: match[2] ?? '' })
  }
  return { ok: true, value: rules }
}

const SECRET_CHARACTERS_MIN = 16
const SECRETS_MAX = 2

/** One or two secrets, the older first; or a sentence about their form. */
export function parseSecrets(text: string): Result<readonly string[], string> {
  const secrets = text === '' ? [] : text.split(',').map((secret) => secret.trim())
  return secrets.length <= SECRETS_MAX &&
    secrets.every((secret) => secret.length >= SECRET_CHARACTERS_MIN)
    ? { ok: true, value: secrets }
    : { ok: false, error: 'must be one or two secrets of at least 16 characters, comma-separated' }
}

/**
 * A list of people: the directory of an OFAC publication, or a file of politically exposed persons.
 */
export interface ListFile {
  format: 'ofac' | 'pep'
  path: string
}

/** `ofac:/lists/ofac,pep:/lists/pep.csv`; none where the text is empty. */
export function parseLists(text: string): Result<readonly ListFile[], string> {
  const lists: ListFile[] = []
  for (const item of text === '' ? [] : text.split(',')) {
    const match = /^(ofac|pep):(.+)$/.exec(item.trim())
    if (match === null) {
      return { ok: false, error: 'must be lists such as ofac:/lists/ofac,pep:/lists/pep.csv' }
    }
    lists.push({ format: match[1] === 'ofac' ? 'ofac' : 'pep', path: resolve(match[2] ?? '') })
  }
  return { ok: true, value: lists }
}

const DELAY_UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const DELAY_MS_MAX = 7 * 24 * 3_600_000

/** Five delays in milliseconds, each written with its unit; or a sentence about their form. */
export function parseDelays(text: string): Result<readonly number[], string> {
  const delays: number[] = []
  for (const item of text.split(',')) {
    const match = /^(\d{1,9})(ms|s|m|h)?$/.exec(item.trim())
    const delayMs = match === null ? -1 : Number(match[1]) * (DELAY_UNITS[match[2] ?? 'ms'] ?? 1)
    if (delayMs < 0 || delayMs > DELAY_MS_MAX)
      return { ok: false, error: 'must be five delays such as 0,30s,5m,2h,22h' }
    delays.push(delayMs)
  }
  return delays.length === 5
    ? { ok: true, value: delays }
    : { ok: false, error: 'must be exactly five delays, comma-separated' }
}

const DAYS_MIN = 2
const DAYS_MAX = 3650

/** Whole days as milliseconds, written `30d`; or a sentence about their form. */
export function parseDays(text: string): Result<number, string> {
  const match = /^(\d{1,4})d$/.exec(text)
  const days = match === null ? 0 : Number(match[1])
  return days >= DAYS_MIN && days <= DAYS_MAX
    ? { ok: true, value: days * 24 * 3_600_000 }
    : { ok: false, error: 'must be whole days from ' + DAYS_MIN + 'd to ' + DAYS_MAX + 'd' }
}

/** The secret key of a tenant; null when empty. */
export function parseSecretKey(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return parseApiKey(text)?.role === 'secret'
    ? { ok: true, value: text }
    : { ok: false, error: 'must be the secret key of a tenant, svc_sk_…' }
}

/** The id of a network's key; null when empty. */
export function parseNetworkKey(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return /^[0-9A-Za-z_-]{1,64}$/.test(text)
    ? { ok: true, value: text }
    : { ok: false, error: 'must be the id of a network’s key, for example nkey_…' }
}

/** The secret with which a network signs; null when empty. */
export function parseNetworkSecret(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return /^[!-~]{16,256}$/.test(text)
    ? { ok: true, value: text }
    : { ok: false, error: 'must be the secret of a network’s key, for example nsec_…' }
}

/** The credential of an operator, or null. */
export function parseOperatorKey(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return parseApiKey(text)?.role === 'operator'
    ? { ok: true, value: text }
    : { ok: false, error: 'must be the credential of an operator, svc_op_…' }
}
