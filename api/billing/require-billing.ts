// Requirements on tenant and installation before a call changes billing.
import type { EpochMs } from '../../shared/clock.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Context, OperatorContext, Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import { lockTenant, requireTenantFor } from '../platform/tenants/index.ts'

/** Environments for which a processor is configured. Without one nothing is billed there. */
export type BilledEnvironments = { readonly [environment in Environment]: boolean }

/** The port of routes that change billing. */
export interface BillingPort {
  billed: BilledEnvironments
}

/** Refuses with 403 an environment that is not billed. */
export function requireBilled({ billed }: BillingPort, environment: Environment): void {
  if (!billed[environment]) throw new Refusal('feature_not_enabled')
}

/**
 * Locks the tenant until the transaction ends, so that its changes of billing come one after the
 * other. Refuses a tenant that is suspended, or to whom live is closed.
 */
export async function lockBuyer(sql: TxSql, owner: Owner): Promise<void> {
  if ((await lockTenant(sql, owner.tenantId)) === null) throw new Refusal('resource_missing')
  await requireTenantFor(sql, owner.tenantId, owner.environment)
}

/** Locks the tenant for a change that a suspended tenant may make too: one that ends something. */
export async function lockOwner(sql: TxSql, owner: Owner): Promise<void> {
  if ((await lockTenant(sql, owner.tenantId)) === null) throw new Refusal('resource_missing')
}

/** The moment of a change of billing. */
export interface BillingMoment {
  /** Tenant time. */
  now: EpochMs
  installationNow: EpochMs
  /** Ids follow the installation's time. */
  newId(prefix: string): string
}

/** The moment of a tenant's call. */
export function billingMoment({ now, principal, newId }: Context): BillingMoment {
  return { now, installationNow: now - principal.clockOffsetMs, newId }
}

/** The moment of an operator's call about a tenant, whose locked clock says `now`. */
export function operatorMoment(
  { now: installationNow, newId }: OperatorContext,
  now: EpochMs,
): BillingMoment {
  return { now, installationNow, newId }
}
