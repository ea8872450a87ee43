// Decides the verification of a tenant's business: an approval opens live for the tenant, with the
// program of its application.
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { applyKybDecision } from '../kyb/index.ts'
import { KYB_MOVES, saveKyb } from '../tenants/index.ts'
import { changeTenant } from './change-tenant.ts'

interface DecisionInput {
  tenantId: string
  move: 'approve' | 'reject'
  reason: string | null
}

/** Chosen: repeating a decision keeps the first reason. */
export function decideKyb(context: OperatorContext, input: DecisionInput): Promise<Tenant> {
  return write(context, (sql) => applyDecision(sql, context, input))
}

/** Decides in the caller's transaction, which also writes the log of the operators. */
export function applyDecision(
  sql: TxSql,
  context: OperatorContext,
  { tenantId, move, reason }: DecisionInput,
): Promise<Tenant> {
  const { from, to } = KYB_MOVES[move]
  return changeTenant(sql, context, tenantId, async (tenant) => {
    if (tenant.kybStatus === to) return tenant
    requireState(tenant.kybStatus, from)
    const saved = await saveKyb(sql, tenantId, { status: to, reason, decidedAt: context.now })
    const { operatorId: by, now } = context
    const decided = { tenantId, tenantName: tenant.name, decision: to, reason, by, now }
    await applyKybDecision(sql, context, decided)
    return saved
  })
}
