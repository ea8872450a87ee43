// An operator's view of withdrawals of every tenant, and the word that cancels one.
import type { Page } from '../../../shared/schemas/list.ts'
import type {
  PaymentWithdrawal,
  PaymentWithdrawalOfTenant,
} from '../../../shared/schemas/payment-withdrawal.ts'
import type { OperatorContext } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import {
  listAllWithdrawals,
  lockAnyWithdrawal,
  type OperatorWithdrawalFilters,
  saveCancelRequest,
  saveWithdrawal,
} from './store.ts'
import { statusAt, withdrawalView } from './view.ts'

/** Withdrawals of every tenant, newest first. */
export async function readAllWithdrawals(
  { sql, now }: OperatorContext,
  query: PageQuery & OperatorWithdrawalFilters,
): Promise<Page<PaymentWithdrawalOfTenant>> {
  const page = await listAllWithdrawals(sql, { ...query, now })
  return mapPage(page, (row) => ({
    ...withdrawalView(row, now + row.clockOffsetMs),
    tenant_id: row.tenantId,
  }))
}

/**
 * Before the holder's approval the withdrawal is canceled. Afterwards the settler is asked to: it
 * frees the nonce with an empty transaction, or fails the withdrawal before a signature. The money
 * leaves all the same where the withdrawal's own transaction was faster.
 */
export async function cancelAnyWithdrawal(
  context: OperatorContext,
  id: string,
): Promise<PaymentWithdrawal> {
  return write(context, async (sql) => {
    const held = await lockAnyWithdrawal(sql, id)
    if (held === null) throw new Refusal('resource_missing')
    const now = context.now + held.clockOffsetMs
    const status = statusAt(held, now)
    requireState(status, ['needs_confirmation', 'expired', 'pending', 'submitted'])
    const isApproved = status === 'pending' || status === 'submitted'
    if (isApproved) await saveCancelRequest(sql, id, context.now)
    const after = isApproved ? held : await saveWithdrawal(sql, id, { status: 'canceled' })
    await auditOperator(sql, context, held, id)
    return withdrawalView(after, now)
  })
}
