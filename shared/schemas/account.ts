// A tenant as it sees itself with the key that asks: its pinned version, its entitlements and its
// clock.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { SUSPENDER } from './program.ts'
import { KYB_STATUSES } from './tenant.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal('account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  name: described(Type.String(), 'The name of the tenant.'),
  environment: described(Type.Enum(['sandbox', 'live']), 'The environment of the key that asks.'),
  // Spec 9.
  api_version: described(
    Type.String(),
    'The version its answers and events are in, in both environments.',
  ),
  api_versions: described(
    Type.Array(Type.String()),
    'Every version that may be pinned, newest first.',
  ),
  kyb_status: described(
    Type.Enum([...KYB_STATUSES]),
    'Only once approved are there live keys and active live programs.',
  ),
  status: described(Type.Enum(['active', 'suspended']), 'While suspended, nothing new is made.'),
  suspended_by: described(
    Type.Union([SUSPENDER, Type.Null()]),
    'The party that suspended the tenant; null while it is not suspended.',
  ),
  suspend_reason: described(
    TextOrNull,
    'The reason of the suspension, in the words of the party that suspended it; null while it is not suspended.',
  ),
  entitlements: described(
    Type.Object({
      realtime: described(Type.Boolean(), 'May be asked before an approval.'),
      payments: described(Type.Boolean(), 'May take payments; in the sandbox every tenant may.'),
    }),
    'Features that an operator has granted.',
  ),
  rate_limits: described(
    Type.Object({
      // Spec 8.
      buckets: described(
        Type.Record(Type.String(), Type.Integer()),
        'Calls per minute of this environment, by bucket.',
      ),
      override: described(
        Type.Union([
          Type.Object({ factor: Type.Integer(), expires_at: Type.Integer() }),
          Type.Null(),
        ]),
        'How many times the usual, and until when (Unix seconds, by our clock); null where nothing was lifted.',
      ),
    }),
    'How often this environment may be called.',
  ),
  sandbox_clock: described(
    Type.Union([
      Type.Object({
        now: described(Type.Integer(), 'Unix seconds by it.'),
        offset_ms: described(Type.Integer(), 'How far it is ahead of ours.'),
      }),
      Type.Null(),
    ]),
    'The time in the sandbox; null in live.',
  ),
})
export type Account = Static<typeof Account>
