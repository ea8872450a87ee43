// A tenant as it sees itself with the key that asks: what it is pinned to, what it was granted, and its clock.
import { type Static, Type } from 'typebox'
import { SUSPENDED_BY } from './program.ts'
import { KYB_STATUSES } from './tenant.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal('account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  name: Type.String(),
  environment: Type.Enum(['sandbox', 'live']),
  /** The version its answers and events are in, in both environments. Spec 9. */
  api_version: Type.String(),
  /** Every version that may be pinned, newest first. */
  api_versions: Type.Array(Type.String()),
  /** Only once approved are there live keys and active live programs. */
  kyb_status: Type.Enum([...KYB_STATUSES]),
  /** While suspended, nothing new is made. */
  status: Type.Enum(['active', 'suspended']),
  suspended_by: Type.Union([Type.Enum([...SUSPENDED_BY]), Type.Null()]),
  suspend_reason: TextOrNull,
  entitlements: Type.Object({
    /** May be asked before an approval. */
    realtime: Type.Boolean(),
  }),
  rate_limits: Type.Object({
    /** Calls per minute of this environment, by bucket. Spec 8. */
    buckets: Type.Record(Type.String(), Type.Integer()),
    /** How many times the usual, and until when (Unix seconds, by our clock); null where nothing was lifted. */
    override: Type.Union([
      Type.Object({ factor: Type.Integer(), expires_at: Type.Integer() }),
      Type.Null(),
    ]),
  }),
  /** Null in live. */
  sandbox_clock: Type.Union([
    Type.Object({
      /** Unix seconds by it. */
      now: Type.Integer(),
      /** How far it is ahead of ours. */
      offset_ms: Type.Integer(),
    }),
    Type.Null(),
  ]),
})
export type Account = Static<typeof Account>
