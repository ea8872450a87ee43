// A wallet pass as the outside sees it. Spec 2.2.
import { type Static, Type } from 'typebox'
import { MOMENT_OR_NULL } from './moment.ts'
import { type Metadata, OWN_DATA, OWN_DATA_CHANGE, OWN_DATA_INPUT } from './own-data.ts'

export const PASS_STATUSES = ['active', 'installed', 'removed', 'revoked'] as const
export type PassStatus = (typeof PASS_STATUSES)[number]
const PASS_PLATFORMS = ['apple', 'google'] as const
export type PassPlatform = (typeof PASS_PLATFORMS)[number]

const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*$'
const LINES = '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$'
const VALUES_MAX = 50
const ValueName = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' })
const Value = Type.String({ maxLength: 1000, pattern: LINES })
const HolderName = Type.String({ minLength: 1, maxLength: 100, pattern: ONE_LINE })
const Id = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
const Moment = Type.String({ format: 'date-time', maxLength: 40 })
const OrNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Pass = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /**
   * Active from its issuance, installed while a wallet has it, removed when none has it any more,
   * revoked for ever.
   */
  status: Type.Enum([...PASS_STATUSES]),
  template_id: Type.String(),
  /** The version of the template that it shows. */
  template_version: Type.Integer(),
  /** Counts its changes from 1. */
  version: Type.Integer(),
  /** When it was changed last, in Unix seconds. */
  updated: Type.Integer(),
  /**
   * The wallet it was put into first, of those that have it; of a removed one the last that had it;
   * null before.
   */
  platform: OrNull(Type.Enum([...PASS_PLATFORMS])),
  /** The name of the holder; null for a pass without one. */
  holder_name: OrNull(Type.String()),
  /** The values of the placeholders in its template. */
  values: Type.Record(Type.String(), Type.String()),
  /** The card that it represents; null: none. */
  card_id: OrNull(Type.String()),
  /** The end of the pass, ISO 8601 in UTC; null: the end in its template. */
  expires_at: MOMENT_OR_NULL,
  /** When it was scanned, in Unix seconds, where it counts once; null before. */
  redeemed_at: OrNull(Type.Integer()),
  /** The text that a scanner reads from its barcode or by NFC. */
  payload: Type.String(),
  /**
   * The page on which a holder looks at the pass and adds it to a wallet. Everyone who has this
   * address has the pass.
   */
  url: Type.String(),
  /** Why it was revoked; null before. */
  revoke_reason: OrNull(Type.String()),
  ...OWN_DATA,
})
export type Pass = Static<typeof Pass>

/** One pass to be issued. */
export const PassInput = Type.Object(
  {
    template_id: Id,
    /** The name of the holder; {{holder_name}} stands for it in the template. */
    holder_name: Type.Optional(HolderName),
    /** The values of the template's placeholders: at most 50 texts of 1,000 characters. */
    values: Type.Optional(
      Type.Record(ValueName, Value, { maxProperties: VALUES_MAX, additionalProperties: false }),
    ),
    /** A card of yours that it represents: when that ends, so does the pass. */
    card_id: Type.Optional(Id),
    /** The end of the pass, ISO 8601; the end in its template if it is left out. */
    expires_at: Type.Optional(Moment),
    ...OWN_DATA_INPUT,
  },
  { additionalProperties: false },
)
export type PassInput = Static<typeof PassInput>

/** The fields of a pass that may change; a field that is left out stays as it is. */
export const PASS_CHANGE = {
  /** Null: without a holder's name. */
  holder_name: Type.Optional(OrNull(HolderName)),
  /** Merged with those it has; null takes one away. */
  values: Type.Optional(
    Type.Record(ValueName, OrNull(Value), {
      maxProperties: VALUES_MAX,
      additionalProperties: false,
    }),
  ),
  /** Null: it represents none. */
  card_id: Type.Optional(OrNull(Id)),
  /** ISO 8601; null: the end in its template. */
  expires_at: Type.Optional(OrNull(Moment)),
  ...OWN_DATA_CHANGE,
}
export interface PassChange {
  holder_name?: string | null
  values?: { [name: string]: string | null }
  card_id?: string | null
  expires_at?: string | null
  external_id?: string | null
  metadata?: { [name: string]: string | null }
}

/** One pass to be changed. */
export const PassUpdate = Type.Object(
  {
    /** The pass. */
    id: Id,
    ...PASS_CHANGE,
  },
  { additionalProperties: false, minProperties: 2 },
)
export interface PassUpdate extends PassChange {
  id: string
}

/** The values after a change, or null where there would be more than fit. */
export function mergedValues(held: Metadata, change: PassChange['values']): Metadata | null {
  const merged: [string, string | null][] = Object.entries({ ...held, ...change })
  const kept = merged.filter((entry): entry is [string, string] => entry[1] !== null)
  return kept.length > VALUES_MAX ? null : Object.fromEntries(kept)
}

/** The result of one part of a batch. */
export const PassBatchItem = Type.Object({
  /** Its place in the call, from 0. */
  index: Type.Integer(),
  /** Ok: it was done. Error: it was not, and the others go on. */
  status: Type.Enum(['ok', 'error']),
  /** The pass afterwards, where it was done. */
  pass: Type.Optional(Pass),
  /** Why it was not done. */
  error: Type.Optional(
    Type.Object({
      /** The category. */
      type: Type.String(),
      /** Which error of that category. */
      code: Type.String(),
      /** In words. */
      message: Type.String(),
      /** The field of this part of the batch; null where it is none. */
      param: OrNull(Type.String()),
    }),
  ),
})
export type PassBatchItem = Static<typeof PassBatchItem>

export const PassBatch = Type.Object({
  object: Type.Literal('pass_batch'),
  livemode: Type.Boolean(),
  /** One for each part of the call, in its order. */
  data: Type.Array(PassBatchItem),
  /** How many were done. */
  succeeded: Type.Integer(),
  /** How many were not. */
  failed: Type.Integer(),
})
export type PassBatch = Static<typeof PassBatch>

export const PassCount = Type.Object({
  object: Type.Literal('pass_count'),
  livemode: Type.Boolean(),
  /** How many passes there are. */
  count: Type.Integer(),
  /** The time of the number, in Unix seconds. */
  as_of: Type.Integer(),
})
export type PassCount = Static<typeof PassCount>
