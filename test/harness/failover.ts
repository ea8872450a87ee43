// A standby of PostgreSQL that takes over without what its primary did last, while nodes still have
// the transactions.
import type { Test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { readOldestNonce } from '../../api/payments/settler/attempt-store.ts'
import { type Payee, startSettlement } from './settlement.ts'

/** The database forgets every transaction from a nonce on, as an older copy of it would. */
export async function loseSends(sql: Sql, from: number): Promise<void> {
  await sql`
    update settlement_batches b set status = 'open', transaction_hash = null,
      block_number = null, block_hash = null, gas_used = null
    from settlement_attempts a
    where a.batch_id = b.id and a.nonce >= ${from} and b.status in ('submitted', 'included')`
  for (const table of ['payment_captures', 'payment_refunds'])
    await sql`
      update ${sql(table)} i set status = 'pending' from settlement_batches b
      where b.id = i.settlement_batch_id and b.status = 'open'
        and i.status in ('submitted', 'included')`
  await sql`delete from settlement_attempts where nonce >= ${from}`
  await sql`update settlement_wallets set next_nonce = ${from}`
}

/** The database forgets its open batches: their items wait again. */
export async function loseClosings(sql: Sql): Promise<void> {
  const open = sql`(select id from settlement_batches where status = 'open')`
  for (const table of ['payment_captures', 'payment_refunds'])
    await sql`
      update ${sql(table)} set settlement_batch_id = null where settlement_batch_id in ${open}`
  await sql`delete from settlement_batch_payments where settlement_batch_id in ${open}`
  await sql`delete from settlement_batches where status = 'open'`
}

/** A line with two payees, and a failover that is played by forgetting and mining. */
export async function failoverWorld(t: Test) {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, other] = [await at.addPayee(tenant, 0), await at.addPayee(tenant, 0)]
  const payer = await at.addPayer(tenant, 100_000)
  await at.mine(3)
  await at.round()
  /** The bytes in flight, by their nonces. */
  const sent = async (): Promise<string[]> => {
    const rows = await at.sql<{ signed: Buffer }[]>`
      select signed from settlement_attempts where final_block is null order by nonce, attempt`
    return rows.map(({ signed }) => '0x' + signed.toString('hex'))
  }
  /** The database and the pool forget what is not final; returns the bytes by their nonces. */
  const forget = async (): Promise<string[]> => {
    const all = await sent()
    const from = await readOldestNonce(at.sql, at.config.chainId)
    if (from !== null) await loseSends(at.sql, from)
    await at.ask('anvil_dropAllTransactions', [])
    // Another block, and with it other fees.
    await at.mine(1)
    return all
  }
  /** The same, and the closings too: the items wait for a batch again. */
  const forgetClosings = async (): Promise<string[]> => {
    const all = await forget()
    await loseClosings(at.sql)
    return all
  }
  /** These bytes are mined in place of those in the pool. */
  const mineOld = async (all: readonly string[]): Promise<void> => {
    await at.ask('anvil_dropAllTransactions', [])
    for (const bytes of all) await at.ask('eth_sendRawTransaction', [bytes])
    await at.mine(1)
  }
  /** Captures of a payee that wait are not asked for yet, until `show`. */
  const hide = ({ id }: Payee) => at.sql`
    update payment_captures set status = 'asking' where status = 'pending'
      and payment_id in (select id from payments where settlement_account_id = ${id})`
  const show = () => at.sql`update payment_captures set status = 'pending' where status = 'asking'`
  const batches = () => at.sql<{ status: string; failure: object | null }[]>`
    select status, failure from settlement_batches order by id`
  const stopped = async () => {
    const [row] = await at.sql<{ reason: string | null }[]>`
      select stopped ->> 'reason' as reason from settlement_wallets`
    return row?.reason
  }
  const nodes = { forget, forgetClosings, mineOld, sent }
  return { at, payer, payee, other, hide, show, ...nodes, batches, stopped }
}
