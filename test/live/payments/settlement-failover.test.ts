// A standby of PostgreSQL takes over without the last sends, which stand in the pools of nodes: the
// settler signs the same batches again, and the old transactions are mined.
import { test } from 'tap'
import type { JsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { LOG_BLOCKS_MAX } from '../../../api/payments/chain/log-search.ts'
import { LeadLost } from '../../../api/payments/settler/line.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { failoverWorld } from '../../harness/failover.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay } from '../../harness/settlement.ts'

const CENTS = 10

if (!hasAnvil)
  test('failover', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  test('a batch that was signed again lands by its first transaction', async (t) => {
    const { at, payer, payee, forget, mineOld, batches, stopped } = await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forget()
    await at.round()
    t.match(await batches(), [{ status: 'submitted' }])
    await mineOld(old)
    await at.settle()
    t.match(await batches(), [{ status: 'completed', failure: null }])
    t.equal(await stopped(), null)
    await paidOnce(t, { at, payer, payee })
    await pay(at, { payer, payee, cents: CENTS })
    await at.settle()
    t.match(await batches(), [{ status: 'completed' }, { status: 'completed' }])
    await paidOnce(t, { at, payer, payee })
  })

  test('a batch that reverts because its first transaction landed has not failed', async (t) => {
    const { at, payer, payee, other, forget, mineOld, batches, stopped } = await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forget()
    // Another batch takes the nonce of the forgotten transaction.
    await at.sql`update settlement_batches set refused_since = ${at.clock.nowMs}`
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    t.match(await batches(), [{ status: 'submitted' }, { status: 'submitted' }])
    await mineOld(old)
    await at.settle()
    await at.settle()
    t.match(await batches(), [{ status: 'completed', failure: null }, { status: 'completed' }])
    t.equal(await stopped(), null, 'the other batch has got another nonce')
    await paidOnce(t, { at, payer, payee })
  })

  test('a batch that was not signed again lands at the nonce of another', async (t) => {
    const { at, payer, payee, other, forget, mineOld, batches, stopped } = await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forget()
    // The rehearsal refuses the batch while another one takes the nonce.
    await at.sandbox.callToken('setBlocked', [payee.address, true])
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    t.match(await batches(), [{ status: 'open' }, { status: 'submitted' }])
    await at.ask('anvil_dropAllTransactions', [])
    await at.sandbox.callToken('setBlocked', [payee.address, false])
    await mineOld(old)
    await at.settle()
    await at.settle()
    t.match(await batches(), [{ status: 'completed', failure: null }, { status: 'completed' }])
    t.equal(await stopped(), null)
    t.equal(at.line.counts.failed, 0)
    t.match(await at.sql`select nonce from settlement_attempts where signed = ''`, [{ nonce: 0 }])
    await paidOnce(t, { at, payer, payee })
    await paidOnce(t, { at, payer, payee: other })
  })

  test('an old transaction that reverts at the nonce of another batch frees it', async (t) => {
    const { at, payer, payee, other, forget, mineOld, batches, stopped } = await failoverWorld(t)
    // The old transactions: the batch of `other` at nonce 0, that of `payee` at nonce 1.
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const [, old = ''] = await forget()
    // The new ones in the other order.
    await at.sql`
      update settlement_batches set refused_since = ${at.clock.nowMs}
      where settlement_account_id = ${other.id}`
    await at.round()
    const signed = await at.sql<{ account: string; signed: Buffer }[]>`
      select b.settlement_account_id as account, a.signed from settlement_attempts a
      join settlement_batches b on b.id = a.batch_id order by a.nonce`
    t.match(signed, [{ account: payee.id }, { account: other.id }])
    await mineOld(['0x' + signed[0]?.signed.toString('hex'), old])
    await at.settle()
    await at.settle()
    t.match(await batches(), [{ status: 'completed' }, { status: 'completed' }])
    t.equal(await stopped(), null)
    t.equal(at.line.counts.failed, 0)
    await paidOnce(t, { at, payer, payee })
    await paidOnce(t, { at, payer, payee: other })
  })

  test('a batch that failed before its old transaction paid stops settling', async (t) => {
    const { at, payer, payee, other, forget, mineOld, batches, stopped } = await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forget()
    await at.sql`update settlement_batches set cancel_requested_at = 1`
    await at.round()
    t.match(await batches(), [{ status: 'failed', failure: { code: 'cancelled' } }])
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    await mineOld(old)
    await at.settle()
    t.equal(await stopped(), 'foreign_transaction')
    t.match((await batches())[1], { status: 'submitted' })
  })

  test('nothing fails while a foreign transaction stops settling', async (t) => {
    const { at, payer, payee, other, mineOld, batches, stopped } = await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    const [, second] = await at.sql<{ signed: Buffer }[]>`
      select signed from settlement_attempts order by nonce`
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
    const { chainId, signer } = { ...at.config, ...at.line }
    const empty = { chainId, nonce: 0, to: signer.address, data: '0x', gas: 21_000n } as const
    const foreign = await signer.signTransaction({ ...empty, ...fees })
    await at.ask('anvil_dropAllTransactions', [])
    await at.sandbox.callToken('setBlocked', [other.address, true])
    await mineOld([foreign.bytes, '0x' + second?.signed.toString('hex')])
    await at.settle()
    t.equal(await stopped(), 'foreign_transaction')
    t.match((await batches())[1], { status: 'included', failure: null })
    await at.sql`update settlement_wallets set stopped = null, known_nonce = 1`
    await at.round()
    t.match((await batches())[1], { status: 'failed', failure: { code: 'reverted' } })
    await at.settle()
    t.match((await batches())[0], { status: 'completed' }, 'by another nonce')
  })

  test('an adoption asks for logs after the last compared block, in ranges', async (t) => {
    const { at, payer, payee, forget, mineOld, batches, stopped } = await failoverWorld(t)
    await at.mine(2 * LOG_BLOCKS_MAX)
    await at.round()
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    await mineOld(await forget())
    await at.mine(2 * LOG_BLOCKS_MAX)
    const ranges: { from: number; to: number }[] = []
    const rpc: JsonRpc = {
      host: at.rpc.host,
      call(method, params) {
        const filter = params[0] as { fromBlock: string; toBlock: string }
        if (method === 'eth_getLogs')
          ranges.push({ from: Number(filter.fromBlock), to: Number(filter.toBlock) })
        return at.rpc.call(method, params)
      },
    }
    const [compared] = await at.sql<{ block: number }[]>`
      select final_block as block from settlement_wallets`
    const head = Number(await at.ask('eth_blockNumber', []))
    const { line, state } = await at.newLine([rpc])
    await runRound(line, state)
    t.match(await batches(), [{ status: 'completed' }])
    t.equal(await stopped(), null)
    const [first, ...more] = ranges
    t.same(first, { from: head - LOG_BLOCKS_MAX + 1, to: head }, 'from the head on')
    t.equal(more.length, 2, 'the range that has the event is the last one')
    for (const [at, { from, to }] of more.entries())
      t.ok(to === (ranges[at]?.from ?? 0) - 1 && to - from < LOG_BLOCKS_MAX, from + ' to ' + to)
    t.equal(more.at(-1)?.from, (compared?.block ?? 0) + 1, 'no block that was compared before')
    Object.assign(at.line, { epoch: line.epoch })
    await paidOnce(t, { at, payer, payee })
  })

  test('an epoch that a failover lost is not given again', async (t) => {
    const { at, payer, payee } = await failoverWorld(t)
    const lost = await at.newLine()
    await at.sql`update settlement_wallets set epoch = ${lost.line.epoch - 1}`
    const next = await at.newLine()
    await pay(at, { payer, payee, cents: CENTS })
    await t.rejects(runRound(lost.line, lost.state), LeadLost)
    await runRound(next.line, next.state)
    t.match(await at.sql`select status from settlement_batches`, [{ status: 'submitted' }])
  })
}
