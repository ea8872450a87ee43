// The fee, the bits and the place of a batch on a real node: each is fixed once, whatever changes
// between the closing and the block.
import { type Test, test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { saveRefundReview } from '../../../api/payments/settlement-batches/outcome-store.ts'
import { closeDue } from '../../../api/payments/settler/close.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { newId } from '../../../shared/id.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import {
  capture,
  ledgerCents,
  type Payee,
  type Payer,
  pay,
  refund,
  type SettlementStand,
  startSettlement,
  unitsOf,
} from '../../harness/settlement.ts'

const REFUNDS_MAX = 64
const FUNDED_CENTS = 100_000
const REFUSED_MS_MAX = 15 * 60_000
const INTERVAL_MS = 60_000
const WAITING = 50
const LONG_BYTES = 3000
const BATCH_BYTES_MAX = 110_000
/** One more than the places of a round. */
const BLOCKED_PAYEES = 17

interface World {
  at: SettlementStand
  payer: Payer
  payee: Payee
}

async function world(t: Test, feeBps: number): Promise<World> {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [
    await at.addPayee(tenant, feeBps),
    await at.addPayer(tenant, FUNDED_CENTS),
  ]
  await at.mine(2)
  await at.round()
  return { at, payer, payee }
}

async function batches({ sql }: SettlementStand) {
  return sql<
    {
      id: string
      status: string
      feeBps: number | null
      fee: number
      refunds: number
      refundsCents: number
      net: number
      review: { status: string } | null
      failure: { code: string } | null
    }[]
  >`
    select id, status, fee_bps as "feeBps", fee_cents as fee, refunds,
      refunds_cents as "refundsCents", net_cents as net, review, failure
    from settlement_batches order by id`
}

interface RefundState {
  status: string
  bit: number | null
  failure: { code: string } | null
}

async function refundOf({ sql }: SettlementStand, id: string): Promise<RefundState | undefined> {
  const [row] = await sql<RefundState[]>`
    select status, bit, failure from payment_refunds where id = ${id}`
  return row
}

/** Refunds of one cent, as an earlier release recorded them: without bits. */
async function recordedEarlier({ sql }: SettlementStand, paymentId: string, count: number) {
  const ids = Array.from({ length: count }, () => newId('ref', Date.now()))
  await sql`
    insert into payment_refunds (id, payment_id, tenant_id, environment, amount_cents, status,
      created_at)
    select r.id, p.id, p.tenant_id, p.environment, 1, 'pending', n
    from payments p, unnest(${ids}::text[]) with ordinality as r (id, n) where p.id = ${paymentId}`
  await sql`
    update payments set refund_pending_cents = refund_pending_cents + ${count}
    where id = ${paymentId}`
  return ids
}

if (!hasAnvil)
  test('settling', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else {
  test('a batch is paid with the fee of its closing, whatever is agreed afterwards', async (t) => {
    const { at, payer, payee } = await world(t, 100)
    const agree = (bps: number) =>
      at.sql`update settlement_accounts set fee_bps = ${bps} where id = ${payee.id}`
    await pay(at, { payer, payee, cents: 10_000 })
    await closeDue(at.line)
    await agree(500)
    await at.settle()
    t.match(await batches(at), [{ status: 'completed', feeBps: 100, fee: 100 }])
    await pay(at, { payer, payee, cents: 10_000 })
    await at.settle()
    t.match(await batches(at), [{ fee: 100 }, { feeBps: 500, fee: 500 }], 'the next one pays it')
    await pay(at, { payer, payee, cents: 10_000 })
    await closeDue(at.line)
    await at.sql`update settlement_batches set fee_bps = null where status = 'open'`
    await agree(200)
    await at.settle()
    t.match((await batches(at))[2], { feeBps: 200, fee: 200 }, 'closed by an earlier release')
    const [paid] = await unitsOf(at, [payee.address])
    t.equal(paid, unitsOfCents(30_000 - 800))
    t.match(await ledgerCents(at.sql), { paid: 30_000 - 800, fees: 800 })
  })

  test('a refund that the chain names by another bit keeps that one, and no bit is lost', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    const { paymentId } = await pay(at, { payer, payee, cents: 1000 })
    await at.settle()
    await pay(at, { payer, payee, cents: 50 })
    const one = await refund(at, { paymentId, cents: 30 })
    const other = await refund(at, { paymentId, cents: 200 })
    t.match([await refundOf(at, one), await refundOf(at, other)], [{ bit: 0 }, { bit: 1 }])
    await at.round()
    t.match(await refundOf(at, other), { status: 'awaiting_funds' }, 'its batch cannot pay it')
    // A database that was put back, and that numbered the refunds in another order.
    await at.sql`update payment_refunds set bit = null where id = ${one}`
    await at.sql`update payment_refunds set bit = 0 where id = ${other}`
    await at.sql`update payment_refunds set bit = 1 where id = ${one}`
    await at.settle()
    t.match(await refundOf(at, one), { status: 'landed', bit: 0 })
    t.match(await refundOf(at, other), { bit: 1 }, 'its own bit is on no call yet')
    await pay(at, { payer, payee, cents: 500 })
    await at.settle()
    t.match(await refundOf(at, other), { status: 'landed', bit: 1 })
    const [paid] = await unitsOf(at, [payee.address])
    t.equal(paid, unitsOfCents(1000 + 50 + 500 - 30 - 200))
  })

  test('a database from before a batch pays a partial refund once, also after a resume', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    const { paymentId } = await pay(at, { payer, payee, cents: 1000 })
    await at.settle()
    const large = await refund(at, { paymentId, cents: 300 })
    const small = await refund(at, { paymentId, cents: 40 })
    const lost = await pay(at, { payer, payee, cents: 100 })
    const gone = await pay(at, { payer, payee, cents: 10 })
    await at.sql`create table refunds_before as select id, approval_id, bit from payment_refunds`
    await at.round()
    await at.mine(3)
    const [left] = await unitsOf(at, [payer.address])
    t.equal(left, unitsOfCents(FUNDED_CENTS - 1000 - 110 + 40), 'the small one was paid')
    // The database as it was before the batch, which only the chain knows, and one of its captures.
    const [sent] = await at.sql<{ id: string }[]>`
      select id from settlement_batches where status <> 'completed'`
    const id = sent?.id ?? ''
    await at.sql`delete from settlement_attempts where final_block is null`
    await at.sql`update settlement_wallets set next_nonce = next_nonce - 1`
    for (const table of ['payment_captures', 'payment_refunds'])
      await at.sql`
        update ${at.sql(table)} set status = 'pending', settlement_batch_id = null
        where settlement_batch_id = ${id}`
    await at.sql`update payment_refunds set bit = null`
    await at.sql`
      update payment_refunds r set approval_id = b.approval_id, bit = b.bit
      from refunds_before b where b.id = r.id`
    await at.sql`delete from settlement_batch_payments where settlement_batch_id = ${id}`
    await at.sql`delete from settlement_batches where id = ${id}`
    await at.sql`delete from payment_captures where id = ${gone.captureId}`
    // The next batch can pay both: by its order the small one would come second.
    await pay(at, { payer, payee, cents: 900 })
    await at.round()
    t.match(await at.sql`select stopped ->> 'reason' as reason from settlement_wallets`, [
      { reason: 'foreign_transaction' },
    ])
    // The comparison of sums would stop the line again: the lock on the chain holds without it.
    const finalized = await at.line.chain.finalized()
    await at.sql`
      update settlement_wallets set known_nonce = (stopped ->> 'nonce')::bigint + 1, stopped = null,
        final_block = ${finalized?.number ?? 0}, final_hash = null`
    await at.round()
    await at.mine(3)
    await at.round()
    const [paid, rest] = await unitsOf(at, [payee.address, payer.address])
    t.equal(paid, unitsOfCents(1000 + 110 + 900 - 40 - 300), 'each refund was paid once')
    t.equal(rest, unitsOfCents(FUNDED_CENTS - 1000 - 110 - 900 + 40 + 300))
    t.match(await refundOf(at, large), { status: 'landed', bit: 0 })
    t.match(await refundOf(at, small), { bit: 1, failure: { code: 'already_landed' } })
    t.match(
      await at.sql`select status, failure from payment_captures where id = ${lost.captureId}`,
      [{ status: 'failed', failure: { code: 'already_landed' } }],
    )
  })

  test('a refund for which its approval has no bit left fails alone', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    const { paymentId } = await pay(at, { payer, payee, cents: 1000, of: 2000 })
    await at.settle()
    const ids = await recordedEarlier(at, paymentId, REFUNDS_MAX + 1)
    const captureId = await capture(at, { payer, paymentId, cents: 500, bit: 1 })
    await at.settle()
    const states = await at.sql<{ id: string; status: string; bit: number | null }[]>`
      select id, status, bit from payment_refunds order by created_at`
    t.same(
      states.filter(({ status }) => status === 'landed').map(({ bit }) => bit),
      Array.from({ length: REFUNDS_MAX }, (_, bit) => bit),
    )
    const last = ids[REFUNDS_MAX] ?? ''
    t.match(await refundOf(at, last), {
      status: 'failed',
      failure: { stage: 'encoding', code: 'refunds_exhausted' },
    })
    t.match(await at.sql`select status from payment_captures where id = ${captureId}`, [
      { status: 'landed' },
    ])
    const shown = { status: 'completed', refunds: REFUNDS_MAX, refundsCents: REFUNDS_MAX }
    t.match((await batches(at))[1], {
      ...shown,
      net: 500 - REFUNDS_MAX,
      review: { status: 'open' },
    })
    t.match(
      await at.sql`select refund_pending_cents as due, refunded_cents as back from payments`,
      [{ due: 0, back: REFUNDS_MAX }],
    )
    const [paid] = await unitsOf(at, [payee.address])
    t.equal(paid, unitsOfCents(1500 - REFUNDS_MAX))
    // Another refund of the batch is given up after an operator resolved the review.
    const batchId = (await batches(at))[1]?.id ?? ''
    const reviewAfter = async (refundIds: string[]) => {
      const resolved = JSON.stringify({ status: 'resolved', openedAt: 1, resolvedAt: 2 })
      await at.sql`
        update settlement_batches set review = ${resolved}::text::jsonb where id = ${batchId}`
      const { nowMs: now } = at.clock
      await tx(at.sql, (sql) => saveRefundReview(sql, batchId, { refundIds, now }))
      return (await batches(at))[1]?.review
    }
    t.match(await reviewAfter([last]), { status: 'open', openedAt: at.clock.nowMs })
    t.match(await reviewAfter([ids[0] ?? '']), { status: 'resolved' }, 'this one landed')
  })

  test('a refund without funds closes no batch before its time', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    const { paymentId } = await pay(at, { payer, payee, cents: 1000 })
    await at.settle()
    Object.assign(at.line, { pace: { ...at.line.pace, intervalMs: INTERVAL_MS } })
    const short = await refund(at, { paymentId, cents: 200 })
    at.clock.nowMs += INTERVAL_MS
    await closeDue(at.line)
    t.match(await refundOf(at, short), { status: 'awaiting_funds' })
    await pay(at, { payer, payee, cents: 500 })
    await closeDue(at.line)
    t.equal((await batches(at)).length, 1, 'the capture waits for its interval')
    at.clock.nowMs += INTERVAL_MS
    await at.settle()
    t.match((await batches(at))[1], { status: 'completed', refunds: 1, net: 300 })
    t.match(await refundOf(at, short), { status: 'landed' })
  })

  test('a batch closes before its interval where its bytes fill a transaction', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    Object.assign(at.line, { pace: { ...at.line.pace, intervalMs: INTERVAL_MS } })
    for (let each = 0; each < WAITING; each++) await pay(at, { payer, payee, cents: 10 })
    await closeDue(at.line)
    t.same(await batches(at), [], 'half of the items fill nothing yet')
    await at.sql`
      update payments set assertion =
        jsonb_set(assertion, '{client_data}', to_jsonb(repeat('x', ${LONG_BYTES}::int)))`
    await closeDue(at.line)
    const [batch, ...more] = await at.sql<{ trigger: string; captures: number }[]>`
      select trigger, captures from settlement_batches`
    t.match(batch, { trigger: 'size' })
    t.ok(Number(batch?.captures) * LONG_BYTES < BATCH_BYTES_MAX, 'as many as a transaction takes')
    t.same(more, [], 'the others wait for their interval')
  })

  test('refused batches of one tenant take no place of another one', async (t) => {
    const { at, payer, payee } = await world(t, 0)
    Object.assign(at.line, { pace: { ...at.line.pace, refusedMsMax: REFUSED_MS_MAX } })
    for (let each = 0; each < BLOCKED_PAYEES; each++) {
      const blocked = await at.addPayee(payee.tenant, 0)
      await at.sandbox.callToken('setBlocked', [blocked.address, true])
      await pay(at, { payer, payee: blocked, cents: 10 })
    }
    await at.round()
    const small = await at.newTenant()
    const [shop, holder] = [await at.addPayee(small, 0), await at.addPayer(small, 1000)]
    await at.mine(3)
    await at.round()
    const theirs = await pay(at, { payer: holder, payee: shop, cents: 10 })
    const own = await pay(at, { payer, payee, cents: 10 })
    await at.settle()
    for (const { captureId } of [theirs, own])
      t.match(await at.sql`select status from payment_captures where id = ${captureId}`, [
        { status: 'landed' },
      ])
    const open = (await batches(at)).filter(({ status }) => status === 'open')
    t.equal(open.length, BLOCKED_PAYEES, 'the refused ones are rehearsed again')
    at.clock.nowMs += REFUSED_MS_MAX
    await at.round()
    await at.round()
    const failed = (await batches(at)).filter(({ status }) => status === 'failed')
    t.equal(failed.length, BLOCKED_PAYEES)
  })
}
