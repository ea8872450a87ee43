// A tenant as operators see it: its identity, the verification of its business, its suspension and
// its entitlements.
import { type Static, Type } from 'typebox'
import { KEY_SCOPES } from '../api-key.ts'
import { SUSPENDER } from './program.ts'

export const KYB_STATUSES = ['pending', 'submitted', 'approved', 'rejected'] as const
export type KybStatus = (typeof KYB_STATUSES)[number]

const TENANT_STATUSES = ['active', 'suspended'] as const
export type TenantStatus = (typeof TENANT_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const SecondsOrNull = Type.Union([Type.Integer(), Type.Null()])

/**
 * Chosen: rates are raised for load tests and never lowered, a thousandfold at most, for thirty
 * days at most.
 */
const FACTOR_MAX = 1000
const LIFTED_S_MAX = 30 * 24 * 3600

const RateLimitOverride = Type.Object({
  /** Spec 8: they can be lifted in the sandbox, and nowhere else. */
  environment: Type.Literal('sandbox'),
  /** Every bucket holds, and refills, so many times as much. */
  factor: Type.Integer(),
  /** Unix seconds. */
  expires_at: Type.Integer(),
})

export const Tenant = Type.Object({
  id: Type.String(),
  object: Type.Literal('tenant'),
  created: Type.Integer(),
  /** The name of the tenant. */
  name: Type.String(),
  legal_name: TextOrNull,
  /** ISO 3166-1 alpha-2. */
  country: TextOrNull,
  /** The version it is pinned to. Spec 9. */
  api_version: Type.String(),
  /** Only once approved are there live keys and active live programs. */
  kyb_status: Type.Enum([...KYB_STATUSES]),
  /** Why it was decided like that, in the operator's words. */
  kyb_reason: TextOrNull,
  /** Unix seconds; null before the decision. */
  kyb_decided_at: SecondsOrNull,
  /** While suspended, nothing new is made, and its programs are suspended with it. */
  status: Type.Enum([...TENANT_STATUSES]),
  /** The party that wanted the suspension; null while the tenant is not suspended. */
  suspended_by: Type.Union([SUSPENDER, Type.Null()]),
  /**
   * The reason of the suspension, in the words of the party that suspended it; null while it is not
   * suspended.
   */
  suspend_reason: TextOrNull,
  /** Unix seconds; null while it is not suspended. */
  suspended_at: SecondsOrNull,
  /** May be asked before an approval. */
  realtime_entitled: Type.Boolean(),
  /** May take payments in live. */
  payments_entitled: Type.Boolean(),
  /** Those that have not run out. */
  rate_limit_overrides: Type.Array(RateLimitOverride),
})
export type Tenant = Static<typeof Tenant>

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

const NewTenant = Type.Object({
  /** The name of the tenant. */
  name: Name,
  /** The legal name of the business. */
  legal_name: Name,
  /** ISO 3166-1 alpha-2. */
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  /** The version it is pinned to; the newest where it names none. */
  api_version: Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })),
})
export const NEW_TENANT_INPUT = NewTenant.properties
export type NewTenantInput = Static<typeof NewTenant>

/** An operator's reason for a call that affects a tenant. */
export const OPERATOR_REASON = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

export const SUSPENSION_INPUT = {
  /** The party that wants the suspension. */
  suspended_by: SUSPENDER,
  reason: OPERATOR_REASON,
}

export const RATE_LIMIT_INPUT = {
  factor: Type.Integer({ minimum: 1, maximum: FACTOR_MAX }),
  /** How long from now. */
  seconds: Type.Integer({ minimum: 1, maximum: LIFTED_S_MAX }),
}

/** The first key of a tenant; it makes others itself. */
export const ISSUED_KEY_INPUT = {
  environment: Type.Enum(['sandbox', 'live'], { description: 'Where the key works.' }),
  /** Admin if it is left out. */
  scope: Type.Optional(Type.Enum([...KEY_SCOPES])),
  name: Type.Optional(Name),
}
