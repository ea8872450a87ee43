// The template from which passes are issued. Spec 2.4.
import type { Static } from 'typebox'
import type { EpochMs } from '../clock.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT_OR_NULL } from './moment.ts'
import {
  CONTENT,
  orNull,
  PASS_STYLES,
  PassBarcode,
  PassColors,
  PassFields,
  PassImages,
  PassLocation,
  PassNfc,
  TRANSIT_TYPES,
} from './pass-content.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const PASS_TEMPLATE_STATUSES = ['active', 'archived'] as const

export const PassTemplate = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_template'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...PASS_TEMPLATE_STATUSES]),
    'No more passes are issued from an archived template.',
  ),
  name: described(Type.String(), 'For you; holders do not see it.'),
  version: described(
    Type.Integer(),
    'The current version, counted from 1; new passes are issued from it.',
  ),
  updated: described(Type.Integer(), 'When it was changed last, in Unix seconds.'),
  style: described(Type.Enum([...PASS_STYLES]), 'The style of the pass; it never changes.'),
  transit_type: described(
    orNull(Type.Enum([...TRANSIT_TYPES])),
    'For boarding passes: the means of transport.',
  ),
  ...CONTENT,
  colors: described(PassColors, 'The colors of the front.'),
  images: described(PassImages, 'Pictures by where they stand; each is the id of an image.'),
  fields: PassFields,
  barcode: described(orNull(PassBarcode), 'Null: there is none.'),
  nfc: described(orNull(PassNfc), 'The message to an NFC reader; null: none.'),
  one_time: described(Type.Boolean(), 'Whether a pass counts at its first scan only.'),
  relevant_at: described(
    MOMENT_OR_NULL,
    'When the event is or the train leaves, ISO 8601 in UTC: the wallet offers the pass then.',
  ),
  expires_at: described(
    MOMENT_OR_NULL,
    'The end of passes without an end of their own, ISO 8601 in UTC; null: never.',
  ),
  locations: described(Type.Array(PassLocation), 'Places near which the wallet offers the pass.'),
  localizations: described(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
    'Translations by language, for example de: for a text of the template the text in that language.',
  ),
  fanout: described(
    orNull(
      Type.Object({
        version: described(Type.Integer(), 'The version that is brought to them.'),
        total: described(Type.Integer(), 'Passes that have to be changed.'),
        done: described(Type.Integer(), 'Passes that were.'),
        state: described(
          Type.Enum(['running', 'completed', 'superseded']),
          'Running, completed, or superseded by a later version, to which the rest went directly.',
        ),
      }),
    ),
    'How far the latest version is on its way to the passes; null while there was one version only.',
  ),
  ...TENANT_FIELDS,
})
export type PassTemplate = Static<typeof PassTemplate>

/** The parts of a template that every visitor of its page may see. */
export type PublishedPassTemplate = Pick<
  PassTemplate,
  | 'id'
  | 'object'
  | 'livemode'
  | 'status'
  | 'style'
  | 'organization_name'
  | 'description'
  | 'logo_text'
  | 'colors'
>

/** The content of a version as it is kept; moments in milliseconds. */
export type PassContent = Pick<
  PassTemplate,
  | 'style'
  | 'transit_type'
  | 'organization_name'
  | 'description'
  | 'logo_text'
  | 'colors'
  | 'images'
  | 'fields'
  | 'barcode'
  | 'nfc'
  | 'one_time'
  | 'locations'
  | 'localizations'
> & { relevant_at: EpochMs | null; expires_at: EpochMs | null }
