// An RPC that is several nodes behind one address: its heads jump back by 20 blocks and forward
// again, and bytes that it took are answered by a broken connection.
import { type Test, test } from 'tap'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../../shared/clock.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { type RpcFake, startRpcFake } from '../../fakes/rpc.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'

const LAG = 20
/** Blocks between the head of the node and its finalized one. */
const FINALITY = 2
const CENTS = 10
const FUNDED_CENTS = 10_000

async function world(t: Test) {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, FUNDED_CENTS)]
  await at.mine(2 * LAG)
  const fake = await startRpcFake(at.url)
  const caller = openOutsideCaller({
    ...{ clock: systemClock, callMsMax: 10_000, answerBytesMax: 16_000_000 },
  })
  t.teardown(async () => {
    await caller.close()
    await fake.close()
  })
  const { line, state } = await at.newLine([createJsonRpc(fake.url, caller)])
  const round = () => runRound(line, state)
  return { at, payee, payer, fake, line, round, check: () => paidOnce(t, { at, payer, payee }) }
}

async function batchOf({ sql }: SettlementStand) {
  const [row] = await sql<{ status: string; events: number; stopped: object | null }[]>`
    select status, (select count(*) from events) as events,
      (select stopped from settlement_wallets) as stopped
    from settlement_batches order by id desc limit 1`
  return row
}

async function headOf(at: SettlementStand): Promise<number> {
  return Number(await at.ask('eth_blockNumber', []))
}

/** Answers as a node that has only the blocks up to `head`. */
function lagAt(fake: RpcFake, head: number): void {
  const hex = (number: number) => '0x' + number.toString(16)
  const known = (block: unknown): string | null => {
    if (block === 'latest') return hex(head)
    if (block === 'finalized') return hex(head - FINALITY)
    return Number(block) <= head ? String(block) : null
  }
  /** Where each method names its block. */
  const places: { readonly [method: string]: number } = {
    ...{ eth_getBlockByNumber: 0, eth_call: 1, eth_getCode: 1, eth_getTransactionCount: 1 },
  }
  fake.alter = (method, params) => {
    const place = places[method]
    if (place === undefined) return params
    const block = known(params[place])
    return block === null ? null : params.with(place, block)
  }
  fake.change = (method, result) =>
    method === 'eth_getTransactionReceipt' &&
    result !== null &&
    Number((result as { blockNumber: string }).blockNumber) > head
      ? null
      : undefined
}

function honest(fake: RpcFake): void {
  Object.assign(fake, { alter: (_: string, params: unknown[]) => params, change: () => undefined })
}

if (!hasAnvil)
  test('heads', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  for (const [name, each] of [
    ['round', 1],
    ['call', 0],
  ] as const)
    test('heads that jump by 20 blocks with each ' + name + ' are no reorganization', async (t) => {
      const { at, payee, payer, fake, line, round, check } = await world(t)
      let turn = 0
      const flip = async (): Promise<void> => {
        turn += 1
        if (turn % 2 === 0) honest(fake)
        else lagAt(fake, (await headOf(at)) - LAG)
      }
      fake.admit = async () => {
        if (each === 0) await flip()
        return true
      }
      const rounds = async (count: number, status: readonly string[]): Promise<void> => {
        for (let time = 0; time < count; time++) {
          if (each === 1) await flip()
          await round()
          const now = await batchOf(at)
          t.ok(status.includes(now?.status ?? ''), 'the batch is ' + now?.status)
          t.equal(now?.stopped, null, 'settling goes on')
        }
      }
      honest(fake)
      await round()
      await pay(at, { payer, payee, cents: CENTS })
      await rounds(6, ['open', 'submitted'])
      await at.mine(1)
      await rounds(8, ['submitted', 'included'])
      t.equal((await batchOf(at))?.events, 0, 'nothing is told before the block is final')
      // A deposit that an older head does not have is no leak.
      await at.sandbox.callToken('mint', [payer.address, unitsOfCents(500)])
      await at.mine(2)
      await rounds(16, ['submitted', 'included', 'completed'])
      t.equal(line.counts.reorgs, 0)
      // A call may meet the older node each time: once that one has caught up, the batch lands.
      Object.assign(fake, { admit: () => true })
      honest(fake)
      await round()
      t.equal((await batchOf(at))?.status, 'completed')
      t.match(
        await at.sql`select status, balance_cents from payment_accounts where id = ${payer.id}`,
        [{ status: 'active', balance_cents: FUNDED_CENTS + 500 - CENTS }],
      )
      t.same(await at.sql`select 1 from settlement_exceptions`, [])
      await check()
    })

  test('bytes that were taken and answered by a broken connection are sent again', async (t) => {
    const { at, payee, payer, fake, round, check } = await world(t)
    await round()
    await pay(at, { payer, payee, cents: CENTS })
    const sent: unknown[] = []
    fake.alter = (method, params) => {
      if (method === 'eth_sendRawTransaction') sent.push(params[0])
      return params
    }
    fake.change = (method) => (method === 'eth_sendRawTransaction' ? 'lost' : undefined)
    for (let time = 0; time < 3; time++) await round()
    fake.change = () => undefined
    await round()
    t.ok(sent.length >= 4)
    t.equal(new Set(sent).size, 1, 'the same bytes each time')
    await at.mine(3)
    await round()
    t.equal((await batchOf(at))?.status, 'completed')
    t.match(await at.sql`select count(*) from settlement_attempts`, [{ count: 1 }])
    await check()
  })
}
