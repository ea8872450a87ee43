// The money of a tenant on its way through settlement. Paid out is read from the ledger, the rest
// from the captures and refunds that have not landed.
import type { SettlementBalance } from '../../../shared/schemas/settlement-balance.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import type { Context, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { findSettlementAccount } from '../settlement-accounts/index.ts'
import { readBalanceSums } from './balance-store.ts'

/** The sums of one settlement account, or of all accounts of the tenant. */
export async function readBalance(
  { sql, principal }: Context,
  settlementAccountId: string | null,
): Promise<SettlementBalance> {
  await requireAccount(sql, principal, settlementAccountId)
  const sums = await readBalanceSums(sql, principal, settlementAccountId)
  return {
    object: 'settlement_balance',
    livemode: principal.environment === 'live',
    settlement_account_id: settlementAccountId,
    currency: 'USD',
    pending_cents: sums.pendingCents,
    in_settlement_cents: sums.inSettlementCents,
    paid_out_cents: centsOfUnits(BigInt(sums.paidUnits)),
    refunds_due_cents: sums.refundsDueCents,
  }
}

/** Throws `resource_missing` for an account that the owner has not; null names all accounts. */
export async function requireAccount(
  sql: SqlTag,
  owner: Owner,
  settlementAccountId: string | null,
): Promise<void> {
  if (settlementAccountId === null) return
  if ((await findSettlementAccount(sql, owner, settlementAccountId)) === null)
    throw new Refusal('resource_missing', { param: 'settlement_account_id' })
}
