import { type Test, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { type RpcFake, startRpcFake } from '../../fakes/rpc.ts'
import { type PaidOnceWorld, paidOnce } from '../../harness/paid-once.ts'
import { pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'
import { type KillPoint, killAt, settlerOf } from '../../harness/settler-process.ts'
import { dumpOf, formsOf, sponsorKey } from '../../harness/sponsor-key.ts'
import { happens } from '../../harness/until.ts'

const CENTS = 10
/** Kills after each step in the short form; SVC_TEST_KILLS asks for more. */
const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? 1)

const isMined = (result: unknown): boolean => result !== null

async function hasClosed({ sql }: SettlementStand): Promise<boolean> {
  const open = await sql`select from settlement_batches where status = 'open' and call is null`
  return open.length > 0
}

const KILL_POINTS: readonly KillPoint[] = [
  { after: 'close', method: 'eth_chainId', heard: false, stands: hasClosed },
  { after: 'encode', method: 'eth_simulateV1', heard: false },
  { after: 'rehearse', method: 'eth_feeHistory', heard: false },
  { after: 'sign', method: 'eth_sendRawTransaction', heard: false },
  { after: 'send', method: 'eth_sendRawTransaction', heard: true },
  { after: 'watch', method: 'eth_getTransactionReceipt', heard: true, when: isMined },
]

async function allLand(at: SettlementStand): Promise<boolean> {
  return happens(async () => {
    await at.mine(1)
    const [row] = await at.sql<{ open: number }[]>`
      select count(*) as open from payment_captures where status <> 'landed'`
    return row?.open === 0
  })
}

async function world(t: Test): Promise<PaidOnceWorld & { fake: RpcFake }> {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  const fake = await startRpcFake(at.url)
  t.teardown(() => fake.close())
  return { at, payer, payee, fake }
}

test('a leader that sleeps, is replaced and wakes pays nothing twice', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const stage = await world(t)
  const { at, payer, payee, fake } = stage
  const settler = settlerOf(t, at, fake.url)
  const epoch = async () => (await at.sql`select epoch from settlement_wallets`)[0]?.['epoch']
  const first = settler.start()
  await pay(at, { payer, payee, cents: CENTS })
  // It sleeps in the middle of a step: its question has left, and no answer has come.
  let asleep = false
  fake.admit = (method) => {
    if (method !== 'eth_feeHistory' || asleep) return true
    asleep = true
    first.kill('SIGSTOP')
    return true
  }
  t.ok(await happens(async () => asleep), 'the leader sleeps before it signs')
  const slept = await epoch()
  // Its session ends, as that of a host which is gone: the lock is free.
  await at.sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`
  const second = settler.start()
  t.ok(await happens(async () => (await epoch()) !== slept), 'another one leads')
  t.ok(await allLand(at), 'and lands the capture')
  await pay(at, { payer, payee, cents: CENTS })
  first.kill('SIGCONT')
  t.ok(await allLand(at), 'both are awake, and the next capture lands')
  const nonces = await at.sql<{ nonce: number }[]>`
    select nonce from settlement_attempts group by nonce having count(distinct batch_id) > 1`
  t.same(nonces, [], 'no nonce has two batches')
  for (const run of [first, second]) run.kill('SIGTERM')
  await Promise.all([first.gone, second.gone])
  await paidOnce(t, stage)
})

test('a settler that is killed after each of its steps pays each capture once', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const stage = await world(t)
  const { at, payer, payee, fake } = stage
  const settler = settlerOf(t, at, fake.url)
  for (let round = 0; round < KILLS; round++) {
    for (const point of KILL_POINTS) {
      await pay(at, { payer, payee, cents: CENTS })
      t.ok(await killAt(fake, settler, at, point), 'killed after ' + point.after)
    }
    // The last step is one transaction of the database: any moment of it.
    const last = settler.start()
    await happens(async () => {
      await at.mine(1)
      const [row] = await at.sql<{ included: number }[]>`
        select count(*) as included from settlement_batches where status = 'included'`
      return (row?.included ?? 0) > 0
    })
    await at.mine(2)
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 400))
    last.kill('SIGKILL')
    await last.gone
  }
  const last = settler.start()
  t.ok(await allLand(at), 'every capture landed')
  last.kill('SIGTERM')
  await last.gone
  await paidOnce(t, stage)

  await t.test('the key of the sponsor is in no log and no row', async (t) => {
    const key = await sponsorKey(at)
    t.match(key, /^0x[0-9a-f]{64}$/)
    const dump = await dumpOf(at.sql)
    t.ok(dump.includes(at.line.signer.address), 'the dump has the wallet')
    for (const form of formsOf(key)) {
      t.notOk(settler.output().includes(form), 'in no line of the log')
      t.notOk(dump.includes(form), 'in no row, event or audit entry')
    }
  })
})
