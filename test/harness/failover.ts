// A standby of PostgreSQL that takes over without what its primary did last, while nodes still have
// the transactions.
import type { Test } from 'tap'
import { type Payee, startSettlement } from './settlement.ts'

/** A line with two payees, and a failover that is played by forgetting and mining. */
export async function failoverWorld(t: Test) {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, other] = [await at.addPayee(tenant, 0), await at.addPayee(tenant, 0)]
  const payer = await at.addPayer(tenant, 100_000)
  await at.mine(3)
  await at.round()
  /** The database and the pool forget what is not final; returns the bytes by their nonces. */
  const forget = async (): Promise<string[]> => {
    const sent = await at.sql<{ nonce: number; signed: Buffer }[]>`
      delete from settlement_attempts where final_block is null returning nonce, signed`
    await at.sql`update settlement_wallets set next_nonce = next_nonce - ${sent.length}`
    await at.sql`
      update settlement_batches set status = 'open', transaction_hash = null
      where status = 'submitted'`
    await at.sql`update payment_captures set status = 'pending' where status = 'submitted'`
    await at.ask('anvil_dropAllTransactions', [])
    // Another block, and with it other fees.
    await at.mine(1)
    return sent
      .sort((one, next) => one.nonce - next.nonce)
      .map(({ signed }) => '0x' + signed.toString('hex'))
  }
  /** The same, and the closings too: the items wait for a batch again. */
  const forgetClosings = async (): Promise<string[]> => {
    const sent = await forget()
    await at.sql`
      update payment_captures set settlement_batch_id = null
      where settlement_batch_id in (select id from settlement_batches where status = 'open')`
    await at.sql`
      update payment_refunds set settlement_batch_id = null, status = 'pending'
      where settlement_batch_id in (select id from settlement_batches where status = 'open')`
    await at.sql`
      delete from settlement_batch_payments
      where settlement_batch_id in (select id from settlement_batches where status = 'open')`
    await at.sql`delete from settlement_batches where status = 'open'`
    return sent
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
  /** The bytes in flight, by their nonces. */
  const sent = async (): Promise<string[]> => {
    const rows = await at.sql<{ signed: Buffer }[]>`
      select signed from settlement_attempts where final_block is null order by nonce, attempt`
    return rows.map(({ signed }) => '0x' + signed.toString('hex'))
  }
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
