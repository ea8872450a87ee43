// The close of a payment account, over a real API, engine and database.
import { test } from 'tap'
import { enrolOn } from '../../../scripts/holder-peer/pages.ts'
import { createPasskey } from '../../../scripts/holder-peer/passkey.ts'
import type { Answer } from '../../harness/api.ts'
import { behindEachOther } from '../../harness/behind-each-other.ts'
import {
  confirmedAnswer,
  confirmedPayment,
  emptyAccount,
  openPayments,
} from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { seedCardholder } from '../../harness/tenant.ts'

const HOUR_S = 3600
const HOME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const api = await openPayments(file, { withdrawalNonce: async () => 0 })
const { sql, tenant } = api

function close(id: string, key?: string): Promise<Answer> {
  return confirmedAnswer(api, 'payment_accounts/' + id + '/close', {}, key)
}

function open(cardholder_id: string): Promise<Answer> {
  return confirmedAnswer(api, 'payment_accounts', { cardholder_id })
}

test('a pending account closes: its link ends, and the holder opens another one', async (t) => {
  const cardholder_id = await seedCardholder(sql, tenant)
  const first = (await open(cardholder_id)).body
  t.match(await open(cardholder_id), { status: 409 })
  const key = 'close ' + first.id
  const closed = await close(first.id, key)
  t.match(closed, { status: 200, body: { id: first.id, status: 'closed', enrolment_url: null } })
  const repeated = await close(first.id, key)
  t.same(repeated.body, closed.body)
  t.equal(repeated.headers.get('idempotent-replayed'), 'true')
  t.match(await close(first.id), { status: 200 }, 'a repeat changes nothing')
  t.match(await enrolOn(first.enrolment_url, createPasskey(api.url)), { status: 404 })
  t.match((await api.post('payment_accounts/' + first.id + '/enrolment_links')).body.error, {
    ...{ code: 'invalid_state', current_status: 'closed' },
  })
  const second = await open(cardholder_id)
  t.match(second, { status: 201, body: { status: 'pending' } })
  t.match(
    await sql`select actor_type, action from audit_log where resource_id = ${first.id}
      order by seq limit 2`,
    [
      { action: 'POST /v1/payment_accounts' },
      { actor_type: 'key', action: 'POST /v1/payment_accounts/:id/close' },
    ],
  )
  t.same(await api.events(first.id), [], 'the specification lists no event')
})

test('an account with money or an open payment stays', async (t) => {
  const { id, path, terms } = await confirmedPayment(api)
  const account = terms.payment_account_id
  t.match((await close(account)).body.error, {
    ...{ code: 'invalid_state', current_status: 'funded' },
  })
  await sql`update payment_accounts set balance_cents = 0 where id = ${account}`
  t.match((await close(account)).body.error, { current_status: 'funded' }, 'the ledger knows more')
  await sql`update payment_accounts set balance_cents = 97500 where id = ${account}`
  await emptyAccount(api, { id: account, cents: 97_500 })
  t.match((await close(account)).body.error, { current_status: 'in_use', resource_id: id })
  await sql`
    update payments set status = 'captured', captured_cents = 2500, refund_pending_cents = 1
    where id = ${id}`
  t.match((await close(account)).body.error, { current_status: 'in_use' }, 'a refund comes back')
  await sql`update payments set refund_pending_cents = 0 where id = ${id}`
  t.match((await close(account)).body, { status: 'closed', held_cents: 0 })
  t.match(await api.get(path), { status: 'captured' })
})

test('an account with a withdrawal stays until it has ended', async (t) => {
  const { id } = await api.openAccount(500)
  const path = 'payment_accounts/' + id + '/withdrawals'
  const { body } = await api.post(path, { amount_cents: 500, to_address: HOME })
  await emptyAccount(api, { id, cents: 500 })
  t.match((await close(id)).body.error, { current_status: 'in_use', resource_id: body.id })
  await api.post('payment_withdrawals/' + body.id + '/cancel')
  for (const status of ['checking', 'pending', 'submitted', 'included']) {
    await sql`update payment_withdrawals set status = ${status} where id = ${body.id}`
    t.match((await close(id)).body.error, { resource_id: body.id }, status)
  }
  await sql`update payment_withdrawals set status = 'completed' where id = ${body.id}`
  t.match((await close(id)).body, { status: 'closed' })
})

test('an account that differs from the chain waits for an operator', async (t) => {
  const { id } = await api.openAccount(0)
  const path = 'payment_accounts/' + id
  const reason = 'ledger_apart'
  const suspended = await confirmedAnswer(api, path + '/suspend', { reason })
  t.match(suspended.body, { suspend_reason: reason })
  const resumed = await confirmedAnswer(api, path + '/resume')
  t.match(resumed.body, { status: 'active' }, 'only a word of the tenant')
  await confirmedAnswer(api, path + '/suspend')
  await sql`
    insert into settlement_exceptions (id, chain_id, environment, tenant_id, kind, subject,
      block_number, ledger_units, chain_units, opened_at)
    values (${'sex_' + id}, 31337, 'sandbox', ${tenant.tenantId}, 'holder_lacks', ${id}, 1, 1, 0, 0)`
  const refused = { code: 'invalid_state', current_status: 'ledger_apart' }
  t.match((await api.post(path + '/resume')).body.error, refused)
  const sent = { amount_cents: 1, to_address: HOME }
  t.match((await api.post(path + '/withdrawals', sent)).body.error, refused)
  t.match((await close(id)).body.error, refused)
  await sql`update settlement_exceptions set resolved_at = 1 where subject = ${id}`
  t.match((await close(id)).body, { status: 'closed', suspend_reason: null })
})

test('a closed account pays nothing, for the engine too, and its passkey opens no other', async (t) => {
  const { id: payment_account_id, passkey } = await api.openAccount(1000)
  const settlement_account_id = await api.seedPayee()
  const parties = { payment_account_id, settlement_account_id }
  const terms = { ...parties, limit_cents: 500, expires_in: HOUR_S }
  const mandate = (await api.post('payment_mandates', terms)).body
  await emptyAccount(api, { id: payment_account_id, cents: 1000 })
  t.match((await close(payment_account_id)).body, { status: 'closed' })
  t.match(await api.get('payment_mandates/' + mandate.id), { status: 'revoked' })
  t.match((await api.post('payments', { ...parties, amount_cents: 1 })).body.error, {
    ...{ code: 'payment_account_not_active', current_status: 'closed' },
  })
  for (const move of ['suspend', 'resume'])
    t.match((await api.post('payment_accounts/' + payment_account_id + '/' + move)).body.error, {
      ...{ code: 'invalid_state', current_status: 'closed' },
    })
  const [cardholder_id, other] = [await seedCardholder(sql, tenant), api.other.keys.write]
  const again = (await open(cardholder_id)).body
  t.match(await enrolOn(again.enrolment_url, passkey), { status: 409 })
  const path = '/v1/payment_accounts/' + payment_account_id + '/close'
  t.match(await api.call('POST', path, { key: other, body: {} }), { status: 404 })
})

for (const late of ['mandate', 'payment', 'approval'] as const)
  test('a ' + late + ' that meets the close of its account comes too late', async (t) => {
    const { id: payment_account_id, passkey } = await api.openAccount(1000)
    const settlement_account_id = await api.seedPayee()
    const parties = { payment_account_id, settlement_account_id }
    const terms = { ...parties, limit_cents: 500, expires_in: HOUR_S }
    const { id } = (await api.post('payment_mandates', terms)).body
    await emptyAccount(api, { id: payment_account_id, cents: 1000 })
    const [row] = await sql<{ hash: Buffer }[]>`
      select approval_hash as hash from payment_mandates where id = ${id}`
    const assertion = passkey.assert(row?.hash ?? Buffer.alloc(32))
    const calls = {
      mandate: () => api.post('payment_mandates', terms),
      payment: () => api.post('payments', { ...parties, amount_cents: 1, description: 'Late' }),
      approval: () => api.post('payment_mandates/' + id + '/confirm', assertion),
    }
    // The close waits for the mandate that it revokes, and has the account by then.
    const [closed, refused] = await behindEachOther(
      sql,
      (inner) => inner`select from payment_mandates where id = ${id} for update`,
      [() => close(payment_account_id), calls[late]],
    )
    t.match(closed, { status: 200, body: { status: 'closed' } })
    t.match(refused?.body.error, {
      ...{ code: 'payment_account_not_active', current_status: 'closed' },
    })
    t.match(
      await sql`select status from payment_mandates where payment_account_id = ${payment_account_id}`,
      [{ status: 'revoked' }],
    )
    t.same(await sql`select from payments where payment_account_id = ${payment_account_id}`, [])
  })

test('an account does not close while a mandate of it is made', async (t) => {
  const { id: payment_account_id } = await api.openAccount(0)
  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id, settlement_account_id, limit_cents: 500, expires_in: HOUR_S }
  const [made, closed] = await behindEachOther(
    sql,
    (inner) => inner`lock table payment_mandates in share mode`,
    [() => api.post('payment_mandates', terms), () => close(payment_account_id)],
  )
  t.match(closed, { status: 200, body: { status: 'closed' } })
  t.match(await api.get('payment_mandates/' + made?.body.id), { status: 'revoked' })
})
