// Data that tenants keep with a resource for themselves: their own id of it, and metadata. We store
// it and read nothing from it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const METADATA_KEYS_MAX = 50
const PLAIN_KEY = '^[^\\u0000-\\u001f\\u007f\\[\\]]{1,40}$'
const METADATA_VALUE = { maxLength: 500 }

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

/** Fields of every resource that tenants create. */
export const TENANT_FIELDS = {
  external_id: described(
    Type.Union([Type.String(), Type.Null()]),
    "The tenant's own id of it, unique among its resources of this kind; null where none was given.",
  ),
  metadata: Type.Record(Type.String(), Type.String()),
}

/** Tenant fields in a create: at most 50 keys of 40 characters, values of 500. */
export const TENANT_FIELDS_INPUT = {
  external_id: Type.Optional(ExternalId),
  metadata: Type.Optional(
    Type.Record(Type.String({ pattern: PLAIN_KEY }), Type.String(METADATA_VALUE), {
      maxProperties: METADATA_KEYS_MAX,
      additionalProperties: false,
    }),
  ),
}

/**
 * Tenant fields in an update: metadata is merged, and a key with null is removed.
 * `external_id: null` removes the id.
 */
export const TENANT_FIELDS_CHANGE = {
  external_id: Type.Optional(Type.Union([ExternalId, Type.Null()])),
  metadata: Type.Optional(
    Type.Record(
      Type.String({ pattern: PLAIN_KEY }),
      Type.Union([Type.String(METADATA_VALUE), Type.Null()]),
      { maxProperties: METADATA_KEYS_MAX, additionalProperties: false },
    ),
  ),
}

export type Metadata = Static<(typeof TENANT_FIELDS)['metadata']>
export interface TenantFieldsChange {
  external_id?: string | null
  metadata?: { [key: string]: string | null }
}

/** The metadata after a change, or null where it would have more keys than fit. */
export function mergedMetadata(
  held: Metadata,
  change: TenantFieldsChange['metadata'],
): Metadata | null {
  const merged: [string, string | null][] = Object.entries({ ...held, ...change })
  const kept = merged.filter((entry): entry is [string, string] => entry[1] !== null)
  return kept.length > METADATA_KEYS_MAX ? null : Object.fromEntries(kept)
}
