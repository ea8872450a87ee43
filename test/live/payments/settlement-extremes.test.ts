// Settling at its extremes on a real node: fees above the cap, no gas money, deep and repeated
// reorganizations, an invented receipt, a hundred accounts of which two cannot pay.
import { type Test, test } from 'tap'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../../shared/clock.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { type Payer, pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'
import type { TestTenant } from '../../harness/tenant.ts'

const CENTS = 10
const FUNDED_CENTS = 1_000_000
const TEN_MINUTES_MS = 600_000
const GWEI = 1_000_000_000
/** Twice the cap of the test's chain. */
const DEAR_WEI = 200 * GWEI
const RICH_WEI = '0x56bc75e2d63100000'
const FINALITY = 6
const CROWD = 100
/** First captures that a transaction of 13 million gas takes. */
const FIRST_CAPTURES = 96
const BATCH_GAS_MAX = 13_000_000
const GAS_LIMIT_MAX = 15_000_000

async function world(t: Test) {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, FUNDED_CENTS)]
  await at.mine(2)
  await at.round()
  const one = () => pay(at, { payer, payee, cents: CENTS })
  return { at, tenant, payee, payer, one, check: () => paidOnce(t, { at, payer, payee }) }
}

async function latest({ sql }: SettlementStand): Promise<string> {
  const [row] = await sql<{ status: string }[]>`
    select status from settlement_batches order by id desc limit 1`
  return row?.status ?? 'none'
}

/** Rounds and blocks until the latest batch is completed. */
async function complete(t: Test, at: SettlementStand): Promise<void> {
  for (let round = 0; round < 20 && (await latest(at)) !== 'completed'; round++) {
    await at.round()
    await at.mine(2)
  }
  t.equal(await latest(at), 'completed')
}

if (!hasAnvil)
  test('settling', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  test('fees above the cap for an hour, and a sponsor without gas money, only delay', async (t) => {
    const { at, one, check } = await world(t)
    const { line } = at
    const dear = () => at.ask('anvil_setNextBlockBaseFeePerGas', ['0x' + DEAR_WEI.toString(16)])
    await dear()
    await at.mine(1)
    await one()
    for (let time = 0; time < 6; time++) {
      at.clock.nowMs += TEN_MINUTES_MS
      await at.round()
      await dear()
      await at.mine(3)
      await at.round()
      t.equal(await latest(at), 'submitted')
    }
    t.ok(line.counts.atCap > 0, 'the cap is told')
    await at.mine(20)
    await complete(t, at)

    await at.ask('anvil_setBalance', [line.signer.address, '0x0'])
    await one()
    for (let time = 0; time < 6; time++) {
      at.clock.nowMs += TEN_MINUTES_MS
      await at.round()
      await at.mine(1)
    }
    t.not(await latest(at), 'failed')
    t.not(await latest(at), 'completed')
    await at.ask('anvil_setBalance', [line.signer.address, RICH_WEI])
    await complete(t, at)
    await check()
  })

  test('reorganizations of one to five blocks, and one behind the other, pay once', async (t) => {
    const { at, one, check } = await world(t)
    Object.assign(at.config, { finality: FINALITY })
    await at.mine(2 * FINALITY)
    await at.round()
    for (let depth = 1; depth < FINALITY; depth++) {
      await one()
      await at.round()
      await at.mine(depth)
      await at.round()
      t.equal(await latest(at), 'included')
      for (const again of [depth, 1]) {
        await at.ask('anvil_reorg', [again, []])
        await at.round()
        t.equal(await latest(at), 'submitted', again + ' blocks are replaced')
        await at.mine(1)
        await at.round()
        t.equal(await latest(at), 'included', 'in another block')
      }
      await complete(t, at)
    }
    t.equal(at.line.counts.reorgs, 2 * (FINALITY - 1))
    const raised = await at.sql`
      select nonce from settlement_attempts group by nonce having count(*) > 1`
    t.same([...raised], [], 'the same bytes each time')
    await check()
  })

  test('a deposit in a block that is replaced is never funded', async (t) => {
    const { at, payer } = await world(t)
    const funded = async () =>
      (await at.sql`select funded_cents as cents from payment_accounts`)[0]?.['cents']
    t.equal(await funded(), FUNDED_CENTS)
    await at.sandbox.callToken('mint', [payer.address, unitsOfCents(500)])
    await at.round()
    t.equal(await funded(), FUNDED_CENTS, 'its block is not final')
    await at.ask('anvil_reorg', [1, []])
    await at.mine(4)
    await at.round()
    t.equal(await funded(), FUNDED_CENTS)
    t.match(await at.sql`select stopped from settlement_wallets`, [{ stopped: null }])
  })

  test('a receipt that one RPC invents lands nothing', async (t) => {
    const { at, one, check } = await world(t)
    const fake = await startRpcFake(at.url)
    const caller = openOutsideCaller({
      ...{ clock: systemClock, callMsMax: 10_000, answerBytesMax: 16_000_000 },
    })
    t.teardown(async () => {
      await caller.close()
      await fake.close()
    })
    const { line, state } = await at.newLine([at.rpc, createJsonRpc(fake.url, caller)])
    const round = () => runRound(line, state)
    const receipts: object[] = []
    fake.change = (method, result) => {
      if (method === 'eth_getTransactionReceipt' && result !== null) receipts.push(result as object)
      return undefined
    }
    await one()
    await round()
    await at.mine(3)
    await round()
    t.equal(await latest(at), 'completed')
    await one()
    await round()
    await at.ask('anvil_dropAllTransactions', [])
    await at.mine(3)
    let asked: unknown
    fake.alter = (method, params) => {
      if (method === 'eth_getTransactionReceipt') asked = params[0]
      return params
    }
    fake.change = (method) =>
      method === 'eth_getTransactionReceipt'
        ? { ...receipts.at(-1), transactionHash: asked }
        : undefined
    fake.admit = (method) => method !== 'eth_sendRawTransaction'
    await round()
    t.equal(await latest(at), 'submitted')
    t.ok(line.counts.disagreements > 0)
    Object.assign(fake, { change: () => undefined, admit: () => true })
    for (let time = 0; time < 6 && (await latest(at)) !== 'completed'; time++) {
      await round()
      await at.mine(2)
    }
    t.equal(await latest(at), 'completed')
    await check()
  })

  test('a blocked and an empty account fail alone among a hundred', async (t) => {
    const { at, tenant, payee } = await world(t)
    const payers = await crowd(at, tenant, (number) => (number === 0 ? 0 : 100))
    const [empty, blocked] = payers as [Payer, Payer]
    // The ledger believes in money that the chain does not have.
    await at.sandbox.callToken('mint', [empty.address, unitsOfCents(100)])
    await at.mine(3)
    await at.round()
    for (const payer of payers) await pay(at, { payer, payee, cents: CENTS })
    await at.sandbox.callToken('setBlocked', [blocked.address, true])
    await emptied(at, empty)
    await landAll(at)
    const rows = await at.sql<{ status: string; code: string | null; count: number }[]>`
      select status, failure ->> 'code' as code, count(*)::int from payment_captures
      group by 1, 2 order by 1`
    t.same(
      rows.map((row) => ({ ...row })),
      [
        { status: 'failed', code: 'transfer_failed', count: 2 },
        { status: 'landed', code: null, count: CROWD - 2 },
      ],
    )
    const [first] = await at.sql<{ captures: number; status: string }[]>`
      select captures, status from settlement_batches order by id limit 1`
    t.equal(first?.status, 'completed')
    t.equal(first?.captures, FIRST_CAPTURES, 'one transaction for as many as it takes')
  })

  test('a hundred first captures take no more gas than a transaction should', async (t) => {
    const { at, tenant, payee } = await world(t)
    const payers = await crowd(at, tenant, () => 100)
    const payAll = async (): Promise<void> => {
      for (const payer of payers) await pay(at, { payer, payee, cents: CENTS })
      await landAll(at)
    }
    await payAll()
    await payAll()
    const batches = await at.sql<{ captures: number; gas: number; hash: string }[]>`
      select captures, gas_used as gas, '0x' || encode(transaction_hash, 'hex') as hash
      from settlement_batches where status = 'completed' order by id`
    t.same(
      batches.map(({ captures }) => captures),
      [FIRST_CAPTURES, CROWD - FIRST_CAPTURES, CROWD],
      'accounts that stand take one transaction',
    )
    for (const { gas, hash } of batches) {
      t.ok(gas <= BATCH_GAS_MAX, gas + ' gas')
      const sent = (await at.ask('eth_getTransactionByHash', [hash])) as { gas: string }
      t.ok(Number(sent.gas) <= GAS_LIMIT_MAX, 'a limit of ' + Number(sent.gas))
    }
  })
}

/** Payers of a crowd, each with its cents on the chain. */
async function crowd(
  at: SettlementStand,
  tenant: TestTenant,
  centsOf: (number: number) => number,
): Promise<Payer[]> {
  const payers: Payer[] = []
  for (let number = 0; number < CROWD; number++)
    payers.push(await at.addPayer(tenant, centsOf(number)))
  await at.mine(3)
  await at.round()
  return payers
}

/** Rounds and blocks until no capture is on its way. */
async function landAll(at: SettlementStand): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await at.round()
    const [open] = await at.sql`
      select from payment_captures where status not in ('landed', 'failed') limit 1`
    if (open === undefined) return
    await at.mine(1)
  }
}

/** Tokens leave the account by a leak: no call of ours moved them. */
async function emptied(at: SettlementStand, { address }: Payer): Promise<void> {
  const mapping = await balanceSlot(at, address)
  await at.ask('anvil_setStorageAt', [at.config.token, mapping, '0x' + '0'.repeat(64)])
}

/** The storage slot of a balance: the one that reads as the balance. */
async function balanceSlot(at: SettlementStand, address: string): Promise<string> {
  const { keccak256 } = await import('viem')
  const balance = '0x' + unitsOfCents(100).toString(16).padStart(64, '0')
  for (let slot = 0; slot < 20; slot++) {
    const key = address.slice(2).toLowerCase().padStart(64, '0')
    const place = keccak256(`0x${key}${slot.toString(16).padStart(64, '0')}`)
    if ((await at.ask('eth_getStorageAt', [at.config.token, place, 'latest'])) === balance)
      return place
  }
  throw new Error('the token keeps its balances elsewhere')
}
