// An API key as the outside sees it. Spec 2.10. The secret itself is shown exactly once, by the
// call that makes it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

const KEY_ENVIRONMENTS = ['sandbox', 'live'] as const
const KEY_ROLES = ['secret', 'publishable'] as const
const SCOPES = ['read', 'write', 'admin'] as const
export const KEY_STATUSES = ['active', 'pending', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])
/** Unix seconds. */
const MomentOrNull = Type.Union([Type.Integer(), Type.Null()])

export const ApiKey = Type.Object({
  id: Type.String(),
  object: Type.Literal('api_key'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  environment: described(
    Type.Enum([...KEY_ENVIRONMENTS]),
    'The environment of the resources the key reaches; livemode says the same as a boolean.',
  ),
  name: described(Type.String(), 'The name that people gave the key.'),
  role: described(
    Type.Enum([...KEY_ROLES]),
    'A secret key is for servers, a publishable one may stand in a page or an app.',
  ),
  scope: described(
    Type.Enum([...SCOPES]),
    'The permissions of the key: read, write (and read), or admin (everything).',
  ),
  status: Type.Enum([...KEY_STATUSES]),
  prefix: described(Type.String(), 'The first characters of the secret.'),
  last4: described(Type.String(), 'The last four characters of the secret.'),
  cidrs: described(
    Type.Array(Type.String()),
    'Address ranges it may be used from; none: from anywhere.',
  ),
  created_by: described(
    TextOrNull,
    'The person who approved the key, or the key that made it; null for the first keys of the installation.',
  ),
  last_used_at: described(
    MomentOrNull,
    'Unix seconds of its last call, to the minute; null before the first.',
  ),
  last_used_ip: described(TextOrNull, 'The address of its last call; null before the first.'),
  revokes_at: described(MomentOrNull, 'Until then a pending key works; null in the other states.'),
  expires_at: described(
    MomentOrNull,
    'Unix seconds from which the key is refused, by the clock of its account; null: no end.',
  ),
  revoked_at: described(MomentOrNull, 'Unix seconds; null while it is not revoked.'),
  browser_sightings: described(
    Type.Array(
      Type.Object({
        origin: described(Type.String(), 'The origin that the browser named.'),
        first_at: described(Type.Integer(), 'Unix seconds of the first call from there.'),
        last_at: described(Type.Integer(), 'Unix seconds of the last call from there.'),
        count: described(Type.Integer(), 'How many calls came from there.'),
      }),
    ),
    'Web pages from which it was sent. A secret key that has any is in the hands of strangers.',
  ),
  ...TENANT_FIELDS,
})
export type ApiKey = Static<typeof ApiKey>

/** The response to the creation of a key: the only time its secret is shown. */
export const CreatedApiKey = Type.Object({ ...ApiKey.properties, secret: Type.String() })
export type CreatedApiKey = Static<typeof CreatedApiKey>
