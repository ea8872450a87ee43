// Answers of RPCs that are late, of another form or out of bounds: they delay and never stop
// settling, and nothing that they cause is signed.
import { type Test, test } from 'tap'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc, type JsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../../shared/clock.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay, startSettlement } from '../../harness/settlement.ts'

const CENTS = 10
const FUNDED_CENTS = 10_000
const HUGE_GAS = '0xffffffffff'

/** A node behind a fake, and a line that asks the fake alone, or beside the node itself. */
async function world(t: Test, withNode: 'alone' | 'beside the node') {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, FUNDED_CENTS)]
  await at.mine(10)
  const fake = await startRpcFake(at.url)
  const caller = openOutsideCaller({
    ...{ clock: systemClock, callMsMax: 10_000, answerBytesMax: 16_000_000 },
  })
  t.teardown(async () => {
    await caller.close()
    await fake.close()
  })
  const rpc = createJsonRpc(fake.url, caller)
  const rpcs: readonly JsonRpc[] = withNode === 'alone' ? [rpc] : [rpc, at.rpc]
  const { line, state } = await at.newLine(rpcs)
  const round = () => runRound(line, state)
  const honest = () =>
    Object.assign(fake, {
      alter: (_: string, params: unknown[]) => params,
      change: () => undefined,
    })
  const check = () => paidOnce(t, { at, payer, payee })
  return {
    at,
    fake,
    line,
    round,
    honest,
    check,
    buy: () => pay(at, { payer, payee, cents: CENTS }),
  }
}

async function shown({ at }: Awaited<ReturnType<typeof world>>) {
  const [row] = await at.sql<{ status: string; stopped: object | null; attempts: number }[]>`
    select status, (select stopped from settlement_wallets) as stopped,
      (select count(*) from settlement_attempts) as attempts
    from settlement_batches order by id desc limit 1`
  return row
}

if (!hasAnvil)
  test('answers', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  test('a finalized block before one that has landed is not compared', async (t) => {
    const here = await world(t, 'alone')
    const { at, fake, round, honest, buy, check } = here
    await round()
    await buy()
    await round()
    const before = await at.ask('eth_blockNumber', [])
    await at.mine(5)
    // The batch lands, and the comparison behind it finds no RPC.
    fake.alter = (method, params) =>
      method === 'eth_call' && params[1] !== 'latest' ? null : params
    await round()
    t.match(await shown(here), { status: 'completed', stopped: null })
    // The next RPC to answer has a finalized block before that of the batch.
    fake.alter = (_method, params) => (params[0] === 'finalized' ? [before, false] : params)
    for (let time = 0; time < 2; time++) await round()
    t.equal((await shown(here))?.stopped, null, 'nothing lacks, nothing is a deposit')
    t.same(await at.sql`select kind from settlement_exceptions`, [])
    honest()
    await round()
    await check()
  })

  test('an RPC without the state of a block counts as silent', async (t) => {
    const here = await world(t, 'beside the node')
    const { at, fake, round, buy, check } = here
    await round()
    let numbered = false
    fake.alter = (method, params) => {
      numbered = method === 'eth_call' && params[1] !== 'latest'
      return params
    }
    fake.change = (method) => (method === 'eth_call' && numbered ? '0x' : undefined)
    await buy()
    for (let time = 0; time < 2; time++) await round()
    await at.mine(3)
    for (let time = 0; time < 2; time++) await round()
    t.match(await shown(here), { status: 'completed', stopped: null })
    await check()
  })

  test('a receipt of another transaction is no answer', async (t) => {
    const here = await world(t, 'alone')
    const { at, fake, round, honest, buy, check } = here
    await round()
    await buy()
    await round()
    await at.mine(3)
    await round()
    const [landed] = await at.sql<{ hash: Buffer }[]>`
      select transaction_hash as hash from settlement_batches where status = 'completed'`
    t.ok(landed)
    await buy()
    await round()
    await at.mine(3)
    // The RPC answers for the batch before.
    const other = '0x' + landed?.hash.toString('hex')
    fake.alter = (method, params) => (method === 'eth_getTransactionReceipt' ? [other] : params)
    for (let time = 0; time < 2; time++) await round()
    t.match(await shown(here), { status: 'submitted', stopped: null })
    honest()
    await round()
    t.match(await shown(here), { status: 'completed', stopped: null })
    await check()
  })

  for (const [name, method, answer] of [
    ['gas beyond that of any transaction', 'eth_estimateGas', HUGE_GAS],
    ['gas that is no number', 'eth_estimateGas', '0x'],
    ['fees that are no numbers', 'eth_feeHistory', { baseFeePerGas: ['0x'], reward: [['0x1']] }],
  ] as const)
    test(name + ': nothing is signed', async (t) => {
      const here = await world(t, 'alone')
      const { at, fake, round, honest, buy, check } = here
      await round()
      fake.change = (asked) =>
        asked === method ? answer : asked === 'eth_simulateV1' ? null : undefined
      await buy()
      for (let time = 0; time < 2; time++) await round()
      t.match(await shown(here), { status: 'open', attempts: 0 })
      honest()
      await round()
      await at.mine(3)
      for (let time = 0; time < 2; time++) await round()
      t.match(await shown(here), { status: 'completed', stopped: null })
      await check()
    })
}
