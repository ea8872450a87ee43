// Only this module makes a tenant's row its own account.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Account } from '../../../shared/schemas/account.ts'
import type { Principal } from '../../context.ts'
import { LIMITS } from '../../http/rate/limits.ts'
import { API_VERSIONS } from '../../http/versions/chain.ts'
import { type TenantRow, tenantStatusOf } from '../tenants/index.ts'

/** The account as the owner of that key sees it at `now` of its own time. */
export function accountView(row: TenantRow, principal: Principal, now: EpochMs): Account {
  const { environment, clockOffsetMs } = principal
  const override = overrideOf(row, principal, now - clockOffsetMs)
  return {
    id: row.id,
    object: 'account',
    created: unixSeconds(row.createdAt),
    livemode: environment === 'live',
    name: row.name,
    environment,
    api_version: row.apiVersion,
    api_versions: [...API_VERSIONS],
    kyb_status: row.kybStatus,
    status: tenantStatusOf(row),
    suspended_by: row.suspendedBy,
    suspend_reason: row.suspendReason,
    entitlements: {
      realtime: row.realtimeEntitled,
      payments: environment === 'sandbox' || row.paymentsEntitled,
    },
    rate_limits: {
      buckets: Object.fromEntries(
        Object.entries(LIMITS).map(([bucket, limit]) => [bucket, limit * (override?.factor ?? 1)]),
      ),
      override,
    },
    sandbox_clock:
      environment === 'live' ? null : { now: unixSeconds(now), offset_ms: clockOffsetMs },
  }
}

/** Overrides end by the installation's clock. */
function overrideOf(
  { overrides }: TenantRow,
  { environment }: Principal,
  installationNow: EpochMs,
): Account['rate_limits']['override'] {
  const override = overrides.find(
    (one) => one.environment === environment && installationNow < one.expires_at,
  )
  if (override === undefined) return null
  return { factor: override.factor, expires_at: unixSeconds(override.expires_at) }
}
