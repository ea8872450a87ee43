// The end of a withdrawal on the chain, in one transaction with the ledger.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordStay, recordWithdrawal } from '../ledger/index.ts'
import { lockAccount } from '../payment-accounts/index.ts'
import { lockAnyWithdrawal, saveFailure, saveLeaving, UNDER_WAY } from './store.ts'
import type { WithdrawalRow } from './view.ts'

const UNITS_OF_CENT = 10_000

/** The final block of a withdrawal's transaction. */
export interface WithdrawalBlock {
  transactionHash: Buffer
  blockNumber: number
  blockHash: Buffer
}

/** The money has left. False where the withdrawal has ended before; `now` of the installation. */
export async function landWithdrawal(
  sql: TxSql,
  id: string,
  { block, now }: { block: WithdrawalBlock; now: EpochMs },
): Promise<boolean> {
  const held = await lockUnended(sql, id)
  if (held === null) return false
  const { paymentAccountId, amountCents } = held
  const entry = entryOf(held, now)
  await recordWithdrawal(sql, entry, { paymentAccountId, cents: amountCents, causeId: id })
  await sql`
    update payment_accounts set leaving_cents = leaving_cents - ${amountCents},
      balance_cents = greatest(0, balance_cents - ${amountCents}),
      withdrawn_units = withdrawn_units + ${amountCents}::bigint * ${UNITS_OF_CENT}::bigint
    where id = ${paymentAccountId}`
  await sql`
    update payment_withdrawals set status = 'completed', completed_at = ${entry.now},
      transaction_hash = ${block.transactionHash}, block_number = ${block.blockNumber},
      block_hash = ${block.blockHash}
    where id = ${id}`
  return true
}

/** Nothing left: the money is available again. False where the withdrawal has ended before. */
export async function failWithdrawal(
  sql: TxSql,
  id: string,
  { failure, now }: { failure: NonNullable<WithdrawalRow['failure']>; now: EpochMs },
): Promise<boolean> {
  const held = await lockUnended(sql, id)
  if (held === null) return false
  const { paymentAccountId, amountCents } = held
  const entry = entryOf(held, now)
  await recordStay(sql, entry, { paymentAccountId, cents: amountCents, causeId: id })
  await saveLeaving(sql, paymentAccountId, -amountCents)
  await sql`select pg_notify('svc_config', '')`
  return saveFailure(sql, id, { failure, now: entry.now })
}

async function lockUnended(sql: TxSql, id: string): Promise<WithdrawalRow | null> {
  const held = await lockAnyWithdrawal(sql, id)
  if (held === null || !UNDER_WAY.includes(held.status as (typeof UNDER_WAY)[number])) return null
  await lockAccount(sql, held, held.paymentAccountId)
  return held
}

function entryOf({ tenantId, environment, chainId, clockOffsetMs }: WithdrawalRow, now: EpochMs) {
  return { tenantId, environment, chainId, now: now + clockOffsetMs }
}
