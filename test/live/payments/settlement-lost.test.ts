// A failover that lost the closing of a batch as well: the chain names the batch by the hash of an
// id that nobody has, and the settler finds it by the captures and refunds that it paid.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { saveResume } from '../../../api/payments/settlement-batches/chain-store.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { failoverWorld } from '../../harness/failover.ts'
import { paidOnce } from '../../harness/paid-once.ts'
import { pay, refund, unitsOf } from '../../harness/settlement.ts'

const CENTS = 10

if (!hasAnvil)
  test('lost batches', async (t) =>
    t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  test('a batch of which the closing is lost too is found by what it paid', async (t) => {
    const { at, payer, payee, forgetClosings, mineOld, batches, stopped } = await failoverWorld(t)
    for (let count = 0; count < 2; count++) await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    await mineOld(await forgetClosings())
    // A third capture is in the batch that is closed anew, and waits for the next one.
    await pay(at, { payer, payee, cents: CENTS })
    await at.settle()
    await at.settle()
    t.equal(await stopped(), null)
    t.match(await batches(), [{ status: 'completed' }, { status: 'completed' }])
    t.match(
      await at.sql`
        select captures, gross_cents, net_cents, chain_name is null as own
        from settlement_batches order by captures desc`,
      [
        { captures: 2, gross_cents: 2 * CENTS, net_cents: 2 * CENTS, own: false },
        { captures: 1, gross_cents: CENTS, net_cents: CENTS, own: true },
      ],
    )
    const paid = await at.sql`
      select count(*) from settlement_batch_payments group by settlement_batch_id order by 1 desc`
    t.match(paid, [{ count: 2 }, { count: 1 }])
    await paidOnce(t, { at, payer, payee })
  })

  test('a lost batch whose nonce another one was signed for is found too', async (t) => {
    const { at, payer, payee, other, forgetClosings, mineOld, batches, stopped } =
      await failoverWorld(t)
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forgetClosings()
    await pay(at, { payer, payee: other, cents: CENTS })
    // Both are closed anew and signed; the old transaction is mined at the first one's nonce.
    await at.round()
    t.match(await batches(), [{ status: 'submitted' }, { status: 'submitted' }])
    await mineOld(old)
    await at.settle()
    await at.settle()
    t.equal(await stopped(), null)
    t.match(await batches(), [{ status: 'completed' }, { status: 'completed' }])
    t.equal(at.line.counts.failed, 0)
    await paidOnce(t, { at, payer, payee })
    await paidOnce(t, { at, payer, payee: other })
  })

  test('a lost batch with a refund is found, and a capture that failed in it tried again', async (t) => {
    const { at, payer, payee, forgetClosings, mineOld, batches, stopped } = await failoverWorld(t)
    const { paymentId } = await pay(at, { payer, payee, cents: CENTS })
    await at.settle()
    t.match(await batches(), [{ status: 'completed' }])
    const poor = await at.addPayer(payer.tenant, CENTS)
    await at.mine(3)
    await at.round()
    await pay(at, { payer, payee, cents: 2 * CENTS })
    const unpaid = await pay(at, { payer: poor, payee, cents: CENTS })
    const refundId = await refund(at, { paymentId, cents: CENTS })
    await at.round()
    const old = await forgetClosings()
    await at.sandbox.callToken('setBlocked', [poor.address, true])
    await mineOld(old)
    await at.sandbox.callToken('setBlocked', [poor.address, false])
    await at.settle()
    t.equal(await stopped(), null)
    await at.settle()
    t.equal(await stopped(), null)
    // The capture that failed is tried again by a batch of its own.
    t.match(await at.sql`select status, captures, refunds from settlement_batches order by id`, [
      { status: 'completed', captures: 1, refunds: 0 },
      { status: 'completed', captures: 1, refunds: 1 },
      { status: 'completed', captures: 1, refunds: 0 },
    ])
    t.match(await at.sql`select status from payment_refunds where id = ${refundId}`, [
      { status: 'landed' },
    ])
    t.match(await at.sql`select status from payment_captures where id = ${unpaid.captureId}`, [
      { status: 'landed' },
    ])
    t.same(await unitsOf(at, [payee.address]), [BigInt(3 * CENTS) * 10_000n])
  })

  test('a lost batch that reverts has paid nothing, and frees its nonce', async (t) => {
    const { at, payer, payee, other, hide, show, ...world } = await failoverWorld(t)
    const { forgetClosings, mineOld, sent, batches, stopped } = world
    await pay(at, { payer, payee: other, cents: CENTS })
    await at.round()
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const [, old = ''] = await forgetClosings()
    // Closed anew, the second one takes the first nonce; its old transaction finds all paid.
    await hide(other)
    await at.round()
    await mineOld([...(await sent()), old])
    await show()
    await at.settle()
    await at.settle()
    t.equal(await stopped(), null)
    t.match(await batches(), [{ status: 'completed' }, { status: 'completed' }])
    t.equal(at.line.counts.failed, 0)
    await paidOnce(t, { at, payer, payee })
    await paidOnce(t, { at, payer, payee: other })
  })

  test('a lost batch of a capture that is lost as well stops settling', async (t) => {
    const { at, payer, payee, forgetClosings, mineOld, batches, stopped } = await failoverWorld(t)
    const { captureId } = await pay(at, { payer, payee, cents: CENTS })
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forgetClosings()
    await at.sql`delete from payment_captures where id = ${captureId}`
    await mineOld(old)
    await at.settle()
    t.equal(await stopped(), 'foreign_transaction')
    t.match(await batches(), [{ status: 'open', failure: null }])
  })

  for (const signed of [false, true])
    test(`a lost batch waits for the engine, its nonce signed for again: ${signed}`, async (t) => {
      const { at, payer, payee, other, hide, show, ...world } = await failoverWorld(t)
      const { forgetClosings, mineOld, stopped } = world
      await pay(at, { payer, payee, cents: CENTS })
      await at.round()
      const old = await forgetClosings()
      await hide(payee)
      if (signed) await pay(at, { payer, payee: other, cents: CENTS })
      await at.round()
      await mineOld(old)
      await at.mine(2)
      for (let count = 0; count < 3; count++) await at.round()
      t.equal(await stopped(), null)
      t.match(at.line.counts.problems, [/the engine has not answered a capture/])
      await show()
      for (let count = 0; count < 2; count++) await at.settle()
      t.equal(await stopped(), null)
      await paidOnce(t, { at, payer, payee })
      t.same([...(await at.sql`select 1 from payment_captures where status <> 'landed'`)], [])
    })

  test('a lost batch is known again where its lost capture was asked for once more', async (t) => {
    const { at, payer, payee, forgetClosings, mineOld, stopped } = await failoverWorld(t)
    const { captureId } = await pay(at, { payer, payee, cents: CENTS })
    await pay(at, { payer, payee, cents: CENTS })
    await at.round()
    const old = await forgetClosings()
    await at.sql`update payment_captures set bit = 9 where id = ${captureId}`
    await mineOld(old)
    await at.settle()
    t.equal(await stopped(), 'foreign_transaction')
    await at.sql`update payment_captures set bit = 0 where id = ${captureId}`
    await tx(at.sql, (sql) => saveResume(sql, at.config.chainId))
    await at.settle()
    t.equal(await stopped(), null)
    await paidOnce(t, { at, payer, payee })
    t.same([...(await at.sql`select 1 from payment_captures where status <> 'landed'`)], [])
  })
}
