// Items of a batch whose closing a failover lost are in other batches by the time that the chain
// shows it: these neither fail what it paid nor pay it twice.
import { type Test, test } from 'tap'
import type { JsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../../api/payments/settler/round.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { failoverWorld } from '../../harness/failover.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay, unitsOf } from '../../harness/settlement.ts'

const CENTS = 10

/**
 * A lost batch of two captures, whose transaction takes the nonce of another batch; `more` captures
 * come before its own are in flight again. `lacks`: the database lost one of them as well. Returns
 * the bytes of both.
 */
async function lostBelow(t: Test, { more, lacks = false }: { more: number; lacks?: boolean }) {
  const world = await failoverWorld(t)
  const { at, payer, payee, other, hide, show, forgetClosings, sent } = world
  const first = await pay(at, { payer, payee, cents: CENTS })
  await pay(at, { payer, payee, cents: CENTS })
  await at.round()
  const [old = ''] = await forgetClosings()
  if (lacks) await at.sql`delete from payment_captures where id = ${first.captureId}`
  await hide(payee)
  await pay(at, { payer, payee: other, cents: CENTS })
  await at.round()
  await show()
  for (let count = 0; count < more; count++) await pay(at, { payer, payee, cents: CENTS })
  await at.round()
  const [, next = ''] = await sent()
  return { ...world, old, next }
}

type World = Awaited<ReturnType<typeof failoverWorld>>

async function settled(t: Test, { at, payer, payee, other, stopped }: World): Promise<void> {
  for (let count = 0; count < 3; count++) await at.settle()
  t.equal(await stopped(), null)
  await paidOnce(t, { at, payer, payee })
  await paidOnce(t, { at, payer, payee: other })
  const open = await at.sql`select status from payment_captures where status <> 'landed'`
  t.same([...open], [], 'all have landed')
}

if (!hasAnvil)
  test('items of lost batches', async (t) =>
    t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  for (const more of [0, 1])
    test(`captures of a lost batch are in flight, with ${more} others`, async (t) => {
      const world = await lostBelow(t, { more })
      const { at, old, next, mineOld } = world
      await mineOld([old, next])
      await settled(t, world)
      t.match(
        await at.sql`
          select status, captures, gross_cents, chain_name is null as own
          from settlement_batches where settlement_account_id = ${world.payee.id} order by own`,
        [
          { status: 'completed', captures: 2, gross_cents: 2 * CENTS, own: false },
          more === 0
            ? { status: 'failed', captures: 0, own: true }
            : { status: 'completed', captures: 1, gross_cents: CENTS, own: true },
        ],
      )
    })

  test('a capture that failed in a lost batch lands by the one in flight', async (t) => {
    const world = await failoverWorld(t)
    const { at, payer, payee, other, hide, show, forgetClosings, mineOld, sent } = world
    const poor = await at.addPayer(payer.tenant, CENTS)
    await at.mine(3)
    await at.round()
    await pay(at, { payer, payee, cents: CENTS })
    const late = await pay(at, { payer: poor, payee, cents: CENTS })
    await at.round()
    const [old = ''] = await forgetClosings()
    await hide(payee)
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    await show()
    await at.round()
    const [, next = ''] = await sent()
    await at.ask('anvil_dropAllTransactions', [])
    await at.sandbox.callToken('setBlocked', [poor.address, true])
    await mineOld([old])
    await at.sandbox.callToken('setBlocked', [poor.address, false])
    await at.ask('eth_sendRawTransaction', [next])
    for (let count = 0; count < 3; count++) await at.settle()
    t.equal(await world.stopped(), null)
    t.match(await world.batches(), Array(3).fill({ status: 'completed' }))
    t.match(await at.sql`select status from payment_captures where id = ${late.captureId}`, [
      { status: 'landed' },
    ])
  })

  test('nothing fails while no RPC tells of the transaction below', async (t) => {
    const world = await lostBelow(t, { more: 1 })
    const { at, old, next, mineOld } = world
    await mineOld([old, next])
    await at.mine(3)
    const rpc: JsonRpc = {
      host: at.rpc.host,
      call: (method, params) =>
        method === 'eth_getBlockByNumber' && params[1] === true
          ? Promise.resolve({ ok: false, error: { kind: 'unreachable', host: '', reason: 'away' } })
          : at.rpc.call(method, params),
    }
    const { line, state } = await at.newLine([rpc])
    for (let count = 0; count < 3; count++) await runRound(line, state)
    t.match(line.counts.problems, [/no RPC tells of the transaction that used nonce 0/])
    t.same([...(await at.sql`select 1 from payment_captures where status = 'failed'`)], [])
    Object.assign(at.line, { epoch: (await at.newLine()).line.epoch })
    await settled(t, world)
  })

  test('nothing fails while a lost batch that nobody knows stops settling', async (t) => {
    const { at, old, next, mineOld, stopped } = await lostBelow(t, { more: 1, lacks: true })
    await mineOld([old, next])
    for (let count = 0; count < 2; count++) await at.settle()
    t.equal(await stopped(), 'foreign_transaction')
    t.same([...(await at.sql`select 1 from payment_captures where status = 'failed'`)], [])
  })

  for (const ends of ['a rehearsal', 'an operator'])
    test(`a batch is not failed by ${ends} while its items may be paid`, async (t) => {
      const world = await failoverWorld(t)
      const { at, payer, payee, other, hide, show, forgetClosings, mineOld, batches } = world
      await pay(at, { payer, payee, cents: CENTS })
      await at.round()
      const [old = ''] = await forgetClosings()
      await hide(payee)
      await pay(at, { payer, payee: other, cents: CENTS })
      await at.round()
      await mineOld([old])
      // The old transaction is in a block that is not final.
      await show()
      await at.round()
      if (ends === 'an operator')
        await at.sql`update settlement_batches set cancel_requested_at = 1 where status = 'open'`
      at.clock.nowMs += 10_000
      await at.round()
      t.match(await batches(), [{ status: 'submitted' }, { status: 'open' }])
      await settled(t, world)
      t.equal(at.line.counts.failed, 0)
    })

  test('a lost batch of which a part landed before is found', async (t) => {
    const world = await failoverWorld(t)
    const { at, payer, payee, other, hide, forgetClosings, mineOld, show, sent } = world
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    const first = await pay(at, { payer, payee, cents: CENTS })
    await hide(payee)
    await pay(at, { payer, payee, cents: CENTS })
    await show()
    await at.round()
    const [, old = ''] = await forgetClosings()
    await hide(other)
    await at.sql`update payment_captures set status = 'asking' where id = ${first.captureId}`
    await at.round()
    const next = await sent()
    await mineOld([...next, old])
    await show()
    await settled(t, world)
  })

  test('lost batches of accounts with one address are told apart, also after a crash', async (t) => {
    const world = await failoverWorld(t)
    const { at, payer, payee, other, forgetClosings, mineOld, stopped } = world
    await at.sql`update settlement_accounts set address = ${payee.address} where id = ${other.id}`
    const twin = { ...other, address: payee.address }
    for (const to of [payee, twin, payee]) {
      await pay(at, { payer, payee: to, cents: CENTS })
      await pay(at, { payer, payee: to, cents: CENTS })
      await at.round()
    }
    const old = await forgetClosings()
    await mineOld(old.slice(0, 2))
    await at.mine(2)
    await at.round()
    // A crash came before the wallet's nonce was stored.
    await at.sql`update settlement_wallets set next_nonce = 0`
    await mineOld(old.slice(2))
    for (let count = 0; count < 3; count++) await at.settle()
    t.equal(await stopped(), null)
    t.match(
      await at.sql`
        select count(*), sum(captures)::int as captures, bool_or(chain_name is null) as own
        from settlement_batches where status = 'completed'
        group by settlement_account_id order by 1`,
      [
        { count: 1, captures: 2, own: false },
        { count: 2, captures: 4, own: false },
      ],
    )
    t.same(await unitsOf(at, [payee.address]), [BigInt(6 * CENTS) * 10_000n])
  })
}
