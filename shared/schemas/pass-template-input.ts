// The inputs of a create and an update of a pass template.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import {
  BARCODE,
  CONTENT,
  FIELD,
  LINES,
  LOCATION,
  line,
  NFC,
  orNull,
  PASS_STYLES,
  PassColors,
  PassImages,
  TRANSIT_TYPES,
  text,
} from './pass-content.ts'

/** Chosen: as many as wallets show; the check of a template knows the style. */
const FRONT_FIELDS_MAX = 6
const BACK_FIELDS_MAX = 20
const LOCATIONS_MAX = 10
const LANGUAGES_MAX = 10
const TRANSLATIONS_MAX = 100

const Name = line(100)

const PassFieldInput = Type.Object(
  {
    key: FIELD.key,
    label: Type.Optional(FIELD.label),
    value: FIELD.value,
    change_message: Type.Optional(FIELD.change_message),
    format: Type.Optional(FIELD.format),
    currency: Type.Optional(FIELD.currency),
    alignment: Type.Optional(FIELD.alignment),
  },
  { additionalProperties: false },
)
export type PassFieldInput = Static<typeof PassFieldInput>

const front = () => Type.Optional(Type.Array(PassFieldInput, { maxItems: FRONT_FIELDS_MAX }))
const PassFieldsInput = Type.Object(
  {
    header: described(front(), 'Beside the logo: seen while the pass is in a stack.'),
    primary: described(front(), 'Large, in the middle.'),
    secondary: described(front(), 'Below the primary fields.'),
    auxiliary: described(front(), 'Below the secondary fields.'),
    back: described(
      Type.Optional(Type.Array(PassFieldInput, { maxItems: BACK_FIELDS_MAX })),
      'On the back.',
    ),
  },
  { additionalProperties: false },
)

const PassBarcodeInput = Type.Object(
  {
    format: BARCODE.format,
    message: Type.Optional(BARCODE.message),
    alt_text: Type.Optional(BARCODE.alt_text),
  },
  { additionalProperties: false },
)

const PassNfcInput = Type.Object(
  {
    message: Type.Optional(NFC.message),
    encryption_public_key: NFC.encryption_public_key,
    requires_authentication: Type.Optional(NFC.requires_authentication),
  },
  { additionalProperties: false },
)

const PassLocationInput = Type.Object(
  { ...LOCATION, relevant_text: Type.Optional(LOCATION.relevant_text) },
  { additionalProperties: false },
)

/** BCP 47, as far as wallets distinguish languages. */
export const LANGUAGE = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$'
const Localizations = Type.Record(
  Type.String({ pattern: LANGUAGE }),
  Type.Record(Type.String({ pattern: LINES }), text(2000), {
    additionalProperties: false,
    maxProperties: TRANSLATIONS_MAX,
  }),
  { maxProperties: LANGUAGES_MAX, additionalProperties: false },
)

const MOMENT = Type.String({ format: 'date-time', maxLength: 40 })

/** The content fields of a create and an update. */
const CONTENT_INPUT = {
  ...CONTENT,
  colors: described(
    Type.Partial(PassColors, { additionalProperties: false }),
    'The colors of the front.',
  ),
  images: described(
    Type.Partial(PassImages, { additionalProperties: false }),
    'Pictures by where they stand; each is the id of an image.',
  ),
  fields: PassFieldsInput,
  barcode: described(orNull(PassBarcodeInput), 'Null: there is none.'),
  nfc: described(orNull(PassNfcInput), 'The message to an NFC reader; null: none.'),
  one_time: described(Type.Boolean(), 'Whether a pass counts at its first scan only.'),
  relevant_at: described(
    orNull(MOMENT),
    'When the event is or the train leaves, ISO 8601; null: none.',
  ),
  expires_at: described(
    orNull(MOMENT),
    'The end of passes without an end of their own, ISO 8601; null: never.',
  ),
  locations: described(
    Type.Array(PassLocationInput, { maxItems: LOCATIONS_MAX }),
    'Places near which the wallet offers the pass.',
  ),
  localizations: described(
    Localizations,
    'Translations by language, for example de: for a text of the template the text in that language.',
  ),
}
const ContentInput = Type.Partial(Type.Object(CONTENT_INPUT))
export type PassContentInput = Static<typeof ContentInput>

/**
 * The content fields of an update. A field that is left out stays as it is; a field that is present
 * is replaced as a whole.
 */
export const PASS_CONTENT_CHANGE = ContentInput.properties

/** Fields of an update. */
export const PASS_TEMPLATE_CHANGE = {
  name: described(Type.Optional(Name), 'For you; holders do not see it.'),
  ...PASS_CONTENT_CHANGE,
}

/** The content fields of a create. */
export const PASS_CONTENT_INPUT = {
  ...PASS_CONTENT_CHANGE,
  style: described(Type.Enum([...PASS_STYLES]), 'The style of the pass; it never changes.'),
  transit_type: described(
    Type.Optional(Type.Enum([...TRANSIT_TYPES])),
    'For boarding passes: the means of transport.',
  ),
  organization_name: CONTENT.organization_name,
  description: CONTENT.description,
}

/** Fields of a create. */
export const PASS_TEMPLATE_INPUT = {
  ...PASS_CONTENT_INPUT,
  name: described(Name, 'For you; holders do not see it.'),
}
