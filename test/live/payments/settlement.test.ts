import { test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import {
  capture,
  ledgerCents,
  pay,
  refund,
  type SettlementStand,
  startSettlement,
  unitsOf,
} from '../../harness/settlement.ts'

async function batches({ sql }: SettlementStand) {
  return sql<
    { id: string; status: string; failure: unknown; review: unknown; captures: number }[]
  >`select id, status, failure, review, captures from settlement_batches order by id`
}

async function captures({ sql }: SettlementStand) {
  return sql<{ id: string; status: string; failure: { code: string } | null }[]>`
    select id, status, failure from payment_captures order by id`
}

async function eventTypes({ sql }: SettlementStand, tenantId: string): Promise<string[]> {
  const rows = await sql<{ type: string }[]>`
    select type from events where tenant_id = ${tenantId} order by seq`
  return rows.map(({ type }) => type)
}

/** The ledger equals the chain, and every balance is that of its transfers. */
async function books(at: SettlementStand): Promise<unknown> {
  const [apart] = await at.sql<{ apart: number }[]>`
    select count(*) as apart from ledger_accounts a where balance <> coalesce((
      select sum(case when credit = a.id then units else -units end) from ledger_transfers
      where credit = a.id or debit = a.id), 0)`
  return apart
}

test('a settlement line', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const payee = await at.addPayee(tenant)
  const payers = await Promise.all([1000, 1000, 1000].map((cents) => at.addPayer(tenant, cents)))
  const [first, second, third] = payers as [
    (typeof payers)[0],
    (typeof payers)[0],
    (typeof payers)[0],
  ]

  await t.test('a deposit counts at a finalized block, never before', async (t) => {
    await at.round()
    const funded = async () =>
      (await at.sql`select funded_cents, balance_cents from payment_accounts order by id`).map(
        ({ funded_cents, balance_cents }) => [funded_cents, balance_cents],
      )
    const before = (await funded()).flat().reduce((sum, cents) => sum + cents, 0)
    t.ok(before < 6000, 'the newest deposits wait')
    await at.mine(2)
    await at.round()
    t.same(
      await funded(),
      [1, 2, 3].map(() => [1000, 1000]),
    )
    t.same(await ledgerCents(at.sql), { world: -3000, available: 3000 })
  })

  await t.test('captures of one account land in one batch, and the payee is paid', async (t) => {
    const [one, other] = [
      await pay(at, { payer: first, payee, cents: 250, of: 400 }),
      await pay(at, { payer: second, payee, cents: 300 }),
    ]
    await at.round()
    t.match(await batches(at), [{ status: 'submitted', captures: 2 }])
    t.same(await eventTypes(at, tenant.tenantId), [], 'sent is not captured')
    await at.mine(1)
    await at.round()
    t.match(await batches(at), [{ status: 'included' }])
    t.match(await captures(at), [{ status: 'included' }, { status: 'included' }])
    t.same(await eventTypes(at, tenant.tenantId), [], 'included is provisional')
    await at.mine(2)
    await at.round()
    t.match(await batches(at), [{ status: 'completed' }])
    t.match(await captures(at), [{ status: 'landed' }, { status: 'landed' }])
    t.equal((await eventTypes(at, tenant.tenantId))[0], 'payment.settlement_batch_completed')
    t.same(
      await at.sql`select status, captured_cents, capture_pending_cents from payments order by id`,
      [
        { status: 'partially_captured', captured_cents: 250, capture_pending_cents: 0 },
        { status: 'captured', captured_cents: 300, capture_pending_cents: 0 },
      ],
    )
    t.same(await unitsOf(at, [payee.address, first.address, second.address]), [
      unitsOfCents(545),
      unitsOfCents(750),
      unitsOfCents(700),
    ])
    await at.round()
    t.same(await ledgerCents(at.sql), {
      ...{ world: -3000, available: 2300, held: 150, in_settlement: 0, paid: 545, fees: 5 },
    })
    t.same(await books(at), { apart: 0 })
    t.same(
      (await at.sql`select funded_cents from payment_accounts order by id`).map(
        ({ funded_cents }) => funded_cents,
      ),
      [1000, 1000, 1000],
      'what was captured stays funded: the engine counts it as used',
    )

    const again = await capture(at, { payer: first, paymentId: one.paymentId, cents: 150, bit: 1 })
    const back = await refund(at, { paymentId: other.paymentId, cents: 100 })
    await at.settle()
    t.match(await batches(at), [{ status: 'completed' }, { status: 'completed' }])
    t.match(await at.sql`select status from payment_captures where id = ${again}`, [
      { status: 'landed' },
    ])
    t.match(await at.sql`select status from payment_refunds where id = ${back}`, [
      { status: 'landed' },
    ])
    t.match(await at.sql`select status from payments order by id`, [
      { status: 'captured' },
      { status: 'partially_refunded' },
    ])
    t.match(await at.sql`select bit, approval_id from payment_refunds where id = ${back}`, [
      { bit: 0, approval_id: other.paymentId },
    ])
    const more = [
      await refund(at, { paymentId: other.paymentId, cents: 20 }),
      await refund(at, { paymentId: other.paymentId, cents: 30 }),
    ]
    const blocked = (is: boolean) => at.sandbox.callToken('setBlocked', [second.address, is])
    await blocked(true)
    await pay(at, { payer: first, payee, cents: 100 })
    await at.round()
    await at.mine(3)
    await at.round()
    const tried = () => at.sql`
      select bit, tries, status from payment_refunds where id = any(${more}) order by id`
    t.match(await tried(), [
      { bit: 1, tries: 1, status: 'pending' },
      { bit: 2, tries: 1, status: 'pending' },
    ])
    await blocked(false)
    await pay(at, { payer: first, payee, cents: 100 })
    await at.settle()
    t.match(
      await tried(),
      [
        { bit: 1, status: 'landed' },
        { bit: 2, status: 'landed' },
      ],
      'a refund that is tried again keeps its bit',
    )
    t.same(await books(at), { apart: 0 })
  })

  await t.test('a blocked account fails alone, with its reason', async (t) => {
    await at.sandbox.callToken('setBlocked', [third.address, true])
    const bad = await pay(at, { payer: third, payee, cents: 100 })
    const good = await pay(at, { payer: second, payee, cents: 100 })
    await at.settle()
    t.match((await batches(at)).at(-1), { status: 'completed', captures: 2 })
    const byId = new Map((await captures(at)).map((row) => [row.id, row]))
    t.match(byId.get(bad.captureId), { status: 'failed', failure: { code: 'transfer_failed' } })
    t.match(byId.get(good.captureId), { status: 'landed' })
    t.match(await at.sql`select status from payments where id = ${bad.paymentId}`, [
      { status: 'failed' },
    ])
    await at.sandbox.callToken('setBlocked', [third.address, false])
  })

  await t.test('a paused token fails the batch only after a while, without gas', async (t) => {
    const paused = await pay(at, { payer: second, payee, cents: 50 })
    await at.sandbox.callToken('setPaused', [true])
    await at.round()
    await at.round()
    t.match((await batches(at)).at(-1), { status: 'open' }, 'silence and refusals only delay')
    at.clock.nowMs += 6000
    await at.round()
    t.match((await batches(at)).at(-1), {
      status: 'failed',
      failure: { stage: 'rehearsal', code: 'transfer_failed' },
      review: { status: 'open' },
    })
    t.match((await eventTypes(at, tenant.tenantId)).at(-1), /^payment\./)
    t.ok((await eventTypes(at, tenant.tenantId)).includes('payment.settlement_batch_failed'))
    t.match(await at.sql`select status from payments where id = ${paused.paymentId}`, [
      { status: 'failed' },
    ])
    await at.sandbox.callToken('setPaused', [false])
  })

  await t.test('a refund beyond the batch waits for the payee’s money', async (t) => {
    const [{ id: paymentId } = { id: '' }] = await at.sql<{ id: string }[]>`
      select id from payments where status = 'captured' order by id limit 1`
    const id = await refund(at, { paymentId, cents: 400 })
    const before = (await batches(at)).length
    await at.round()
    t.equal((await batches(at)).length, before, 'nothing is closed')
    t.match(await at.sql`select status from payment_refunds where id = ${id}`, [
      { status: 'awaiting_funds' },
    ])
    await pay(at, { payer: second, payee, cents: 450 })
    await at.settle()
    t.match(await at.sql`select status from payment_refunds where id = ${id}`, [
      { status: 'landed' },
    ])
    t.same(await books(at), { apart: 0 })
  })

  await t.test('the key of the sponsor is sealed wherever it is kept', async (t) => {
    const [wallet] = await at.sql`select sealed_key, address from settlement_wallets`
    t.match(wallet?.['sealed_key'], /^s1:/)
    t.notMatch(JSON.stringify(wallet), /0x[0-9a-f]{64}/)
  })
})
