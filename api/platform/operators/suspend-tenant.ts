// Suspends a tenant and resumes it. The tenant's programs follow: from the answer on, issuance in
// them is refused and every authorization is declined.
import type { SuspendedBy } from '../../../shared/schemas/program.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import {
  resumeProgramsWithTenant,
  suspendProgramsWithTenant,
} from '../../issuing/programs/index.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { saveSuspension, TENANT_MOVES, tenantStatusOf } from '../tenants/index.ts'
import { changeTenant } from './change-tenant.ts'

/**
 * Chosen: suspending a suspended tenant keeps the first operator and reason, and waits for the
 * engine again.
 */
export async function suspendTenant(
  context: OperatorContext,
  input: { tenantId: string; suspendedBy: SuspendedBy; reason: string },
): Promise<Tenant> {
  const { tenantId, suspendedBy: by, reason } = input
  const { from, to } = TENANT_MOVES.suspend
  const { now } = context
  return writeConfirmed(
    context,
    (sql) =>
      changeTenant(sql, context, tenantId, async (tenant) => {
        if (tenantStatusOf(tenant) === to) return tenant
        requireState(tenantStatusOf(tenant), from)
        const suspended = await saveSuspension(sql, tenantId, { by, reason, at: now })
        await suspendProgramsWithTenant(sql, { tenantId, suspendedBy: by, reason, now })
        return suspended
      }),
    { safeToRepeat: true },
  )
}

/**
 * Resumes the programs that were suspended with the tenant; a program suspended on its own stays
 * suspended.
 */
export async function resumeTenant(
  context: OperatorContext,
  input: { tenantId: string },
): Promise<Tenant> {
  const { tenantId } = input
  const { from, to } = TENANT_MOVES.resume
  const { now } = context
  return writeConfirmed(context, (sql) =>
    changeTenant(sql, context, tenantId, async (tenant) => {
      if (tenantStatusOf(tenant) === to) return tenant
      requireState(tenantStatusOf(tenant), from)
      const resumed = await saveSuspension(sql, tenantId, null)
      await resumeProgramsWithTenant(sql, { tenantId, now })
      return resumed
    }),
  )
}
