// Identity at Google's wallet: the key file of a service account from Google's console, and the
// issuer id that the account may act for.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Static } from 'typebox'
import { readPem } from '../../../../shared/certificate-files.ts'
import { Type } from '../../../../shared/schema-builders.ts'
import type { Settings } from '../../../../shared/settings.ts'
import { hasShape } from '../../../../shared/shape.ts'
import { parsedJson } from '../../../http/outside-caller.ts'
import { publicUrlOf } from '../../../http/public-url.ts'
import type { GOOGLE_SETTINGS, PUBLIC_URL_SETTINGS } from '../../../setting-names.ts'

const ACCOUNT_SETTING = 'SVC_GOOGLE_WALLET_ACCOUNT'
const RSA_BITS_MIN = 2048

type GoogleSettings = Settings<
  (typeof GOOGLE_SETTINGS)[number] | (typeof PUBLIC_URL_SETTINGS)[number] | 'SVC_ENVIRONMENT'
>

export interface GoogleIssuer {
  /** Digits: prefix of ids of classes and objects, and recipient of Google's callbacks. */
  issuerId: string
  /** Address of the service account, which signs save links and requests access. */
  email: string
  keyId: string
  key: KeyObject
  /** Address that exchanges a signed assertion for access. */
  tokenUrl: string
  /** Bases of the wallet API, and of save links and keys; without a slash at their ends. */
  apiUrl: string
  payUrl: string
  /** Changed passes per second that a dispatcher sends. */
  ratePerS: number
}

/** Google's file has more fields, which the service does not use. */
const KeyFile = Type.Object({
  type: Type.Literal('service_account'),
  client_email: Type.String({ minLength: 3, maxLength: 254 }),
  private_key_id: Type.String({ minLength: 1, maxLength: 128 }),
  private_key: Type.String({ maxLength: 16_384 }),
  token_uri: Type.String({ maxLength: 2048 }),
})

/**
 * Returns null without configuration: then Google's wallet gets no passes. Returns null for invalid
 * settings too: the problems name the error, and never a byte of the key. Live uses https only.
 */
export function readGoogleIssuer(value: GoogleSettings, problems: string[]): GoogleIssuer | null {
  const { SVC_GOOGLE_WALLET_ACCOUNT: path, SVC_GOOGLE_WALLET_ISSUER: issuerId } = value
  if (path === null && issuerId === null) return null
  if (path === null || issuerId === null) {
    problems.push('Google passes need both of SVC_GOOGLE_WALLET_ACCOUNT, SVC_GOOGLE_WALLET_ISSUER.')
    return null
  }
  const before = problems.length
  const account = accountIn(path, problems)
  if (account === null) return null
  const { SVC_GOOGLE_WALLET_URL, SVC_GOOGLE_PAY_URL } = value
  const urls = {
    'The token_uri of SVC_GOOGLE_WALLET_ACCOUNT': account.tokenUrl,
    SVC_GOOGLE_WALLET_URL,
    SVC_GOOGLE_PAY_URL,
    'SVC_PUBLIC_URL, which Google calls and fetches images from,': publicUrlOf(value),
  }
  for (const [name, url] of Object.entries(urls))
    if (value.SVC_ENVIRONMENT === 'live' && !url.startsWith('https:'))
      problems.push(name + ' must be https in live.')
  if (problems.length > before) return null
  const [apiUrl, payUrl] = [withoutSlash(SVC_GOOGLE_WALLET_URL), withoutSlash(SVC_GOOGLE_PAY_URL)]
  return { issuerId, ...account, apiUrl, payUrl, ratePerS: value.SVC_GOOGLE_WALLET_RATE }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

type Account = Pick<GoogleIssuer, 'email' | 'keyId' | 'key' | 'tokenUrl'>

function accountIn(path: string, problems: string[]): Account | null {
  const file = readPem(ACCOUNT_SETTING, path, problems)
  if (file === null) return null
  const said = parsedJson(Buffer.from(file.pem))
  const key = hasShape(KeyFile, said) ? rsaKeyIn(said) : null
  if (!hasShape(KeyFile, said) || key === null || !isWebUrl(said.token_uri)) {
    problems.push(ACCOUNT_SETTING + ' ' + path + ' is not the JSON key file of a service account.')
    return null
  }
  const { client_email: email, private_key_id: keyId, token_uri: tokenUrl } = said
  return { email, keyId, key, tokenUrl }
}

function rsaKeyIn({ private_key }: Static<typeof KeyFile>): KeyObject | null {
  try {
    const key = createPrivateKey(private_key)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return key.asymmetricKeyType === 'rsa' && bits >= RSA_BITS_MIN ? key : null
  } catch {
    return null
  }
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}

/** Returns Google's name of an id: a class or an object. */
export function googleId({ issuerId }: Pick<GoogleIssuer, 'issuerId'>, id: string): string {
  return issuerId + '.' + id
}

/** Returns the id in Google's name; null for another issuer's name. */
export function idIn({ issuerId }: Pick<GoogleIssuer, 'issuerId'>, name: string): string | null {
  const prefix = issuerId + '.'
  return name.startsWith(prefix) ? name.slice(prefix.length) : null
}
