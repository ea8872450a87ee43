// Mandates: one approval for many payments to one payee, over a real API, engine and database; the
// last test lands payments of one mandate on a real node.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { landCaptures } from '../../../api/payments/payments/index.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { approveOn, challengeOn, submit } from '../../../scripts/holder-peer/pages.ts'
import { createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Answer } from '../../harness/api.ts'
import { openPayments, type PaymentsApi, SHOP } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { startSettlement, unitsOf } from '../../harness/settlement.ts'
import { until } from '../../harness/until.ts'

type Body = Answer['body']

const HOUR_S = 3600
const api = await openPayments(file)

interface Parties {
  payment_account_id: string
  settlement_account_id: string
  passkey: Passkey
}

async function parties(): Promise<Parties> {
  const { id, passkey } = await api.openAccount()
  return { payment_account_id: id, settlement_account_id: await api.seedPayee(), passkey }
}

async function begin(of: Parties, more: object = {}): Promise<Body> {
  const { payment_account_id, settlement_account_id } = of
  const terms = { payment_account_id, settlement_account_id, limit_cents: 5000 }
  const made = await api.post('payment_mandates', {
    ...terms,
    expires_in: 30 * 24 * HOUR_S,
    ...more,
  })
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}

async function active(of: Parties, more: object = {}): Promise<Body> {
  const mandate = await begin(of, more)
  const page = await approveOn(mandate.confirmation.url, of.passkey)
  if (!page.text.includes('You approved these payments')) throw new Error(page.text)
  return mandate
}

function pay(of: Parties, amount_cents: number, more: object = {}): Promise<Answer> {
  const { payment_account_id, settlement_account_id } = of
  return api.post('payments', { payment_account_id, settlement_account_id, amount_cents, ...more })
}

test('a holder approves once, and payments under the mandate are authorized', async (t) => {
  const of = await parties()
  const mandate = await begin(of, { description: 'Books of the month', per_payment_cents: 2000 })
  t.match(mandate, {
    ...{ id: /^man_/, object: 'payment_mandate', status: 'pending', limit_cents: 5000 },
    ...{ per_payment_cents: 2000, reserved_cents: 0, used_cents: 0 },
    approval_hash: /^0x[0-9a-f]{64}$/,
    confirmation: { url: /\/pay\/[\w-]{43}$/, confirmed_at: null },
  })
  const path = 'payment_mandates/' + mandate.id
  t.equal((await pay(of, 100)).body.status, 'needs_confirmation', 'pending covers nothing')
  const { url } = mandate.confirmation
  t.match(
    await (await fetch(url)).text(),
    /Approve payments up to this sum[\s\S]*\$50\.00[\s\S]*\$20\.00/,
  )
  const challenge = await challengeOn(url)
  t.equal('0x' + challenge.toString('hex'), mandate.approval_hash)
  t.match(
    (await api.post(path + '/confirm', of.passkey.assert(challenge, { flags: 0x01 }))).body.error,
    {
      code: 'assertion_invalid',
      reason: 'user_verified',
    },
  )
  const stranger = createPasskey(api.url).assert(challenge)
  t.match((await api.post(path + '/confirm', stranger)).body.error, { reason: 'credential' })
  t.match((await approveOn(url, of.passkey)).text, /You approved these payments/)
  t.match(await api.get(path), {
    status: 'active',
    confirmation: { url: null, confirmed_at: /Z$/ },
  })
  t.match(await api.post(path + '/confirm', of.passkey.assert(challenge)), { status: 409 })

  const payment = (await pay(of, 2000)).body
  t.match(payment, {
    status: 'authorized',
    payment_mandate_id: mandate.id,
    confirmation: { by: 'mandate', url: null, expires_at: null },
    approval_hash: mandate.approval_hash,
  })
  t.same(await api.events(payment.id), ['payment.authorized'])
  t.match(await api.get(path), { reserved_cents: 2000, used_cents: 0 })
  t.equal((await pay(of, 2001)).body.status, 'needs_confirmation', 'more than one payment may take')
  const captured = await api.post('payments/' + payment.id + '/capture', { amount_cents: 1500 })
  t.match(captured.body, { status: 'capture_pending', voided_cents: 500 })
  const ids = [captured.body.captures[0].id]
  await tx(api.sql, (sql) => landCaptures(sql, { ids, now: systemClock.nowMs() }))
  t.match(await api.get(path), { reserved_cents: 0, used_cents: 1500 })
  t.same(await api.events(payment.id), ['payment.authorized', 'payment.captured'])
  t.match(
    await api.sql`
    select actor_type, action from audit_log where resource_id = ${mandate.id} order by seq`,
    [
      { action: 'POST /v1/payment_mandates' },
      { actor_type: 'holder', action: 'holder approves a mandate' },
    ],
  )
})

test('payments at once never promise more than the limit', async (t) => {
  const of = await parties()
  const mandate = await active(of)
  const tries = await Promise.all(Array.from({ length: 8 }, () => pay(of, 1000)))
  const statuses = tries.map(({ body }) => body.status)
  t.equal(statuses.filter((status) => status === 'authorized').length, 5)
  t.equal(statuses.filter((status) => status === 'needs_confirmation').length, 3)
  t.match(await api.get('payment_mandates/' + mandate.id), { reserved_cents: 5000 })
  const [first] = tries.map(({ body }) => body).filter(({ status }) => status === 'authorized')
  await api.post('payments/' + first.id + '/void')
  t.match(await api.get('payment_mandates/' + mandate.id), { reserved_cents: 4000 })
  t.equal((await pay(of, 1000)).body.status, 'authorized', 'what is voided can be promised again')
})

test('the engine decides a payment under a mandate like every other one', async (t) => {
  const of = await parties()
  const { id } = await active(of, { limit_cents: 1_000_000 })
  const declined = (await pay(of, 100_001)).body
  t.match(declined, { status: 'risk_declined', decline_reason: 'insufficient_funds' })
  t.same(await api.events(declined.id), ['payment.risk_declined'])
  t.match(await api.get('payment_mandates/' + id), { reserved_cents: 0 })
})

test('captures of payments under one mandate share its 64 bits', async (t) => {
  const of = await parties()
  const mandate = await active(of)
  const [one, other] = [(await pay(of, 500)).body, (await pay(of, 500)).body]
  const part = { amount_cents: 100, final: false }
  for (const { id } of [one, other]) await api.post('payments/' + id + '/capture', part)
  t.match(
    await api.sql`
    select bit, payment_id = ${one.id} as one from payment_captures
    where approval_id = ${mandate.id} order by bit`,
    [
      { bit: 0, one: true },
      { bit: 1, one: false },
    ],
  )
  await api.sql`
    insert into payment_captures (id, payment_id, approval_id, tenant_id, environment, bit,
      amount_cents, final, status, created_at)
    select 'cap_' || n, ${one.id}, ${mandate.id}, ${api.tenant.tenantId}, 'sandbox', n, 1, false,
      'landed', 0
    from generate_series(2, 62) n`
  const last = (await pay(of, 100)).body
  t.equal(last.status, 'authorized')
  t.equal((await pay(of, 100)).body.status, 'needs_confirmation', 'the last bit is promised')
  t.match((await api.post('payments/' + one.id + '/capture', part)).body.error, {
    code: 'amount_not_capturable',
  })
  t.match(await api.post('payments/' + last.id + '/capture'), { status: 200 })
  t.match(await api.get('payment_mandates/' + mandate.id), { status: 'exhausted' })
  t.match(await api.get('payment_mandates?status=exhausted'), { data: [{ id: mandate.id }] })
  await api.sql`update payment_captures set status = 'refusing' where id = 'cap_2'`
  await api.runJob()
  t.same((await api.get('payment_mandates?status=exhausted')).data, [], 'a bit is free again')
})

test('a mandate is denied, revoked, or ends by itself', async (t) => {
  const of = await parties()
  const denied = await begin(of)
  t.match((await submit(denied.confirmation.url, { decision: 'deny' })).text, /denied, revoked/)
  t.match(await api.get('payment_mandates/' + denied.id), { status: 'revoked' })
  const linked = await begin(of)
  const fresh = await api.post('payment_mandates/' + linked.id + '/confirmation_links')
  t.equal((await fetch(linked.confirmation.url)).status, 404, 'an earlier link ends')
  t.match(await approveOn(fresh.body.confirmation.url, of.passkey), { status: 200 })
  const payment = (await pay(of, 1000)).body
  t.equal(payment.status, 'authorized')
  const revoke = 'payment_mandates/' + linked.id + '/revoke'
  t.match((await api.post(revoke)).body, { status: 'revoked' })
  t.match(await api.post(revoke), { status: 200 }, 'a repeat changes nothing')
  t.equal((await pay(of, 1000)).body.status, 'needs_confirmation')
  t.match(await api.post('payments/' + payment.id + '/capture'), { status: 200 })
  const late = await begin(of, { confirmation_expires_in: 60 })
  await api.sql`update payment_mandates set confirmation_expires_at = 1 where id = ${late.id}`
  t.match(await api.get('payment_mandates/' + late.id), { status: 'expired' })
  t.match((await approveOn(late.confirmation.url, of.passkey)).status, 410)
  const over = await active(of)
  await api.sql`update payment_mandates set expires_at = 1 where id = ${over.id}`
  t.match(await api.get('payment_mandates/' + over.id), { status: 'expired' })
  t.equal((await pay(of, 1000)).body.status, 'needs_confirmation')
  t.match(await api.post('payment_mandates/' + over.id + '/revoke'), { status: 409 })
  const listed = await api.get(
    'payment_mandates?status=expired&payment_account_id=' + of.payment_account_id,
  )
  t.same(
    listed.data.map(({ id }: Body) => id),
    [over.id, late.id],
  )
  const short = await active(of, { expires_in: 2 * HOUR_S })
  const covered = (await pay(of, 100)).body
  t.equal(covered.payment_mandate_id, short.id)
  t.ok(covered.expires_at <= short.expires_at, 'a payment ends with its mandate')
})

test('bad input of mandates is refused with its code', async (t) => {
  const of = await parties()
  const { payment_account_id, settlement_account_id } = of
  const terms = { payment_account_id, settlement_account_id, limit_cents: 100, expires_in: HOUR_S }
  const wrong: object[] = [
    { limit_cents: 0 },
    { limit_cents: 1.5 },
    { limit_cents: 2 ** 53 },
    { per_payment_cents: 101 },
    { expires_in: HOUR_S - 1 },
    { expires_in: 90 * 24 * HOUR_S + 1 },
    { confirmation_expires_in: 59 },
  ]
  for (const field of wrong)
    t.match(await api.post('payment_mandates', { ...terms, ...field }), {
      status: 400,
      body: { error: { code: 'parameter_invalid', param: Object.keys(field)[0] } },
    })
  const foreign = await api.seedPayee(api.other)
  t.match(await api.post('payment_mandates', { ...terms, settlement_account_id: foreign }), {
    status: 404,
  })
  await api.sql`update settlement_accounts set status = 'disabled' where id = ${settlement_account_id}`
  t.match((await api.post('payment_mandates', terms)).body.error, {
    code: 'settlement_account_not_usable',
  })
  await api.post('payment_accounts/' + payment_account_id + '/suspend')
  t.match((await api.post('payment_mandates', terms)).body.error, {
    code: 'payment_account_not_active',
  })
  const key = { 'idempotency-key': 'mandate' }
  const again = await parties()
  const sent = {
    ...{ payment_account_id: again.payment_account_id, limit_cents: 100, expires_in: HOUR_S },
    settlement_account_id: again.settlement_account_id,
  }
  const first = await api.post('payment_mandates', sent, key)
  t.same((await api.post('payment_mandates', sent, key)).body, first.body)
})

test('payments of one mandate land on the chain under one approval', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const database = await openTestDatabase(t)
  const at = await startSettlement(t, undefined, database)
  const own: PaymentsApi = await openPayments(
    t,
    {
      chains: { sandbox: at.config, live: null },
      isApproved: (_environment, approval, assertion) =>
        at.line.chain.isApproved(approval, assertion),
    },
    database,
  )
  const { id, passkey } = await own.openAccount(0)
  const { address } = await own.get('payment_accounts/' + id)
  await at.sandbox.callToken('mint', [address, unitsOfCents(10_000)])
  await at.mine(3)
  await at.round()
  const settlement_account_id = await own.seedPayee()
  const parties = { payment_account_id: id, settlement_account_id }
  const terms = { ...parties, limit_cents: 3000, expires_in: 90 * 24 * HOUR_S }
  const { body: mandate } = await own.post('payment_mandates', terms)
  t.match((await approveOn(mandate.confirmation.url, passkey)).text, /You approved/)
  const payments: Body[] = []
  await until(async () => {
    const { body } = await own.post('payments', { ...parties, amount_cents: 1000 })
    if (body.status === 'authorized') payments.push(body)
    return body.status !== 'risk_declined'
  })
  for (let more = 0; more < 2; more++)
    payments.push((await own.post('payments', { ...parties, amount_cents: 1000 })).body)
  for (const payment of payments) {
    t.equal(payment.status, 'authorized')
    t.equal((await own.post('payments/' + payment.id + '/capture')).status, 200)
  }
  const settle = () => {
    at.clock.nowMs = systemClock.nowMs()
    return at.settle()
  }
  await settle()
  for (const payment of payments)
    t.match(await own.get('payments/' + payment.id), { status: 'captured', captured_cents: 1000 })
  const [batch] = (await own.get('settlement_batches')).data
  t.match(batch, { status: 'completed', counts: { captures: 3 }, gross_cents: 3000 })
  t.ok(batch.gas_used < 300_000, 'further captures under an approval are cheap: ' + batch.gas_used)
  t.same(await unitsOf(at, [SHOP, address]), [unitsOfCents(3000), unitsOfCents(7000)])
  t.match(await own.get('payment_mandates/' + mandate.id), {
    status: 'exhausted',
    used_cents: 3000,
  })
  t.match(await own.get('payment_mandates?status=exhausted'), { data: [{ id: mandate.id }] })
  t.same((await own.get('payment_mandates?status=active')).data, [])
  const refund = await own.post('payments/' + payments[0].id + '/refund', { amount_cents: 400 })
  t.equal(refund.status, 200)
  const next = await own.post('payments', { ...parties, amount_cents: 500 })
  await approveOn(next.body.confirmation.url, passkey)
  await own.post('payments/' + next.body.id + '/capture')
  await settle()
  t.match(await own.get('payments/' + payments[0].id), { status: 'partially_refunded' })
  t.same(await unitsOf(at, [SHOP, address]), [unitsOfCents(3100), unitsOfCents(6900)])
})
