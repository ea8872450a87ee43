// Classes and objects of generic passes as Google's wallet API takes them: a missing, unknown or
// wrong field is refused, pictures are fetched, and an object needs its class.
import type { PeerAnswer } from '../peer-http.ts'

/** A check of a field's kind or presence. */
type Check = (value: unknown) => boolean

const STATES = ['STATE_UNSPECIFIED', 'ACTIVE', 'COMPLETED', 'EXPIRED', 'INACTIVE']
const TYPES = [
  ...['GENERIC_TYPE_UNSPECIFIED', 'GENERIC_SEASON_PASS', 'GENERIC_UTILITY_BILLS'],
  ...['GENERIC_PARKING_PASS', 'GENERIC_VOUCHER', 'GENERIC_GYM_MEMBERSHIP', 'GENERIC_OTHER'],
  ...['GENERIC_LIBRARY_MEMBERSHIP', 'GENERIC_RESERVATIONS', 'GENERIC_AUTO_INSURANCE'],
  ...['GENERIC_HOME_INSURANCE', 'GENERIC_ENTRY_TICKET', 'GENERIC_RECEIPT', 'GENERIC_LOYALTY_CARD'],
]
const BARCODES = [
  ...['AZTEC', 'CODE_39', 'CODE_128', 'CODABAR', 'DATA_MATRIX', 'EAN_8', 'EAN_13', 'ITF_14'],
  ...['PDF_417', 'QR_CODE', 'UPC_A', 'TEXT_ONLY'],
]
const HOLDERS = ['STATUS_UNSPECIFIED', 'MULTIPLE_HOLDERS', 'ONE_USER_ALL_DEVICES']
const ROWS = /^(oneItem|twoItems|threeItems)$/
const LOCATIONS_MAX = 10

const text: Check = (value) => typeof value === 'string' && value !== ''
const isTrue: Check = (value) => typeof value === 'boolean'
const url: Check = (value) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value)
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(String(value))
const listOf =
  (check: Check, most = 100): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check)
const matching =
  (form: RegExp): Check =>
  (value) =>
    typeof value === 'string' && form.test(value)

/**
 * A check for an object with these fields and no others; a field with a question mark may be
 * absent.
 */
function shape(fields: { readonly [name: string]: Check }): Check {
  return (value) => isObject(value) && problemIn(fields, value) === null
}

function problemIn(
  fields: { readonly [name: string]: Check },
  value: { readonly [name: string]: unknown },
): string | null {
  for (const name of Object.keys(value))
    if (!(name in fields) && !(name + '?' in fields)) return 'Unknown name "' + name + '".'
  for (const [named, check] of Object.entries(fields)) {
    const name = named.replace('?', '')
    if (!(name in value)) {
      if (!named.endsWith('?')) return 'The field ' + name + ' is required.'
    } else if (!check(value[name])) return 'Invalid value at ' + name + '.'
  }
  return null
}

const translation = shape({ language: matching(/^[A-Za-z]{2,3}(-\w+)*$/), value: text })
const localized = shape({ defaultValue: translation, 'translatedValues?': listOf(translation) })
const image = shape({ sourceUri: shape({ uri: url }), 'contentDescription?': localized })
const textModule = shape({
  'id?': matching(/^[\w-]+$/),
  'header?': text,
  'localizedHeader?': localized,
  'body?': text,
  'localizedBody?': localized,
})
const row: Check = (value) =>
  isObject(value) && Object.keys(value).length === 1 && Object.keys(value).every(isRow)

function isRow(name: string): boolean {
  return ROWS.test(name)
}

const NAME = matching(/^\d+\.[\w.-]+$/)

const CLASS = {
  id: NAME,
  'multipleDevicesAndHoldersAllowedStatus?': oneOf(HOLDERS),
  'callbackOptions?': shape({ url }),
  'classTemplateInfo?': shape({
    cardTemplateOverride: shape({ cardRowTemplateInfos: listOf(row, 3) }),
  }),
  'textModulesData?': listOf(textModule),
  'enableSmartTap?': isTrue,
  'redemptionIssuers?': listOf(matching(/^\d+$/)),
  'merchantLocations?': listOf(isObject, LOCATIONS_MAX),
}

const OBJECT = {
  id: NAME,
  classId: NAME,
  cardTitle: localized,
  header: localized,
  'subheader?': localized,
  'genericType?': oneOf(TYPES),
  'state?': oneOf(STATES),
  'hexBackgroundColor?': matching(/^#[0-9a-fA-F]{6}$/),
  'logo?': image,
  'wideLogo?': image,
  'heroImage?': image,
  'imageModulesData?': listOf(shape({ 'id?': text, mainImage: image }), 1),
  'barcode?': shape({
    type: oneOf(BARCODES),
    value: text,
    'alternateText?': text,
    'renderEncoding?': oneOf(['UTF_8']),
  }),
  'smartTapRedemptionValue?': text,
  'validTimeInterval?': shape({ 'start?': shape({ date: text }), 'end?': shape({ date: text }) }),
  'textModulesData?': listOf(textModule),
}

export type Kind = 'genericClass' | 'genericObject'

export interface Resource {
  id: string
  [field: string]: unknown
}

/** Returns the resource in a request body, or Google's answer with its error. */
export function resourceIn(
  kind: Kind,
  issuerId: string,
  body: Buffer | null,
): Resource | PeerAnswer {
  const value = parsed(body)
  if (!isObject(value)) return problem(400, 'badRequest', 'Invalid JSON payload received.')
  const wrong = problemIn(kind === 'genericClass' ? CLASS : OBJECT, value)
  if (wrong !== null) return problem(400, 'badRequest', wrong)
  const resource = value as Resource
  return resource.id.startsWith(issuerId + '.')
    ? resource
    : problem(403, 'permissionDenied', 'This account may not act for the issuer.')
}

/** Addresses of all pictures of an object. */
export function picturesOf(value: unknown): string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'sourceUri') return [String((inner as { uri?: unknown }).uri)]
    return Array.isArray(inner) ? inner.flatMap(picturesOf) : picturesOf(inner)
  })
}

export function problem(code: number, reason: string, message: string): PeerAnswer {
  const errors = [{ domain: 'walletobjects', reason, message }]
  return { status: code, body: { error: { code, message, errors } } }
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(body: Buffer | null): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return null
  }
}
