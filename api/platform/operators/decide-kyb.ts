// Decides the verification of a tenant's business: an approval opens live for the tenant.
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { KYB_MOVES, saveKyb } from '../tenants/index.ts'
import { changeTenant } from './change-tenant.ts'

/** Chosen: repeating a decision keeps the first reason. */
export async function decideKyb(
  context: OperatorContext,
  input: { tenantId: string; move: keyof typeof KYB_MOVES; reason: string | null },
): Promise<Tenant> {
  const { tenantId, move, reason } = input
  const { from, to } = KYB_MOVES[move]
  return write(context, (sql) =>
    changeTenant(sql, context, tenantId, async (tenant) => {
      if (tenant.kybStatus === to) return tenant
      requireState(tenant.kybStatus, from)
      return saveKyb(sql, tenantId, { status: to, reason, decidedAt: context.now })
    }),
  )
}
