// The template from which passes are issued. Spec 2.4.
import { type Static, Type } from 'typebox'
import type { EpochMs } from '../clock.ts'
import { MOMENT_OR_NULL } from './moment.ts'
import { OWN_DATA } from './own-data.ts'
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

export const PASS_TEMPLATE_STATUSES = ['active', 'archived'] as const

export const PassTemplate = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_template'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** No more passes are issued from an archived template. */
  status: Type.Enum([...PASS_TEMPLATE_STATUSES]),
  /** For you; holders do not see it. */
  name: Type.String(),
  /** The current version, counted from 1; new passes are issued from it. */
  version: Type.Integer(),
  /** When it was changed last, in Unix seconds. */
  updated: Type.Integer(),
  /** The style of the pass; it never changes. */
  style: Type.Enum([...PASS_STYLES]),
  /** For boarding passes: the means of transport. */
  transit_type: orNull(Type.Enum([...TRANSIT_TYPES])),
  ...CONTENT,
  /** The colors of the front. */
  colors: PassColors,
  /** Pictures by where they stand; each is the id of an image. */
  images: PassImages,
  fields: PassFields,
  /** Null: there is none. */
  barcode: orNull(PassBarcode),
  /** The message to an NFC reader; null: none. */
  nfc: orNull(PassNfc),
  /** Whether a pass counts at its first scan only. */
  one_time: Type.Boolean(),
  /** When the event is or the train leaves, ISO 8601 in UTC: the wallet offers the pass then. */
  relevant_at: MOMENT_OR_NULL,
  /** The end of passes without an end of their own, ISO 8601 in UTC; null: never. */
  expires_at: MOMENT_OR_NULL,
  /** Places near which the wallet offers the pass. */
  locations: Type.Array(PassLocation),
  /**
   * Translations by language, for example de: for a text of the template the text in that language.
   */
  localizations: Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
  /**
   * How far the latest version is on its way to the passes; null while there was one version only.
   */
  fanout: orNull(
    Type.Object({
      /** The version that is brought to them. */
      version: Type.Integer(),
      /** Passes that have to be changed. */
      total: Type.Integer(),
      /** Passes that were. */
      done: Type.Integer(),
      /** Running, completed, or superseded by a later version, to which the rest went directly. */
      state: Type.Enum(['running', 'completed', 'superseded']),
    }),
  ),
  ...OWN_DATA,
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
