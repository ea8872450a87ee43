// Operators grant these beyond the defaults: real-time authorization, and higher rate limits for a
// while.
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import { write } from '../../write/write.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import {
  removeOverrides,
  saveEntitlement,
  saveOverride,
  savePaymentsEntitlement,
} from '../tenants/index.ts'
import { changeTenant } from './change-tenant.ts'

/** From the answer on, the engine starts or stops asking the tenant for programs that opted in. */
export async function grantRealtime(
  context: OperatorContext,
  input: { tenantId: string; entitled: boolean },
): Promise<Tenant> {
  const { tenantId, entitled } = input
  return writeConfirmed(
    context,
    (sql) =>
      changeTenant(sql, context, tenantId, async (tenant) =>
        tenant.realtimeEntitled === entitled ? tenant : saveEntitlement(sql, tenantId, entitled),
      ),
    { safeToRepeat: true },
  )
}

/** Opens or closes payments of the tenant in live; the sandbox is open to every tenant. */
export async function grantPayments(
  context: OperatorContext,
  input: { tenantId: string; entitled: boolean },
): Promise<Tenant> {
  const { tenantId, entitled } = input
  return write(context, (sql) =>
    changeTenant(sql, context, tenantId, async (tenant) =>
      tenant.paymentsEntitled === entitled
        ? tenant
        : savePaymentsEntitlement(sql, tenantId, entitled),
    ),
  )
}

/**
 * Raises the rate limits of the tenant's sandbox for a limited time; a second call replaces the
 * first. Spec 8.
 */
export async function liftRateLimits(
  context: OperatorContext,
  input: { tenantId: string; factor: number; seconds: number },
): Promise<Tenant> {
  const { tenantId, factor, seconds } = input
  const expiresAt = context.now + seconds * 1000
  return write(context, (sql) =>
    changeTenant(sql, context, tenantId, () => saveOverride(sql, tenantId, { factor, expiresAt })),
  )
}

/** Restores the rate limits early. Without raised rate limits nothing changes. */
export async function restoreRateLimits(
  context: OperatorContext,
  input: { tenantId: string },
): Promise<Tenant> {
  const { tenantId } = input
  return write(context, (sql) =>
    changeTenant(sql, context, tenantId, async (tenant) =>
      tenant.overrides.length === 0 ? tenant : removeOverrides(sql, tenantId),
    ),
  )
}
