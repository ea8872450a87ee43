// Bad input of payments, each with its code: names that are not the tenant's answer alike, and a
// refused call changes nothing.
import { type Test, test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { landCaptures } from '../../../api/payments/payments/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Answer } from '../../harness/api.ts'
import { confirmedPayment, openPayments } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { seedTenant } from '../../harness/tenant.ts'

const api = await openPayments(file)

/** The answer without the id that was asked for and without those of the request. */
function toldBy({ status, body }: Answer, id: string): unknown {
  const { request_id: _request, ...error } = body.error
  return JSON.parse(JSON.stringify({ status, error }).replaceAll(id, 'ID'))
}

/** Names of the same kind that are not the tenant's: unknown, another tenant's, of live. */
async function strangers(kind: 'sacc' | 'pacc'): Promise<readonly string[]> {
  const live = await seedTenant(api.sql, 'live')
  const made: string[] = [newId(kind, systemClock.nowMs())]
  for (const owner of [api.other, live]) {
    if (kind === 'sacc') {
      made.push(await api.seedPayee(owner))
      continue
    }
    const id = newId(kind, systemClock.nowMs())
    await api.sql`
      insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
        chain_id, address, created_at)
      values (${id}, ${owner.tenantId}, ${owner.environment}, ${owner.programId},
        ${owner.cardholderId}, 'active', 31337, ${'0x' + Buffer.from(id.slice(-20)).toString('hex')}, 0)`
    made.push(id)
  }
  return made
}

async function alike(
  t: Test,
  ids: readonly string[],
  call: (id: string) => Promise<Answer>,
  what: string,
): Promise<void> {
  const told = []
  for (const id of ids) told.push(toldBy(await call(id), id))
  t.match(told[0], { status: 404, error: { code: 'resource_missing' } }, what)
  for (const each of told) t.same(each, told[0], what)
}

test('unknown names, another tenant’s and those of live get the same answer', async (t) => {
  const { id, passkey, terms } = await confirmedPayment(api)
  const shops = await strangers('sacc')
  const accounts = await strangers('pacc')
  const pay = (change: object) => api.post('payments', { ...terms, ...change })
  await alike(t, shops, (shop) => pay({ settlement_account_id: shop }), 'a payee')
  await alike(t, accounts, (account) => pay({ payment_account_id: account }), 'a payer')
  await alike(t, accounts, (one) => api.post('payment_accounts/' + one + '/suspend'), 'an account')
  const unknown = newId('pay', systemClock.nowMs())
  const keys = [api.tenant, api.other, await seedTenant(api.sql, 'live')].map(({ keys }) => keys)
  const assertion = passkey.assert(Buffer.alloc(32))
  for (const [move, body] of Object.entries({
    capture: {},
    void: {},
    refund: {},
    confirm: assertion,
  })) {
    const told = []
    for (const [at, { write }] of keys.entries()) {
      const name = at === 0 ? unknown : id
      const path = '/v1/payments/' + name + '/' + move
      told.push(toldBy(await api.call('POST', path, { key: write, body }), name))
    }
    t.match(told[0], { status: 404, error: { code: 'resource_missing' } }, move)
    for (const each of told) t.same(each, told[0], move)
  }
  t.equal((await api.get('payments/' + id)).status, 'confirmed')
})

test('an amount of a capture or refund is whole cents, and at most what is left', async (t) => {
  const { id } = await confirmedPayment(api)
  const captured = await api.post('payments/' + id + '/capture')
  const ids = captured.body.captures.map((capture: { id: string }) => capture.id)
  await tx(api.sql, (sql) => landCaptures(sql, { ids, now: systemClock.nowMs() }))
  for (const move of ['capture', 'refund'])
    for (const amount_cents of [0, -1, 1.5, '1', 2 ** 53])
      t.match(await api.post('payments/' + id + '/' + move, { amount_cents }), {
        status: 400,
        body: { error: { code: 'parameter_invalid', param: 'amount_cents' } },
      })
  const refund = () => api.post('payments/' + id + '/refund', { amount_cents: 1000 })
  const tries = await Promise.all([refund(), refund(), refund(), refund()])
  t.same(tries.map(({ status }) => status).sort(), [200, 200, 409, 409])
  for (const { body } of tries.filter(({ status }) => status === 409))
    t.match(body.error, { code: 'amount_not_refundable', refundable_cents: 500 })
  t.match(await api.get('payments/' + id), { refund_pending_cents: 2000 })
})

test('lifetimes end at their bounds', async (t) => {
  const { terms } = await confirmedPayment(api)
  const bounds = { expires_in: [3599, 604_801], confirmation_expires_in: [59, 86_401] }
  for (const [field, values] of Object.entries(bounds))
    for (const value of values)
      t.match(await api.post('payments', { ...terms, [field]: value }), {
        status: 400,
        body: { error: { code: 'parameter_invalid', param: field } },
      })
  const edge = { expires_in: 3600, confirmation_expires_in: 86_400 }
  t.match(await api.post('payments', { ...terms, ...edge }), { status: 201 })
})

test('accounts that are not active and payees that are not usable are named', async (t) => {
  const { terms } = await confirmedPayment(api)
  const pay = (change: object) => api.post('payments', { ...terms, ...change })
  const body = { cardholder_id: api.tenant.cardholderId }
  const pending = (await api.post('payment_accounts', body)).body
  t.match(await pay({ payment_account_id: pending.id }), {
    status: 409,
    body: { error: { code: 'payment_account_not_active', current_status: 'pending' } },
  })
  const waiting = await api.seedPayee()
  await api.sql`
    update settlement_accounts set status = 'waiting', usable_at = ${systemClock.nowMs() + 60_000}
    where id = ${waiting}`
  t.match(await pay({ settlement_account_id: waiting }), {
    status: 409,
    body: { error: { code: 'settlement_account_not_usable', current_status: 'waiting' } },
  })
})

test('an assertion after the time to answer changes nothing', async (t) => {
  const { passkey, terms } = await confirmedPayment(api)
  const { body } = await api.post('payments', terms)
  const hash = Buffer.from(body.approval_hash.slice(2), 'hex')
  await api.sql`update payments set confirmation_expires_at = 1 where id = ${body.id}`
  const late = await api.post('payments/' + body.id + '/confirm', passkey.assert(hash))
  t.match(late, {
    status: 409,
    body: { error: { code: 'invalid_state', allowed_from: ['needs_confirmation'] } },
  })
  await api.runJob()
  t.match(await api.get('payments/' + body.id), {
    status: 'voided',
    void_cause: 'confirmation_expired',
    confirmation: { confirmed_at: null },
  })
})
