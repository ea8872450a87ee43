// The invariant of settling: chain, ledger and payments tell of the same money, once.
import type { Test } from 'tap'
import { ledgerCents, type Payee, type Payer, type SettlementStand, unitsOf } from './settlement.ts'

export interface PaidOnceWorld {
  at: SettlementStand
  payer: Payer
  payee: Payee
}

/** One payer paid everything: each landed cent left it once and reached its payee once. */
export async function paidOnce(t: Test, { at, payer, payee }: PaidOnceWorld): Promise<void> {
  const [landed] = await at.sql<{ cents: number; all: number; funded: number }[]>`
    select coalesce(sum(c.amount_cents), 0)::bigint as all,
      coalesce(sum(c.amount_cents) filter (where p.settlement_account_id = ${payee.id}), 0)::bigint
        as cents,
      (select sum(units) / 10000 from ledger_transfers x join ledger_accounts l on l.id = x.credit
        where x.cause = 'deposit' and l.owner_id = ${payer.id})::bigint as funded
    from payment_captures c join payments p on p.id = c.payment_id where c.status = 'landed'`
  const [paid = 0n, left = 0n] = await unitsOf(at, [payee.address, payer.address])
  t.equal(paid, BigInt(landed?.cents ?? 0) * 10_000n, 'the payee has what landed')
  t.equal(
    left,
    BigInt((landed?.funded ?? 0) - (landed?.all ?? 0)) * 10_000n,
    'and the payer the rest',
  )
  t.equal((await ledgerCents(at.sql))['paid'] ?? 0, landed?.all, 'so says the ledger')
  const [events] = await at.sql<{ count: number; batches: number }[]>`
    select count(*), (select count(*) from settlement_batches where status = 'completed') as batches
    from events where type = 'payment.settlement_batch_completed'`
  t.equal(events?.count, events?.batches, 'one event for each batch')
}
