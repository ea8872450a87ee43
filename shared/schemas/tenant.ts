// A tenant as operators see it: its identity, the verification of its business, its suspension and
// its entitlements.
import type { Static } from 'typebox'
import { KEY_SCOPES } from '../api-key.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
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
  // Spec 8.
  environment: described(
    Type.Literal('sandbox'),
    'They can be lifted in the sandbox, and nowhere else.',
  ),
  factor: described(Type.Integer(), 'Every bucket holds, and refills, so many times as much.'),
  expires_at: described(Type.Integer(), 'Unix seconds.'),
})

export const Tenant = Type.Object({
  id: Type.String(),
  object: Type.Literal('tenant'),
  created: Type.Integer(),
  name: described(Type.String(), 'The name of the tenant.'),
  legal_name: described(TextOrNull, 'The legal name of the business; null before it applied.'),
  country: described(TextOrNull, 'ISO 3166-1 alpha-2.'),
  // Spec 9.
  api_version: described(Type.String(), 'The version it is pinned to.'),
  kyb_status: described(
    Type.Enum([...KYB_STATUSES]),
    'Only once approved are there live keys and active live programs.',
  ),
  kyb_reason: described(TextOrNull, "Why it was decided like that, in the operator's words."),
  kyb_decided_at: described(SecondsOrNull, 'Unix seconds; null before the decision.'),
  status: described(
    Type.Enum([...TENANT_STATUSES]),
    'While suspended, nothing new is made, and its programs are suspended with it.',
  ),
  suspended_by: described(
    Type.Union([SUSPENDER, Type.Null()]),
    'The party that wanted the suspension; null while the tenant is not suspended.',
  ),
  suspend_reason: described(
    TextOrNull,
    'The reason of the suspension, in the words of the party that suspended it; null while it is not suspended.',
  ),
  suspended_at: described(SecondsOrNull, 'Unix seconds; null while it is not suspended.'),
  realtime_entitled: described(Type.Boolean(), 'May be asked before an approval.'),
  payments_entitled: described(Type.Boolean(), 'May take payments in live.'),
  rate_limit_overrides: described(Type.Array(RateLimitOverride), 'Those that have not run out.'),
})
export type Tenant = Static<typeof Tenant>

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

const NewTenant = Type.Object({
  name: described(Name, 'The name of the tenant.'),
  legal_name: described(Name, 'The legal name of the business.'),
  country: described(Type.String({ pattern: '^[A-Z]{2}$' }), 'ISO 3166-1 alpha-2.'),
  api_version: described(
    Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })),
    'The version it is pinned to; the newest where it names none.',
  ),
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
  suspended_by: described(SUSPENDER, 'The party that wants the suspension.'),
  reason: OPERATOR_REASON,
}

export const RATE_LIMIT_INPUT = {
  factor: described(
    Type.Integer({ minimum: 1, maximum: FACTOR_MAX }),
    'Every bucket holds, and refills, so many times as much.',
  ),
  seconds: described(Type.Integer({ minimum: 1, maximum: LIFTED_S_MAX }), 'How long from now.'),
}

/** The first key of a tenant; it makes others itself. */
export const ISSUED_KEY_INPUT = {
  environment: Type.Enum(['sandbox', 'live'], { description: 'Where the key works.' }),
  scope: described(Type.Optional(Type.Enum([...KEY_SCOPES])), 'Admin if it is left out.'),
  name: Type.Optional(Name),
}
