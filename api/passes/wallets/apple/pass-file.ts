// pass.json: the content for Apple's wallet, and the address for updates. Pure: a version of a
// template, the values of a pass in it, and the issuer.
import { type EpochMs, isoInstant } from '../../../../shared/clock.ts'
import type {
  BarcodeFormat,
  FieldGroup,
  PassBarcode,
  PassField,
  PassLocation,
  PassNfc,
  PassStyle,
} from '../../../../shared/schemas/pass-content.ts'
import { FIELD_GROUPS } from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { parseFilterInstant } from '../../../database/created-filter.ts'
import type { RenderedPass } from '../model/render.ts'

interface AppleBarcode {
  format: string
  message: string
  messageEncoding: string
  altText?: string
}

interface AppleField {
  key: string
  label?: string
  value: string | number
  changeMessage?: string
  textAlignment?: string
  dateStyle?: string
  timeStyle?: string
  ignoresTimeZone?: true
  numberStyle?: string
  currencyCode?: string
}

/** The file, in Apple's terms. */
export interface ApplePassFile {
  formatVersion: 1
  passTypeIdentifier: string
  teamIdentifier: string
  serialNumber: string
  authenticationToken: string
  webServiceURL: string
  organizationName: string
  description: string
  backgroundColor: string
  foregroundColor: string
  labelColor: string
  logoText?: string
  barcodes?: readonly AppleBarcode[]
  nfc?: { message: string; encryptionPublicKey: string; requiresAuthentication: boolean }
  expirationDate?: string
  relevantDate?: string
  voided?: true
  locations?: readonly { latitude: number; longitude: number; relevantText?: string }[]
  /** Under the name of the style. */
  [style: string]: unknown
}

/** The issuer of passes. */
export interface PassIssuer {
  passType: string
  team: string
  /** Base of the web service that devices register with. */
  webServiceUrl: string
}

export interface PassFacts {
  /** Id of the pass: the serial number. */
  id: string
  authenticationToken: string
  /** Revoked: the wallet greys it out. */
  voided: boolean
}

const STYLES: { readonly [Style in PassStyle]: string } = {
  generic: 'generic',
  store_card: 'storeCard',
  coupon: 'coupon',
  event_ticket: 'eventTicket',
  boarding_pass: 'boardingPass',
}

const TRANSIT_TYPES = {
  air: 'PKTransitTypeAir',
  boat: 'PKTransitTypeBoat',
  bus: 'PKTransitTypeBus',
  train: 'PKTransitTypeTrain',
  generic: 'PKTransitTypeGeneric',
} as const

const BARCODE_FORMATS: { readonly [Format in BarcodeFormat]: string } = {
  qr: 'PKBarcodeFormatQR',
  pdf417: 'PKBarcodeFormatPDF417',
  aztec: 'PKBarcodeFormatAztec',
  code128: 'PKBarcodeFormatCode128',
}

const ALIGNMENTS = {
  natural: 'PKTextAlignmentNatural',
  left: 'PKTextAlignmentLeft',
  center: 'PKTextAlignmentCenter',
  right: 'PKTextAlignmentRight',
} as const

const DAY_ONLY = /^\d{4}-\d{2}-\d{2}$/

/** `rendered` is the template's content with the pass's values in it. */
export function applePassFile(
  content: PassContent,
  rendered: RenderedPass,
  { id, authenticationToken, voided }: PassFacts,
  { passType, team, webServiceUrl }: PassIssuer,
): ApplePassFile {
  const { colors, locations } = content
  const { barcode, nfc } = rendered
  return {
    formatVersion: 1,
    passTypeIdentifier: passType,
    teamIdentifier: team,
    serialNumber: id,
    authenticationToken,
    webServiceURL: webServiceUrl,
    organizationName: content.organization_name,
    description: content.description,
    backgroundColor: rgb(colors.background),
    foregroundColor: rgb(colors.foreground),
    labelColor: rgb(colors.label),
    ...known('logoText', content.logo_text),
    ...known('barcodes', barcode === null ? null : [barcodeOf(barcode)]),
    ...known('nfc', nfc === null ? null : nfcOf(nfc)),
    ...known('expirationDate', instant(rendered.expiresAt)),
    ...known('relevantDate', instant(content.relevant_at)),
    ...(voided && { voided: true as const }),
    ...known('locations', locations.length === 0 ? null : locations.map(locationOf)),
    [STYLES[content.style]]: styleOf(content, rendered),
  }
}

function known<Name extends string, Value>(name: Name, value: Value | null) {
  return value === null ? {} : ({ [name]: value } as { readonly [Key in Name]: Value })
}

function styleOf({ style, transit_type }: PassContent, { fields }: RenderedPass): object {
  const filled = FIELD_GROUPS.filter((group) => fields[group].length > 0)
  return {
    ...(style === 'boarding_pass' && { transitType: TRANSIT_TYPES[transit_type ?? 'generic'] }),
    ...Object.fromEntries(
      filled.map((group) => [
        group + 'Fields',
        fields[group].map((field) => fieldOf(group, field)),
      ]),
    ),
  }
}

/** Apple aligns neither the large fields nor those on the back. */
function fieldOf(group: FieldGroup, field: PassField): AppleField {
  const { key, label, change_message, alignment } = field
  const alignable = group !== 'primary' && group !== 'back' && alignment !== 'natural'
  return {
    key,
    ...(label !== '' && { label }),
    ...writtenAs(field),
    ...known('changeMessage', change_message),
    ...(alignable && { textAlignment: ALIGNMENTS[alignment] }),
  }
}

/** An empty value is text, whatever its format. */
function writtenAs({ value, format, currency }: PassField): Omit<AppleField, 'key'> {
  if (format === 'text' || value === '') return { value }
  if (format === 'number') return { value: Number(value), numberStyle: 'PKNumberStyleDecimal' }
  if (format === 'currency') return { value: Number(value), ...known('currencyCode', currency) }
  const moment = instant(parseFilterInstant(value)) ?? value
  if (format === 'date_time')
    return { value: moment, dateStyle: 'PKDateStyleMedium', timeStyle: 'PKDateStyleShort' }
  return {
    value: moment,
    dateStyle: 'PKDateStyleMedium',
    timeStyle: 'PKDateStyleNone',
    // A day is the same day in every time zone.
    ...(DAY_ONLY.test(value) && { ignoresTimeZone: true as const }),
  }
}

function barcodeOf({ format, message, alt_text }: PassBarcode): AppleBarcode {
  return {
    format: BARCODE_FORMATS[format],
    message,
    messageEncoding: isAscii(message) ? 'iso-8859-1' : 'utf-8',
    ...known('altText', alt_text),
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

function nfcOf({ message, encryption_public_key, requires_authentication }: PassNfc) {
  return {
    message,
    encryptionPublicKey: encryption_public_key,
    requiresAuthentication: requires_authentication,
  }
}

function locationOf({ latitude, longitude, relevant_text }: PassLocation) {
  return { latitude, longitude, ...known('relevantText', relevant_text) }
}

/** Converts `#rrggbb`. */
function rgb(color: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return 'rgb(' + parts.join(', ') + ')'
}

/** Rounded to the second, in UTC. */
function instant(moment: EpochMs | null): string | null {
  return moment === null ? null : isoInstant(moment).slice(0, 19) + 'Z'
}
