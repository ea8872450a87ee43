// A pass in Google's form: an object of its template's class. Pure: a version of a template, a pass
// in it, and the moment.
import { type EpochMs, isoInstant } from '../../../../shared/clock.ts'
import type {
  BarcodeFormat,
  PassBarcode,
  PassImages,
  PassStyle,
} from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import type { OwnedPass } from '../../passes/index.ts'
import { renderPass } from '../../templates/index.ts'
import { fieldText } from '../model/field-text.ts'
import type { RenderedPass } from '../model/render.ts'
import { type GoogleIssuer, googleId } from './account.ts'
import { type Localize, type LocalizedString, localizer } from './localized.ts'
import { objectModules } from './text-modules.ts'

const TYPES: { readonly [Style in PassStyle]: string } = {
  generic: 'GENERIC_OTHER',
  store_card: 'GENERIC_LOYALTY_CARD',
  coupon: 'GENERIC_VOUCHER',
  event_ticket: 'GENERIC_ENTRY_TICKET',
  boarding_pass: 'GENERIC_RESERVATIONS',
}

const BARCODE_TYPES: { readonly [Format in BarcodeFormat]: string } = {
  qr: 'QR_CODE',
  pdf417: 'PDF_417',
  aztec: 'AZTEC',
  code128: 'CODE_128',
}

export interface Shown {
  content: PassContent
  pass: Pick<
    OwnedPass,
    | 'id'
    | 'templateId'
    | 'status'
    | 'redeemedAt'
    | 'holderName'
    | 'values'
    | 'payload'
    | 'expiresAt'
  >
  /** Time of the pass's tenant. */
  now: EpochMs
  /** Public address of an image of the pass. */
  imageUrl(imageId: string): string
}

/**
 * Chosen: the large field is the title, below its label; a pass without one takes its template's
 * description as title.
 */
export function passObject(
  { content, pass, now, imageUrl }: Shown,
  issuer: Pick<GoogleIssuer, 'issuerId'>,
): { id: string; [field: string]: unknown } {
  const rendered = renderPass(content, pass)
  const localize = localizer(content, pass)
  const { barcode, nfc, fields, expiresAt } = rendered
  const modules = objectModules(content, fields, localize)
  return {
    id: googleId(issuer, pass.id),
    classId: googleId(issuer, pass.templateId),
    genericType: TYPES[content.style],
    state: stateOf(pass, expiresAt, now),
    cardTitle: localize(content.organization_name),
    ...titleOf(content, rendered, localize),
    hexBackgroundColor: content.colors.background,
    ...imagesOf(content, localize, imageUrl),
    ...(barcode !== null && { barcode: barcodeOf(barcode) }),
    ...(nfc !== null && { smartTapRedemptionValue: nfc.message }),
    ...(expiresAt !== null && { validTimeInterval: { end: { date: isoInstant(expiresAt) } } }),
    ...(modules.length > 0 && { textModulesData: modules }),
  }
}

/**
 * Google moves inactive passes to the past ones. Revoked is told before redeemed, redeemed before
 * expired.
 */
function stateOf(
  { status, redeemedAt }: Shown['pass'],
  expiresAt: EpochMs | null,
  now: EpochMs,
): string {
  if (status === 'revoked') return 'INACTIVE'
  if (redeemedAt !== null) return 'COMPLETED'
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE'
}

function titleOf(
  { description, logo_text }: PassContent,
  { fields }: RenderedPass,
  localize: Localize,
): { subheader?: LocalizedString; header: LocalizedString } {
  const [large] = fields.primary
  const title = large === undefined ? '' : fieldText(large)
  if (large === undefined || title === '') return { header: localize(logo_text ?? description) }
  const header = localize(title)
  return large.label === '' ? { header } : { subheader: localize(large.label), header }
}

function imagesOf(
  { images, organization_name, description }: PassContent,
  localize: Localize,
  imageUrl: Shown['imageUrl'],
): object {
  const { icon, logo, strip, background, thumbnail, footer }: PassImages = images
  const image = (id: string, text: string) => ({
    sourceUri: { uri: imageUrl(id) },
    contentDescription: localize(text),
  })
  const hero = strip ?? background
  const other = thumbnail ?? footer
  return {
    ...(icon !== null && { logo: image(icon, organization_name) }),
    ...(logo !== null && { wideLogo: image(logo, organization_name) }),
    ...(hero !== null && { heroImage: image(hero, description) }),
    ...(other !== null && {
      imageModulesData: [{ id: 'image', mainImage: image(other, description) }],
    }),
  }
}

function barcodeOf({ format, message, alt_text }: PassBarcode): object {
  return {
    type: BARCODE_TYPES[format],
    value: message,
    ...(format === 'qr' && { renderEncoding: 'UTF_8' }),
    ...(alt_text !== null && { alternateText: alt_text }),
  }
}
