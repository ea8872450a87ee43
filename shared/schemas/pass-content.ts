// The content of a version of a pass template: the look of its passes in a wallet, the texts on
// them and the code for a scanner.
import type { Static, TSchema } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const PASS_STYLES = [
  'generic',
  'store_card',
  'coupon',
  'event_ticket',
  'boarding_pass',
] as const
export type PassStyle = (typeof PASS_STYLES)[number]
export const TRANSIT_TYPES = ['air', 'boat', 'bus', 'train', 'generic'] as const
export const PASS_IMAGE_ROLES = [
  'icon',
  'logo',
  'strip',
  'thumbnail',
  'background',
  'footer',
] as const
export type PassImageRole = (typeof PASS_IMAGE_ROLES)[number]
export const BARCODE_FORMATS = ['qr', 'pdf417', 'aztec', 'code128'] as const
export type BarcodeFormat = (typeof BARCODE_FORMATS)[number]
export const FIELD_GROUPS = ['header', 'primary', 'secondary', 'auxiliary', 'back'] as const
export type FieldGroup = (typeof FIELD_GROUPS)[number]

export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*$'
export const LINES = '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$'

/** Where nothing may stand. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: ONE_LINE })
export const text = (maxLength: number) => Type.String({ maxLength, pattern: LINES })
const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })
const ImageId = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })

export const FIELD = {
  key: described(
    Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
    'The key of the field, unique in the template.',
  ),
  label: described(Type.String({ maxLength: 60, pattern: ONE_LINE }), 'The text above the value.'),
  value: described(text(2000), 'Text in which {{name}} stands for that value of a pass.'),
  change_message: described(
    orNull(line(200)),
    'The notification to the holder when the value changes; %@ stands for the new value. Null: no notification.',
  ),
  format: described(
    Type.Enum(['number', 'currency', 'date', 'date_time', 'text']),
    'The format of the value. A date has to be ISO 8601, a number or an amount a decimal number.',
  ),
  currency: described(
    orNull(Type.String({ pattern: '^[A-Z]{3}$' })),
    'For an amount: its currency, ISO 4217.',
  ),
  alignment: Type.Enum(['natural', 'left', 'center', 'right']),
}
const PassField = Type.Object(FIELD)
export type PassField = Static<typeof PassField>
/** Where fields stand on a pass. */
export const PassFields = Type.Object({
  header: described(Type.Array(PassField), 'Beside the logo: seen while the pass is in a stack.'),
  primary: described(Type.Array(PassField), 'Large, in the middle.'),
  secondary: described(Type.Array(PassField), 'Below the primary ones.'),
  auxiliary: described(Type.Array(PassField), 'Below the secondary ones.'),
  back: described(Type.Array(PassField), 'On the back.'),
})
export type PassFields = Static<typeof PassFields>
export const PassColors = Type.Object({
  background: described(Color, '#rrggbb.'),
  foreground: described(Color, 'The color of values, #rrggbb.'),
  label: described(Color, 'The color of labels, #rrggbb.'),
})
export type PassColors = Static<typeof PassColors>

export const PassImages = Type.Object({
  icon: described(orNull(ImageId), 'In messages, and where the pass is small.'),
  logo: described(orNull(ImageId), 'Top left.'),
  strip: described(
    orNull(ImageId),
    'Behind the primary fields of store cards, coupons and event tickets.',
  ),
  thumbnail: described(orNull(ImageId), 'Beside the fields of generic passes and event tickets.'),
  background: described(orNull(ImageId), 'Behind the whole front of an event ticket.'),
  footer: described(orNull(ImageId), 'Above the barcode of a boarding pass.'),
})
export type PassImages = Static<typeof PassImages>

export const BARCODE = {
  format: described(Type.Enum([...BARCODE_FORMATS]), 'The symbology of the barcode.'),
  message: described(
    Type.String({ minLength: 1, maxLength: 3000, pattern: ONE_LINE }),
    'The content of the barcode. {{payload}} stands for the text that our scans verify, {{name}} for a value of the pass.',
  ),
  alt_text: described(orNull(line(100)), 'The text below the barcode; null: none.'),
}
export const PassBarcode = Type.Object(BARCODE)
export type PassBarcode = Static<typeof PassBarcode>
export const NFC = {
  message: described(
    Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE }),
    'The message to a reader, 64 bytes at most. {{payload}} stands for the text that our scans verify, {{name}} for a value of the pass.',
  ),
  encryption_public_key: described(
    Type.String({ pattern: '^[A-Za-z0-9+/]{40,200}={0,2}$' }),
    'The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64.',
  ),
  requires_authentication: described(
    Type.Boolean(),
    'Whether the holder has to unlock the device first.',
  ),
}
export const PassNfc = Type.Object(NFC)
export type PassNfc = Static<typeof PassNfc>
export const LOCATION = {
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  relevant_text: described(
    orNull(line(200)),
    'Shown on the locked screen near it; null: a text of the wallet’s.',
  ),
}
export const PassLocation = Type.Object(LOCATION)
export type PassLocation = Static<typeof PassLocation>
/** The fields of a version of a template, without its style and its moments. */
export const CONTENT = {
  organization_name: described(line(100), 'The name of the issuer, for the holder.'),
  description: described(line(200), 'A description of the pass in a sentence, for screen readers.'),
  logo_text: described(orNull(line(40)), 'Beside the logo; null: nothing.'),
}
