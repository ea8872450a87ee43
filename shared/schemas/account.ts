// A tenant as it sees itself with the key that asks: its pinned version, its entitlements and its
// clock.
import { type Static, Type } from 'typebox'
import { SUSPENDER } from './program.ts'
import { KYB_STATUSES } from './tenant.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal('account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The name of the tenant. */
  name: Type.String(),
  /** The environment of the key that asks. */
  environment: Type.Enum(['sandbox', 'live']),
  /** The version its answers and events are in, in both environments. Spec 9. */
  api_version: Type.String(),
  /** Every version that may be pinned, newest first. */
  api_versions: Type.Array(Type.String()),
  /** Only once approved are there live keys and active live programs. */
  kyb_status: Type.Enum([...KYB_STATUSES]),
  /** While suspended, nothing new is made. */
  status: Type.Enum(['active', 'suspended']),
  /** The party that suspended the tenant; null while it is not suspended. */
  suspended_by: Type.Union([SUSPENDER, Type.Null()]),
  /**
   * The reason of the suspension, in the words of the party that suspended it; null while it is not
   * suspended.
   */
  suspend_reason: TextOrNull,
  /** Features that an operator has granted. */
  entitlements: Type.Object({
    /** May be asked before an approval. */
    realtime: Type.Boolean(),
    /** May take payments; in the sandbox every tenant may. */
    payments: Type.Boolean(),
  }),
  /** How often this environment may be called. */
  rate_limits: Type.Object({
    /** Calls per minute of this environment, by bucket. Spec 8. */
    buckets: Type.Record(Type.String(), Type.Integer()),
    /**
     * How many times the usual, and until when (Unix seconds, by our clock); null where nothing was
     * lifted.
     */
    override: Type.Union([
      Type.Object({ factor: Type.Integer(), expires_at: Type.Integer() }),
      Type.Null(),
    ]),
  }),
  /** The time in the sandbox; null in live. */
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
