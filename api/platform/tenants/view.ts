// Only this module makes a tenant's row public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { SuspendedBy } from '../../../shared/schemas/program.ts'
import type { KybStatus, Tenant, TenantStatus } from '../../../shared/schemas/tenant.ts'

export interface TenantRow {
  id: string
  name: string
  /** Null for tenants older than this field. */
  legalName: string | null
  country: string | null
  apiVersion: string
  createdAt: EpochMs
  kybStatus: KybStatus
  kybReason: string | null
  kybDecidedAt: EpochMs | null
  suspendedBy: SuspendedBy | null
  suspendReason: string | null
  suspendedAt: EpochMs | null
  realtimeEntitled: boolean
  paymentsEntitled: boolean
  /** As stored: the view omits expired overrides. */
  overrides: readonly { environment: 'sandbox'; factor: number; expires_at: EpochMs }[]
}

export function tenantStatusOf(row: Pick<TenantRow, 'suspendedAt'>): TenantStatus {
  return row.suspendedAt === null ? 'active' : 'suspended'
}

/** Returns the tenant as operators see it at `now`. */
export function tenantView(row: TenantRow, now: EpochMs): Tenant {
  return {
    id: row.id,
    object: 'tenant',
    created: unixSeconds(row.createdAt),
    name: row.name,
    legal_name: row.legalName,
    country: row.country,
    api_version: row.apiVersion,
    kyb_status: row.kybStatus,
    kyb_reason: row.kybReason,
    kyb_decided_at: secondsOrNull(row.kybDecidedAt),
    status: tenantStatusOf(row),
    suspended_by: row.suspendedBy,
    suspend_reason: row.suspendReason,
    suspended_at: secondsOrNull(row.suspendedAt),
    realtime_entitled: row.realtimeEntitled,
    payments_entitled: row.paymentsEntitled,
    rate_limit_overrides: row.overrides
      .filter(({ expires_at }) => now < expires_at)
      .map(({ environment, factor, expires_at }) => ({
        environment,
        factor,
        expires_at: unixSeconds(expires_at),
      })),
  }
}

function secondsOrNull(moment: EpochMs | null): number | null {
  return moment === null ? null : unixSeconds(moment)
}
