import { type Test, test } from 'tap'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../../shared/clock.ts'
import { type KeyServiceMood, startKeyService } from '../../fakes/key-service.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'

const CENTS = 10
const MINUTE_MS = 60_000
const HOUR_S = 3600
/** Captures of the tenant that asks for many; SVC_TEST_CAPTURES asks for more. */
const CAPTURES = Number(process.env['SVC_TEST_CAPTURES'] ?? 0)

async function world(t: Test, at: SettlementStand) {
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  const one = () => pay(at, { payer, payee, cents: CENTS })
  return { tenant, payee, payer, one, check: () => paidOnce(t, { at, payer, payee }) }
}

async function statusOf({ sql }: SettlementStand, captureId: string): Promise<string | undefined> {
  const [row] = await sql<{ status: string }[]>`
    select status from payment_captures where id = ${captureId}`
  return row?.status
}

test('all RPCs away for ten minutes delay settling and fail nothing', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const { one, check } = await world(t, at)
  const fake = await startRpcFake(at.url)
  const caller = openOutsideCaller({
    ...{ clock: systemClock, callMsMax: 10_000, answerBytesMax: 16_000_000 },
  })
  t.teardown(async () => {
    await caller.close()
    await fake.close()
  })
  const { line, state } = await at.newLine([createJsonRpc(fake.url, caller)])
  const before = await one()
  await runRound(line, state)
  t.equal(await statusOf(at, before.captureId), 'submitted')
  fake.admit = () => false
  const during = await one()
  for (let minute = 0; minute < 10; minute++) {
    at.clock.nowMs += MINUTE_MS
    await at.mine(1)
    await runRound(line, state)
    t.ok(line.counts.problems.length > 0, 'silence is reported')
  }
  t.equal(await statusOf(at, before.captureId), 'submitted')
  t.equal(await statusOf(at, during.captureId), 'pending', 'its batch waits')
  fake.admit = () => true
  for (let round = 0; round < 3; round++) {
    await runRound(line, state)
    await at.mine(3)
  }
  await runRound(line, state)
  t.equal(await statusOf(at, before.captureId), 'landed')
  t.equal(await statusOf(at, during.captureId), 'landed')
  await check()
})

test('a replaced finalized block stops settling before anything lands on it', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const { one } = await world(t, at)
  const landed = await one()
  await at.settle()
  t.equal(await statusOf(at, landed.captureId), 'landed')
  const waiting = await one()
  await at.round()
  t.equal(await statusOf(at, waiting.captureId), 'submitted')
  await at.ask('anvil_reorg', [4, []])
  await at.mine(4)
  const events = await at.sql<{ count: number }[]>`select count(*) from events`
  await at.round()
  await at.round()
  t.match(await at.sql`select stopped ->> 'reason' as reason from settlement_wallets`, [
    { reason: 'finalized_block_replaced' },
  ])
  t.equal(await statusOf(at, landed.captureId), 'landed', 'nothing is undone silently')
  t.equal(await statusOf(at, waiting.captureId), 'submitted', 'nothing lands')
  t.same(await at.sql`select count(*) from events`, events)
})

test('clocks that differ by an hour, and a sandbox 30 days ahead, settle all the same', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const { tenant, one, check } = await world(t, at)
  const ids = [await one()]
  await at.ask('evm_increaseTime', [HOUR_S])
  await at.settle()
  ids.push(await one())
  at.clock.nowMs += HOUR_S * 1000 * 2
  await at.settle()
  await at.sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${tenant.tenantId}, ${30 * 86_400_000})`
  ids.push(await one())
  await at.settle()
  for (const { captureId } of ids) t.equal(await statusOf(at, captureId), 'landed')
  await check()
})

test('an approval that has ended by the chain’s clock is captured no more', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const { payer, payee, one, check } = await world(t, at)
  const latest = (await at.ask('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }
  const validUntil = Number(latest.timestamp) + HOUR_S
  const ending = await pay(at, { payer, payee, cents: CENTS, validUntil })
  const lasting = await one()
  // Our own clock stands still: only the chain's is later.
  await at.ask('evm_increaseTime', [2 * HOUR_S])
  await at.mine(1)
  await at.settle()
  t.equal(await statusOf(at, lasting.captureId), 'landed')
  t.match(
    await at.sql`select status, failure from payment_captures where id = ${ending.captureId}`,
    [{ status: 'failed', failure: { stage: 'capture', code: 'expired' } }],
  )
  await check()
})

test('a remote signer that is away, slow or wrong delays, and is paid once', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const service = await startKeyService()
  t.teardown(() => service.kill())
  const { url, address } = service
  const at = await startSettlement(t, { kind: 'remote', url, address })
  t.equal(at.line.signer.address, address)
  const { one, check } = await world(t, at)
  const lands = async (mood: KeyServiceMood) => {
    await service.become(mood)
    const { captureId } = await one()
    await at.settle()
    t.equal(await statusOf(at, captureId), 'landed', mood)
  }
  for (const mood of ['right', 'slow', 'high_s', 'high_s', 'right'] as const) await lands(mood)
  for (const mood of ['wrong_key', 'malformed', 'broken'] as const) {
    await service.become(mood)
    const { captureId } = await one()
    const failures = at.line.counts.signerFailures
    await at.settle()
    t.ok(at.line.counts.signerFailures > failures, mood + ' is counted')
    t.equal(await statusOf(at, captureId), 'pending', mood + ' sends nothing')
    await service.become('right')
    await at.settle()
    t.equal(await statusOf(at, captureId), 'landed', 'the same batch lands afterwards')
  }
  await check()

  await t.test('deposits are seen while the service is gone', async (t) => {
    const { captureId } = await one()
    await service.kill()
    const other = await at.addPayer(await at.newTenant(), 500)
    await at.settle()
    t.equal(await statusOf(at, captureId), 'pending')
    t.match(await at.sql`select balance_cents from payment_accounts where id = ${other.id}`, [
      { balance_cents: 500 },
    ])
  })
})

test('a refusal that a passed rehearsal ended counts for no later one', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const service = await startKeyService()
  t.teardown(() => service.kill())
  const { url, address } = service
  const at = await startSettlement(t, { kind: 'remote', url, address })
  const { one, check } = await world(t, at)
  const refused = async () => {
    const [row] = await at.sql<{ since: number | null }[]>`
      select refused_since as since from settlement_batches where status = 'open'`
    return row?.since
  }
  await service.become('broken')
  const { captureId } = await one()
  await at.sandbox.callToken('setPaused', [true])
  await at.round()
  t.equal(await refused(), at.clock.nowMs)
  await at.sandbox.callToken('setPaused', [false])
  await at.round()
  t.equal(await refused(), null, 'the rehearsal passed, and only the signer is away')
  at.clock.nowMs += at.line.pace.refusedMsMax + 1
  await at.sandbox.callToken('setPaused', [true])
  await at.round()
  t.equal(await refused(), at.clock.nowMs, 'the second refusal begins anew')
  await at.sandbox.callToken('setPaused', [false])
  await service.become('right')
  await at.settle()
  t.equal(await statusOf(at, captureId), 'landed')
  await check()
})

test('a tenant with many captures makes another one wait for no more than its interval', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const small = await at.newTenant()
  const [shop, holder] = [await at.addPayee(small, 0), await at.addPayer(small, 1000)]
  const { tenant, payer, payee } = await world(t, at)
  for (let each = 0; each < CAPTURES; each++) await pay(at, { payer, payee, cents: 1 })
  // One batch of each account is closed at a time: these fill the places in flight at once.
  for (let each = 0; each < 18; each++) {
    const own = await at.addPayee(tenant, 0)
    await pay(at, { payer, payee: own, cents: CENTS })
  }
  await at.round()
  const [crowd] = await at.sql<{ sent: number; open: number }[]>`
    select count(*) filter (where status = 'submitted') as sent,
      count(*) filter (where status = 'open') as open from settlement_batches`
  t.equal(crowd?.sent, 12, 'it keeps at most 12 of the 16 places')
  t.ok((crowd?.open ?? 0) > 0, 'the tenant wants more places than there are')
  const { captureId } = await pay(at, { payer: holder, payee: shop, cents: CENTS })
  await at.round()
  t.equal(await statusOf(at, captureId), 'submitted', 'the other tenant is sent in the next round')
})
