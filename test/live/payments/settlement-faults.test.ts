import { type Test, test } from 'tap'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { tx } from '../../../api/database/transaction.ts'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { listUndecided, lockAnyPayment, retryFailed } from '../../../api/payments/payments/index.ts'
import { LeadLost } from '../../../api/payments/settler/line.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../../shared/clock.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { type PaidOnceWorld, paidOnce } from '../../harness/paid-once.ts'
import { pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'

const CENTS = 10

async function world(t: Test): Promise<PaidOnceWorld> {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 100_000)]
  await at.mine(2)
  await at.round()
  return { at, payer, payee }
}

async function latest({ sql }: SettlementStand) {
  const [row] = await sql<
    {
      id: string
      status: string
      trigger: string
      failure: { code: string } | null
      review: object | null
    }[]
  >`select id, status, trigger, failure, review from settlement_batches order by id desc limit 1`
  return row
}

test('faults of the chain', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const stage = await world(t)
  const { at, payer, payee } = stage
  const one = () => pay(at, { payer, payee, cents: CENTS })

  await t.test('a reorganization before finality is no event, and nothing is lost', async (t) => {
    for (const depth of [1, 2]) {
      await one()
      await at.round()
      await at.mine(1)
      await at.round()
      t.match(await latest(at), { status: 'included' })
      if (depth === 2) await at.mine(1)
      await at.ask('anvil_reorg', [depth, []])
      await at.round()
      t.match(await latest(at), { status: 'submitted' }, 'the same bytes are sent again')
      await at.settle()
      t.match(await latest(at), { status: 'completed' })
    }
    t.equal(at.line.counts.reorgs, 2)
    await paidOnce(t, stage)
  })

  await t.test('fees rise with the same call and nonce, and either attempt may land', async (t) => {
    await one()
    await at.round()
    // The pool drops it, and blocks pass without it.
    await at.ask('anvil_dropAllTransactions', [])
    await at.mine(4)
    await at.round()
    const attempts = await at.sql<{ nonce: number; signed: Buffer; max: string }[]>`
      select nonce, signed, max_fee_wei::text as max from settlement_attempts
      where final_block is null order by attempt`
    t.equal(attempts.length, 2, 'a new attempt is stored')
    t.equal(new Set(attempts.map(({ nonce }) => nonce)).size, 1)
    t.ok(BigInt(attempts[1]?.max ?? 0) * 100n > BigInt(attempts[0]?.max ?? 0) * 110n)
    // The older one is mined after all.
    await at.ask('anvil_dropAllTransactions', [])
    await at.ask('eth_sendRawTransaction', ['0x' + attempts[0]?.signed.toString('hex')])
    await at.mine(3)
    await at.round()
    t.match(await latest(at), { status: 'completed' })
    await paidOnce(t, stage)
  })

  await t.test('RPCs that are away or disagree delay and fail nothing', async (t) => {
    const fake = await startRpcFake(at.url)
    t.teardown(() => fake.close())
    const bounds = { callMsMax: 10_000, answerBytesMax: 16_000_000 }
    const caller = openOutsideCaller({ clock: systemClock, ...bounds })
    t.teardown(() => caller.close())
    const rpcs = [at.rpc, createJsonRpc(fake.url, caller)]
    const { line, state } = await at.newLine(rpcs)
    await one()
    await runRound(line, state)
    await at.mine(3)
    const lies: ((method: string, result: unknown) => unknown)[] = [
      (method) => (method === 'eth_getTransactionReceipt' ? null : undefined),
      (method, result) =>
        method === 'eth_getTransactionReceipt' ? { ...(result as object), logs: [] } : undefined,
    ]
    for (const lie of lies) {
      fake.change = lie
      await runRound(line, state)
      t.match(await latest(at), { status: 'submitted' }, 'disagreement stops landing')
    }
    t.ok(line.counts.disagreements >= 2)
    fake.change = (method, result) =>
      method === 'eth_getBlockByNumber' && (result as { number: string }).number !== '0x0'
        ? { ...(result as object), number: '0x2' }
        : undefined
    await runRound(line, state)
    t.not((await latest(at))?.status, 'completed', 'a node that lags makes nothing final early')
    fake.change = () => 'lost'
    await runRound(line, state)
    t.match(await latest(at), { status: 'completed' }, 'one honest node is enough in the sandbox')
    await paidOnce(t, stage)
    const back = await at.newLine()
    Object.assign(at.line, { epoch: back.line.epoch })
  })

  await t.test('a second settler takes over; the first one can write no more', async (t) => {
    await one()
    const { line, state } = await at.newLine()
    await t.rejects(at.round(), LeadLost)
    await runRound(line, state)
    await at.mine(3)
    await runRound(line, state)
    t.match(await latest(at), { status: 'completed' })
    await paidOnce(t, stage)
    Object.assign(at.line, { epoch: line.epoch })
  })

  /** Three sends of which the database knows nothing, as it was before the signatures. */
  async function forgetThree(t: Test): Promise<void> {
    for (let send = 0; send < 3; send++) {
      await one()
      await at.round()
    }
    await at.mine(3)
    const lost = await at.sql`delete from settlement_attempts where final_block is null returning 1`
    t.equal(lost.length, 3)
    await at.sql`update settlement_wallets set next_nonce = next_nonce - 3`
    await at.sql`
      update settlement_batches set status = 'open', transaction_hash = null where status <> 'completed'`
    await at.sql`update payment_captures set status = 'pending' where status = 'submitted'`
  }

  await t.test('an adoption that an RPC cuts off goes on where it stopped', async (t) => {
    await forgetThree(t)
    const fake = await startRpcFake(at.url)
    const caller = openOutsideCaller({ clock: systemClock, callMsMax: 10_000, answerBytesMax: 1e7 })
    t.teardown(async () => {
      await caller.close()
      await fake.close()
    })
    let told = 0
    fake.change = (method) =>
      method === 'eth_getTransactionByHash' && ++told > 1 ? 'lost' : undefined
    fake.alter = (method, params) =>
      method === 'eth_getBlockByNumber' && params[1] === true ? null : params
    const { line, state } = await at.newLine([createJsonRpc(fake.url, caller)])
    await runRound(line, state)
    const adopted = await at.sql`select 1 from settlement_attempts where signed = ''`
    t.equal(adopted.length, 1, 'the first one, then silence')
    t.match(line.counts.problems, [/^no RPC tells of the transaction that used nonce \d+$/])
    fake.change = () => undefined
    fake.alter = (_method, params) => params
    await runRound(line, state)
    await runRound(line, state)
    t.match(await at.sql`select stopped from settlement_wallets`, [{ stopped: null }])
    t.equal(line.counts.completed, 3)
    await paidOnce(t, stage)
    Object.assign(at.line, { epoch: line.epoch })
  })

  await t.test('a database older than the chain adopts the three sends it finds', async (t) => {
    const before = at.line.counts.completed
    await forgetThree(t)
    await at.round()
    await at.round()
    t.match(await at.sql`select 1 from settlement_batches where status <> 'completed'`, [])
    t.equal(at.line.counts.completed, before + 3)
    await paidOnce(t, stage)
  })

  await t.test('a payee that the token blocks makes no other tenant wait', async (t) => {
    const tenant = await at.newTenant()
    const other = await at.addPayee(tenant, 0)
    const theirs = await at.addPayer(tenant, CENTS)
    await at.mine(3)
    await at.round()
    await at.sandbox.callToken('setBlocked', [other.address, true])
    const bad = await pay(at, { payer: theirs, payee: other, cents: CENTS })
    const good = await one()
    await at.round()
    await at.round()
    at.clock.nowMs += 6000
    await at.settle()
    t.match(await at.sql`select status from payment_captures where id = ${bad.captureId}`, [
      { status: 'failed' },
    ])
    t.match(await at.sql`select status from payment_captures where id = ${good.captureId}`, [
      { status: 'landed' },
    ])
    await paidOnce(t, stage)
  })

  await t.test(
    'a token that pauses in the block reverts the batch, and a retry pays once',
    async (t) => {
      const { paymentId } = await one()
      await at.round()
      await at.ask('anvil_dropAllTransactions', [])
      await at.sandbox.callToken('setPaused', [true])
      await at.settle()
      t.match(await latest(at), { status: 'failed', failure: { code: 'reverted' } })
      await at.sandbox.callToken('setPaused', [false])
      await tx(at.sql, async (sql) => {
        const payment = await lockAnyPayment(sql, paymentId)
        if (payment === null) throw new Error('no payment')
        await retryFailed(sql, payment, at.clock.nowMs)
      })
      t.match((await latest(at))?.review, { status: 'resolved', resolution: 'retried' })
      await at.settle()
      t.match(await latest(at), { status: 'completed' })
      await paidOnce(t, stage)
    },
  )

  const cancel = async () => {
    const batch = await latest(at)
    await at.sql`update settlement_batches set cancel_requested_at = 1 where id = ${batch?.id ?? ''}`
  }
  const retryAll = () =>
    tx(at.sql, async (sql) => {
      for (const id of await listUndecided(sql, (await latest(at))?.id ?? '')) {
        const payment = await lockAnyPayment(sql, id)
        if (payment !== null) await retryFailed(sql, payment, at.clock.nowMs)
      }
    })

  await t.test('a cancelled batch gives its nonce up, and a retry pays once', async (t) => {
    await one()
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await cancel()
    await at.round()
    const attempts = await at.sql<{ batch: string | null }[]>`
      select batch_id as batch from settlement_attempts where final_block is null order by attempt`
    t.match(attempts, [{ batch: /^stb_/ }, { batch: null }])
    await at.settle()
    t.match(await latest(at), { status: 'failed', failure: { code: 'cancelled' } })
    t.match(await at.sql`select 1 from settlement_attempts where final_block is null`, [])
    await retryAll()
    await at.settle()
    t.match(await latest(at), { status: 'completed', trigger: 'retry' })
    await paidOnce(t, stage)
  })

  await t.test('a batch that is faster than its cancellation lands', async (t) => {
    await one()
    await at.round()
    const [first] = await at.sql<{ signed: Buffer }[]>`
      select signed from settlement_attempts where final_block is null`
    await at.ask('anvil_dropAllTransactions', [])
    await cancel()
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await at.ask('eth_sendRawTransaction', ['0x' + first?.signed.toString('hex')])
    await at.mine(3)
    await at.round()
    t.match(await latest(at), { status: 'completed', failure: null })
    await paidOnce(t, stage)
  })

  await t.test('a batch that is cancelled before its signature takes no nonce', async (t) => {
    const nonce = async () => (await at.sql`select next_nonce from settlement_wallets`)[0]
    const before = await nonce()
    await at.sandbox.callToken('setPaused', [true])
    await one()
    await at.round()
    t.match(await latest(at), { status: 'open' })
    await cancel()
    await at.round()
    t.match(await latest(at), { status: 'failed', failure: { code: 'cancelled' } })
    t.same(await nonce(), before)
    await at.sandbox.callToken('setPaused', [false])
    await retryAll()
    await at.settle()
    t.match(await latest(at), { status: 'completed' })
    await paidOnce(t, stage)
  })

  await t.test('a foreign transaction at our nonce stops settling until a word', async (t) => {
    const [wallet] = await at.sql<{ next: number }[]>`
      select next_nonce as next from settlement_wallets`
    await at.ask('anvil_setNonce', [
      at.line.signer.address,
      '0x' + ((wallet?.next ?? 0) + 1).toString(16),
    ])
    await at.mine(3)
    const { captureId } = await one()
    await at.round()
    const stopped = await at.sql<{ stopped: { reason: string } | null }[]>`
      select stopped from settlement_wallets`
    t.match(stopped, [{ stopped: { reason: 'foreign_transaction' } }])
    await at.settle()
    t.match(await at.sql`select status from payment_captures where id = ${captureId}`, [
      { status: 'pending' },
    ])
    await at.sql`
      update settlement_wallets set known_nonce = (stopped ->> 'nonce')::bigint + 1, stopped = null`
    await at.settle()
    t.match(await latest(at), { status: 'completed' })
    await paidOnce(t, stage)
  })

  await t.test('another sponsor, genesis or contract: nothing is sent', async (t) => {
    await one()
    const { line, state } = await at.newLine()
    Object.assign(at.line, { epoch: line.epoch })
    for (const change of [
      { genesisHash: '0x' + '1'.repeat(64) },
      { settlement: at.config.token },
    ]) {
      Object.assign(line.chain, { place: { ...at.config, ...change } })
      await runRound(line, state)
      t.ok(line.counts.problems.length > 0)
      t.match(await latest(at), { status: 'open' })
    }
    const stranger = privateKeyToAccount(generatePrivateKey()).address
    t.match(await at.line.chain.problems(stranger), [
      'sponsor of Settlement: not the configured one',
    ])
    await at.settle()
    t.match(await latest(at), { status: 'completed' })
  })

  await t.test('money that leaves an account without us stops settling', async (t) => {
    const { captureId } = await one()
    await at.round()
    t.match(await latest(at), { status: 'submitted' })
    await at.sql`
      insert into ledger_transfers (id, chain_id, environment, debit, credit, units, cause, cause_id,
        created_at)
      select 'ltr_test', chain_id, environment, (select id from ledger_accounts where kind = 'world'),
        id, 10000, 'test', 'test', 0 from ledger_accounts
      where kind = 'available' and owner_id = ${payer.id}`
    await at.sql`
      update ledger_accounts set balance = balance + 10000
      where kind = 'available' and owner_id = ${payer.id}`
    await at.ask('anvil_dropAllTransactions', [])
    await at.mine(3)
    await at.round()
    t.match(await at.sql`select stopped ->> 'reason' as reason from settlement_wallets`, [
      { reason: 'ledger_apart' },
    ])
    t.match(await at.sql`select status from payment_accounts where id = ${payer.id}`, [
      { status: 'suspended' },
    ])
    const waiting = await one()
    await at.settle()
    t.match(await at.sql`select status from payment_captures where id = ${captureId}`, [
      { status: 'landed' },
    ])
    t.match(await at.sql`select status from payment_captures where id = ${waiting.captureId}`, [
      { status: 'pending' },
    ])
  })
})
