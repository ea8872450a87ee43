// Payments over a real API, engine, drain and database.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { bytesOfHex } from '../../../api/payments/chain/hex.ts'
import { approvalHash } from '../../../api/payments/chain/terms.ts'
import { approvalTerms } from '../../../api/payments/passkeys/approval.ts'
import { failCaptures, landCaptures, landRefunds } from '../../../api/payments/payments/index.ts'
import { challengeOn, enrolOn, submit } from '../../../scripts/holder-peer/pages.ts'
import { createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import type { Answer } from '../../harness/api.ts'
import { openPayments, type PaymentsApi, PLACE, SHOP } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

type Body = Answer['body']
const RELEASABLE = ['partially_captured', 'partially_refunded']

/** One API for the tests that replace no part of it. */
const shared = await openPayments(file)

async function begin(api: PaymentsApi, more: object = {}) {
  const account = await api.openAccount()
  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id: account.id, settlement_account_id, amount_cents: 2500 }
  const answer = await api.post('payments', { ...terms, ...more })
  if (answer.status !== 201) throw new Error(answer.text)
  return { ...account, terms, payment: answer.body as Body }
}

/** Approves on the page, as a browser does. */
async function approve(url: string, passkey: Passkey, changes = {}): Promise<string> {
  const page = await submit(url, {
    decision: 'approve',
    ...passkey.assert(await challengeOn(url), changes),
  })
  return page.text
}

async function confirmed(api: PaymentsApi, more: object = {}) {
  const begun = await begin(api, more)
  const text = await approve(begun.payment.confirmation.url, begun.passkey)
  if (!text.includes('You approved')) throw new Error(text)
  return begun
}

test('a payment goes from authorized over confirmed and captured to refunded', async (t) => {
  const api = shared
  const { payment, passkey, id: accountId } = await begin(api, { description: 'Two books' })
  t.match(payment, {
    status: 'needs_confirmation',
    amount_cents: 2500,
    capturable_cents: 2500,
    captured_cents: 0,
    decline_reason: null,
    approval_hash: /^0x[0-9a-f]{64}$/,
    confirmation: { by: null, confirmed_at: null, url: /\/pay\/[\w-]{43}$/ },
  })
  t.ok(payment.decision.trace.some((step: Body) => step.rule_id === 'funds_available'))
  const shown = await api.get('payments/' + payment.id)
  t.same(shown, { ...payment, confirmation: { ...payment.confirmation, url: null } })
  t.match(await api.get('payment_accounts/' + accountId), {
    status: 'active',
    balance_cents: 100_000,
    held_cents: 2500,
    available_cents: 97_500,
    credential: { backed_up: false },
  })
  t.match(await api.post('payments/' + payment.id + '/capture'), {
    status: 409,
    body: {
      error: {
        ...{ code: 'invalid_state', current_status: 'needs_confirmation' },
        allowed_from: ['authorized', 'confirmed', 'capture_pending', ...RELEASABLE],
      },
    },
  })
  t.match(await approve(payment.confirmation.url, passkey), /You approved /)
  t.match(await api.get('payments/' + payment.id), {
    status: 'confirmed',
    confirmation: { by: 'passkey', confirmed_at: /Z$/ },
  })

  const part = await api.post('payments/' + payment.id + '/capture', {
    amount_cents: 1000,
    final: false,
  })
  t.match(part.body, { status: 'capture_pending', capture_pending_cents: 1000 })
  const [first] = part.body.captures
  t.match(first, { status: 'pending', amount_cents: 1000, final: false, object: 'payment_capture' })
  const rest = await api.post('payments/' + payment.id + '/capture')
  t.match(rest.body, { capture_pending_cents: 2500, capturable_cents: 0 })
  const second = rest.body.captures[1]
  await tx(api.sql, (sql) =>
    landCaptures(sql, { ids: [first.id, second.id], now: systemClock.nowMs() }),
  )
  await tx(api.sql, (sql) => landCaptures(sql, { ids: [first.id], now: systemClock.nowMs() }))
  t.match(await api.get('payments/' + payment.id), { status: 'captured', captured_cents: 2500 })

  const refund = await api.post('payments/' + payment.id + '/refund', { amount_cents: 500 })
  t.match(refund.body, { status: 'captured', refund_pending_cents: 500 })
  t.match(await api.post('payments/' + payment.id + '/refund', { amount_cents: 2001 }), {
    status: 409,
    body: { error: { code: 'amount_not_refundable', refundable_cents: 2000 } },
  })
  const whole = await api.post('payments/' + payment.id + '/refund')
  const refunds = whole.body.refunds.map(({ id }: Body) => id)
  for (const id of refunds) {
    await tx(api.sql, (sql) => landRefunds(sql, { ids: [id], now: systemClock.nowMs() }))
    await tx(api.sql, (sql) => landRefunds(sql, { ids: [id], now: systemClock.nowMs() }))
  }
  t.match(await api.get('payments/' + payment.id), { status: 'refunded', refunded_cents: 2500 })
  t.same(await api.events(payment.id), [
    'payment.authorized',
    'payment.needs_confirmation',
    'payment.confirmed',
    'payment.captured',
    'payment.captured',
    'payment.refunded',
    'payment.refunded',
  ])
})

test('a payment beyond the funds is declined with its trace', async (t) => {
  const api = shared
  const { id } = await api.openAccount(1000)
  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id: id, settlement_account_id }
  const declined = (await api.post('payments', { ...terms, amount_cents: 1001 })).body
  t.match(declined, {
    confirmation: null,
    capturable_cents: 0,
    decline_reason: 'insufficient_funds',
  })
  t.same(await api.events(declined.id), ['payment.risk_declined'])
  const tries = await Promise.all(
    Array.from({ length: 12 }, () => api.post('payments', { ...terms, amount_cents: 100 })),
  )
  const approved = tries.filter(({ body }) => body.status === 'needs_confirmation')
  t.equal(approved.length, 10, 'ten times a tenth of the funds')
})

test('a holder denies, a tenant voids, and time runs out', async (t) => {
  const api = shared
  const denied = await begin(api)
  const page = await submit(denied.payment.confirmation.url, { decision: 'deny' })
  t.match(page.text, /You denied /)
  t.match(await api.get('payments/' + denied.payment.id), {
    status: 'voided',
    void_cause: 'holder_denied',
    voided_cents: 2500,
  })
  const voided = await confirmed(api)
  t.match(await api.post('payments/' + voided.payment.id + '/void'), {
    status: 200,
    body: { status: 'voided', void_cause: 'requested' },
  })
  t.match(await api.post('payments/' + voided.payment.id + '/void'), { status: 409 })
  const late = await begin(api)
  await api.runJob(16 * 60_000)
  t.match(await api.get('payments/' + late.payment.id), {
    status: 'voided',
    void_cause: 'confirmation_expired',
  })
  t.match(await approve(late.payment.confirmation.url, late.passkey), /Too late/)
  const partly = await confirmed(api)
  const path = 'payments/' + partly.payment.id
  const { body } = await api.post(path + '/capture', { amount_cents: 500, final: false })
  t.match(await api.post(path + '/void'), {
    status: 409,
    body: {
      error: {
        ...{ code: 'invalid_state', current_status: 'capture_pending' },
        allowed_from: ['authorized', 'needs_confirmation', 'confirmed', ...RELEASABLE],
      },
    },
  })
  await tx(api.sql, (sql) =>
    landCaptures(sql, { ids: [body.captures[0].id], now: systemClock.nowMs() }),
  )
  t.equal((await api.get(path)).status, 'partially_captured')
  t.match((await api.post(path + '/void')).body, { status: 'captured', voided_cents: 2000 })
  for (const { payment } of [denied, voided, late, partly])
    t.equal((await api.events(payment.id)).at(-1), 'payment.voided')
})

test('a final capture releases the rest, and a failed one is told', async (t) => {
  const api = shared
  const { payment } = await confirmed(api)
  const path = 'payments/' + payment.id
  const { body } = await api.post(path + '/capture', { amount_cents: 2000 })
  t.match(body, { status: 'capture_pending', capturable_cents: 0, voided_cents: 500 })
  const failure = { stage: 'capture', code: 'transfer_failed', detail: null } as const
  const failed = [{ id: body.captures[0].id, failure }]
  await tx(api.sql, (sql) => failCaptures(sql, { failures: failed, now: systemClock.nowMs() }))
  t.match(await api.get(path), { status: 'failed', failure, captures: [{ status: 'failed' }] })
  t.equal((await api.events(payment.id)).at(-1), 'payment.failed')
})

test('amounts are never exceeded, also by calls at once, and 64 captures are the most', async (t) => {
  const api = shared
  const { payment } = await confirmed(api)
  const path = 'payments/' + payment.id + '/capture'
  const tries = await Promise.all(
    Array.from({ length: 4 }, () => api.post(path, { amount_cents: 1000, final: false })),
  )
  const refused = tries.filter(({ status }) => status === 409)
  t.equal(refused.length, 2)
  for (const { body } of refused) t.match(body.error, { code: 'amount_not_capturable' })
  t.match((await api.post(path, { amount_cents: 501 })).body.error, {
    code: 'amount_not_capturable',
    capturable_cents: 500,
  })
  const many = await confirmed(api)
  const manyPath = 'payments/' + many.payment.id + '/capture'
  await api.sql`
    insert into payment_captures (id, payment_id, approval_id, tenant_id, environment, bit,
      amount_cents, final, status, created_at)
    select 'cap_' || n, ${many.payment.id}, ${many.payment.id}, ${api.tenant.tenantId}, 'sandbox', n, 1, false,
      'pending', 0
    from generate_series(0, 63) n`
  t.match((await api.post(manyPath, { amount_cents: 1, final: false })).body.error, {
    ...{ code: 'amount_not_capturable', capturable_cents: 2500 },
  })
})

/** The digest that a holder would sign for these cents, all other terms being the stored ones. */
async function digestFor(payment: Body, passkey: Passkey, limitCents: number): Promise<Buffer> {
  const [row] = await shared.sql<{ validUntil: number }[]>`
    select approval_valid_until as "validUntil" from payments where id = ${payment.id}`
  const [publicX, publicY] = [bytesOfHex(passkey.x), bytesOfHex(passkey.y)]
  const terms = approvalTerms({
    ...{ id: payment.id, payeeAddress: SHOP, limitCents, validUntil: row?.validUntil ?? 0 },
    key: { publicX, publicY, credentialId: null, recoveryAddress: null },
  })
  return bytesOfHex(approvalHash(PLACE, terms))
}

const WRONG: [string, Parameters<Passkey['assert']>[1]][] = [
  ['type', { type: 'webauthn.create' }],
  ['origin', { origin: 'http://elsewhere.example' }],
  ['rp_id', { rpId: 'elsewhere.example' }],
  ['user_present', { flags: 0x04 }],
  ['user_verified', { flags: 0x01 }],
  ['credential', { credentialId: Buffer.alloc(16) }],
]

test('an assertion that fails a check leaves the payment as it is', async (t) => {
  const api = shared
  const { payment, passkey, terms } = await begin(api)
  const path = 'payments/' + payment.id + '/confirm'
  const challenge = await challengeOn(payment.confirmation.url)
  t.equal('0x' + challenge.toString('hex'), payment.approval_hash)
  for (const [reason, changes] of WRONG)
    t.match(await api.post(path, passkey.assert(challenge, changes)), {
      status: 400,
      body: { error: { code: 'assertion_invalid', reason } },
    })
  const other = (await api.post('payments', { ...terms, amount_cents: 2501 })).body
  const ofOther = passkey.assert(await challengeOn(other.confirmation.url))
  t.match((await api.post(path, ofOther)).body.error, { reason: 'challenge' })
  t.same(await digestFor(payment, passkey, 2500), challenge)
  const changed = passkey.assert(await digestFor(payment, passkey, 2499))
  t.match((await api.post(path, changed)).body.error, { reason: 'challenge' }, 'another amount')
  const stranger = createPasskey(api.url).assert(challenge)
  const { credential_id } = passkey.assert(challenge)
  t.match((await api.post(path, { ...stranger, credential_id })).body.error, {
    reason: 'signature',
  })
  const right = passkey.assert(challenge)
  const malformed = { ...right, client_data_json: Buffer.from('{').toString('base64url') }
  t.match((await api.post(path, malformed)).body.error, { reason: 'malformed' })
  t.match(await api.post(path, { ...right, signature: 'x'.repeat(1024 * 1024) }), { status: 413 })
  const page = await submit(payment.confirmation.url, { ...ofOther, decision: 'approve' })
  t.match([page.status, page.text], [400, /Nothing was approved/])
  const large = { ...right, decision: 'approve', signature: 'x'.repeat(1024 * 1024) }
  t.equal((await submit(payment.confirmation.url, large)).status, 413)
  t.equal((await submit(payment.confirmation.url, right, 'cross-site')).status, 403)
  t.equal((await api.get('payments/' + payment.id)).status, 'needs_confirmation')
  t.match(await api.post(path, right), { status: 200, body: { status: 'confirmed' } })
  t.match(await api.post(path, right), {
    status: 409,
    body: { error: { code: 'invalid_state', allowed_from: ['needs_confirmation'] } },
  })
})

test('an enrolment that fails a check leaves the account pending', async (t) => {
  const api = shared
  const opened = await api.openAccount()
  const body = { cardholder_id: api.tenant.cardholderId }
  const made = (await api.post('payment_accounts', body)).body
  t.match(made, { status: 'pending', address: null, credential: null, chain_id: 31_337 })
  const url = made.enrolment_url
  const passkey = createPasskey(api.url)
  const refused = [
    { type: 'webauthn.get' },
    { origin: 'http://elsewhere.example' },
    { rpId: 'elsewhere.example' },
    { flags: 0x01 },
    { algorithm: -8 },
    { offCurve: true },
  ]
  for (const changes of refused)
    t.equal((await enrolOn(url, passkey, changes)).status, 400, JSON.stringify(changes))
  t.equal((await enrolOn(url, opened.passkey)).status, 409, 'passkey_in_use')
  t.equal((await api.get('payment_accounts/' + made.id)).status, 'pending')
  const fresh = (await api.post('payment_accounts/' + made.id + '/enrolment_links')).body
  t.equal((await fetch(url)).status, 404, 'an earlier link ends')
  t.equal((await enrolOn(fresh.enrolment_url, passkey)).status, 200)
  t.equal((await fetch(fresh.enrolment_url)).status, 404, 'a link is used once')
  t.match(await api.get('payment_accounts/' + made.id), {
    status: 'active',
    address: /^0x[0-9a-fA-F]{40}$/,
  })
  t.match((await api.post('payment_accounts', body)).body.error, {
    code: 'already_exists',
    resource_id: made.id,
  })
  const actors = await api.sql`
    select actor_type from audit_log where resource_id = ${made.id} and actor_type = 'holder'`
  t.equal(actors.length, 1)
})

test('bad input of payments is refused with its code', async (t) => {
  const api = shared
  const { terms } = await begin(api)
  const wrong: [object, string][] = [
    [{ currency: 'EUR' }, 'parameter_invalid'],
    [{ amount_cents: 0 }, 'parameter_invalid'],
    [{ amount_cents: -1 }, 'parameter_invalid'],
    [{ amount_cents: 1.5 }, 'parameter_invalid'],
    [{ amount_cents: 2 ** 53 }, 'parameter_invalid'],
    [{ expires_in: 3599 }, 'parameter_invalid'],
    [{ expires_in: 604_801 }, 'parameter_invalid'],
    [{ confirmation_expires_in: 59 }, 'parameter_invalid'],
  ]
  for (const [field, code] of wrong)
    t.match(await api.post('payments', { ...terms, ...field }), {
      status: 400,
      body: { error: { code, param: Object.keys(field)[0] } },
    })
  const foreign = await api.seedPayee(api.other)
  t.match(await api.post('payments', { ...terms, settlement_account_id: foreign }), {
    status: 404,
    body: { error: { code: 'resource_missing' } },
  })
  await api.sql`update settlement_accounts set status = 'disabled' where id = ${foreign}`
  const closed = await api.seedPayee()
  await api.sql`update settlement_accounts set status = 'disabled' where id = ${closed}`
  t.match(await api.post('payments', { ...terms, settlement_account_id: closed }), {
    status: 409,
    body: { error: { code: 'settlement_account_not_usable', current_status: 'disabled' } },
  })
  await api.post('payment_accounts/' + terms.payment_account_id + '/suspend')
  t.match(await api.post('payments', terms), {
    status: 409,
    body: { error: { code: 'payment_account_not_active', current_status: 'suspended' } },
  })
  t.match(await api.post('payment_accounts/' + terms.payment_account_id + '/resume'), {
    body: { status: 'active' },
  })
  t.equal((await api.post('payments', terms)).status, 201)
  const recovery = {
    checksum: '0x000000000000000000000000000000000001beef',
    zero: '0x' + '0'.repeat(40),
    precompile: '0x0000000000000000000000000000000000000100',
    token: PLACE.token,
    settlement: PLACE.settlement,
    holder: (await api.get('payment_accounts/' + terms.payment_account_id)).address,
  }
  for (const [reason, recovery_address] of Object.entries(recovery)) {
    const body = { cardholder_id: api.tenant.cardholderId, recovery_address }
    t.match((await api.post('payment_accounts', body)).body.error, {
      code: 'address_refused',
      reason,
    })
  }
  const old = await confirmed(api)
  await api.sql`update payments set approval_valid_until = 1 where id = ${old.payment.id}`
  t.match(await api.post('payments/' + old.payment.id + '/capture'), {
    status: 409,
    body: { error: { code: 'approval_expired' } },
  })
})

test('calls at once under one key begin one payment, and a day later another one', async (t) => {
  const api = shared
  const { terms } = await begin(api)
  const key = { 'idempotency-key': 'at once' }
  const call = () => api.post('payments', terms, key)
  const tries = await Promise.all([call(), call(), call(), call()])
  const [first] = tries
  for (const { status, text } of tries) t.same([status, text], [201, first?.text])
  const id = first?.body.id
  await api.sql`update idempotency_keys set created_at = 0 where key = 'at once'`
  await api.sql`update payments set created_at = 0 where id = ${id}`
  t.match(await call(), { status: 201, body: { status: 'needs_confirmation' } })
  const made = await api.sql<{ id: string; marked: boolean }[]>`
    select id, call_hash is not null as marked from payments
    where payment_account_id = ${terms.payment_account_id} order by id offset 1`
  t.match(made, [{ id, marked: false }, { marked: true }])
  t.equal(made.length, 2)
})

test('without a chain payments are closed, and everything else runs', async (t) => {
  const api = await openPayments(t, { chains: { sandbox: null, live: null } })
  const cardholder = { cardholder_id: api.tenant.cardholderId }
  const payment = {
    ...{ payment_account_id: 'pacc_1', settlement_account_id: 'sacc_1', amount_cents: 1 },
  }
  for (const [path, body] of Object.entries({ payment_accounts: cardholder, payments: payment }))
    t.match(await api.post(path, body), {
      status: 503,
      body: { error: { code: 'chain_not_configured' } },
    })
  t.match((await api.get('cards')).data.length, 1)
})

test('a call that was cut off is finished by its repeat, by the drain or by the job', async (t) => {
  let away = true
  let lost = false
  const client: { decide: PaymentsApi['client']['decidePayment'] | null } = { decide: null }
  const api = await openPayments(t, {
    async decidePayment(message) {
      if (away) return { state: 'away' }
      const answer = await (client.decide as PaymentsApi['client']['decidePayment'])(message)
      return lost ? { state: 'away' } : answer
    },
  })
  client.decide = (message) => api.client.decidePayment(message)
  const { id } = await api.openAccount()
  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id: id, settlement_account_id, amount_cents: 700 }
  const key = { 'idempotency-key': 'one' }
  const stored = async () => api.sql<{ id: string; status: string }[]>`
    select id, status from payments order by id`

  t.match(await api.post('payments', terms, key), {
    status: 503,
    body: { error: { code: 'dependency_unavailable', resource_id: /^pay_/ } },
  })
  t.match(await stored(), [{ status: 'deciding' }])
  t.equal((await api.get('payments')).data.length, 0, 'not shown before it is decided')
  t.match((await api.post('payments', { ...terms, amount_cents: 701 }, key)).body.error, {
    code: 'idempotency_key_reused',
  })
  away = false
  const repeat = await api.post('payments', terms, key)
  t.match(repeat, { status: 201, body: { status: 'needs_confirmation' } })
  t.same((await api.post('payments', terms, key)).body, repeat.body, 'the repeat reads the same')
  t.equal((await stored()).length, 1)

  lost = true
  const cut = await api.post('payments', terms)
  t.ok([201, 503].includes(cut.status), 'unknown, unless the drain was faster than the answer')
  lost = false
  await until(async () => (await stored()).every(({ status }) => status === 'needs_confirmation'))

  away = true
  t.equal((await api.post('payments', terms)).status, 503)
  away = false
  await api.runJob(11_000)
  await until(async () => (await stored()).every(({ status }) => status === 'needs_confirmation'))
  t.equal((await stored()).length, 3)
  for (const { id: paymentId } of await stored())
    t.same(await api.events(paymentId), ['payment.authorized', 'payment.needs_confirmation'])
})
