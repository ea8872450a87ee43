// A wallet pass as the outside sees it. Spec 2.2.
import type { Static, TSchema } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT_OR_NULL } from './moment.ts'
import {
  type Metadata,
  TENANT_FIELDS,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from './tenant-fields.ts'

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
const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Pass = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...PASS_STATUSES]),
    'Active from its issuance, installed while a wallet has it, removed when none has it any more, revoked for ever.',
  ),
  template_id: Type.String(),
  template_version: described(Type.Integer(), 'The version of the template that it shows.'),
  version: described(Type.Integer(), 'Counts its changes from 1.'),
  updated: described(Type.Integer(), 'When it was changed last, in Unix seconds.'),
  platform: described(
    OrNull(Type.Enum([...PASS_PLATFORMS])),
    'The wallet it was put into first, of those that have it; of a removed one the last that had it; null before.',
  ),
  holder_name: described(
    OrNull(Type.String()),
    'The name of the holder; null for a pass without one.',
  ),
  values: described(
    Type.Record(Type.String(), Type.String()),
    'The values of the placeholders in its template.',
  ),
  card_id: described(OrNull(Type.String()), 'The card that it represents; null: none.'),
  expires_at: described(
    MOMENT_OR_NULL,
    'The end of the pass, ISO 8601 in UTC; null: the end in its template.',
  ),
  redeemed_at: described(
    OrNull(Type.Integer()),
    'When it was scanned, in Unix seconds, where it counts once; null before.',
  ),
  payload: described(Type.String(), 'The text that a scanner reads from its barcode or by NFC.'),
  url: described(
    Type.String(),
    'The page on which a holder looks at the pass and adds it to a wallet. Everyone who has this address has the pass.',
  ),
  revoke_reason: described(OrNull(Type.String()), 'Why it was revoked; null before.'),
  ...TENANT_FIELDS,
})
export type Pass = Static<typeof Pass>

/** One pass to be issued. */
export const PassInput = Type.Object(
  {
    template_id: Id,
    holder_name: described(
      Type.Optional(HolderName),
      'The name of the holder; {{holder_name}} stands for it in the template.',
    ),
    values: described(
      Type.Optional(
        Type.Record(ValueName, Value, { maxProperties: VALUES_MAX, additionalProperties: false }),
      ),
      "The values of the template's placeholders: at most 50 texts of 1,000 characters.",
    ),
    card_id: described(
      Type.Optional(Id),
      'A card of yours that it represents: when that ends, so does the pass.',
    ),
    expires_at: described(
      Type.Optional(Moment),
      'The end of the pass, ISO 8601; the end in its template if it is left out.',
    ),
    ...TENANT_FIELDS_INPUT,
  },
  { additionalProperties: false },
)
export type PassInput = Static<typeof PassInput>

/** The fields of a pass that may change; a field that is left out stays as it is. */
export const PASS_CHANGE = {
  holder_name: described(Type.Optional(OrNull(HolderName)), "Null: without a holder's name."),
  values: described(
    Type.Optional(
      Type.Record(ValueName, OrNull(Value), {
        maxProperties: VALUES_MAX,
        additionalProperties: false,
      }),
    ),
    'Merged with those it has; null takes one away.',
  ),
  card_id: described(Type.Optional(OrNull(Id)), 'Null: it represents none.'),
  expires_at: described(Type.Optional(OrNull(Moment)), 'ISO 8601; null: the end in its template.'),
  ...TENANT_FIELDS_CHANGE,
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
    id: described(Id, 'The pass.'),
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
  index: described(Type.Integer(), 'Its place in the call, from 0.'),
  status: described(
    Type.Enum(['ok', 'error']),
    'Ok: it was done. Error: it was not, and the others go on.',
  ),
  pass: described(Type.Optional(Pass), 'The pass afterwards, where it was done.'),
  error: described(
    Type.Optional(
      Type.Object({
        type: described(Type.String(), 'The category.'),
        code: described(Type.String(), 'Which error of that category.'),
        message: described(Type.String(), 'In words.'),
        param: described(
          OrNull(Type.String()),
          'The field of this part of the batch; null where it is none.',
        ),
      }),
    ),
    'Why it was not done.',
  ),
})
export type PassBatchItem = Static<typeof PassBatchItem>

export const PassBatch = Type.Object({
  object: Type.Literal('pass_batch'),
  livemode: Type.Boolean(),
  data: described(Type.Array(PassBatchItem), 'One for each part of the call, in its order.'),
  succeeded: described(Type.Integer(), 'How many were done.'),
  failed: described(Type.Integer(), 'How many were not.'),
})
export type PassBatch = Static<typeof PassBatch>

export const PassCount = Type.Object({
  object: Type.Literal('pass_count'),
  livemode: Type.Boolean(),
  count: described(Type.Integer(), 'How many passes there are.'),
  as_of: described(Type.Integer(), 'The time of the number, in Unix seconds.'),
})
export type PassCount = Static<typeof PassCount>
