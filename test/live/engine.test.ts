import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'tap'
import { rejudge } from '../../engine/rules/order.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import {
  derivation,
  NETWORK_SECRET,
  newMessage,
  PAN,
  pushConfig,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { until } from '../harness/until.ts'

const KEYS = [
  'message_id',
  'transaction_id',
  'approved',
  'approved_amount_cents',
  'response_code',
  'authorization_code',
  'decline_reason',
  'decided_by',
  'stand_in',
]

test('an authorization is approved after its journal entry, and recalled byte for byte', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const message = newMessage()
  const first = await engine.send(message)
  const answer: NetworkAnswer = JSON.parse(first.text)
  t.same(Object.keys(answer), KEYS)
  t.match(answer, {
    message_id: message.id,
    approved: true,
    approved_amount_cents: 1000,
    response_code: '00',
    decline_reason: null,
    decided_by: 'static_controls',
    stand_in: false,
    transaction_id: /^txn_/,
    authorization_code: /^\d{6}$/,
  })
  t.equal((await engine.entries()).length, 1)
  t.equal((await engine.send(message)).text, first.text)
  const restarted = await engine.restart()
  t.equal((await restarted.send(message)).text, first.text, 'also after a restart')
  t.equal((await restarted.entries()).length, 1)
  const [entry] = await restarted.entries()
  t.ok(
    entry?.kind === 'decision' &&
      rejudge(entry.trace).reason === null &&
      rejudge(entry.trace).consistent,
  )
})

test('the same id with other content is 94, and leaves no trace', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const message = newMessage()
  const original = await engine.purchase(message)
  const changes: Partial<NetworkMessage>[] = [
    { amount_cents: 1001 },
    { currency: 'EUR' },
    { network_transaction_id: 'other' },
    { card: { token: 'ctok_1' } },
    { merchant: { ...message.merchant, id: 'm-2' } },
  ]
  for (const change of changes) {
    const answer = await engine.purchase({ ...message, ...change })
    t.match(answer, {
      approved: false,
      response_code: '94',
      decline_reason: 'duplicate_mismatch',
      decided_by: 'system',
      transaction_id: original.transaction_id,
    })
  }
  t.equal(
    (await engine.purchase({ ...message, entry_method: 'online' })).approved,
    true,
    'what is no content may differ',
  )
  t.equal((await engine.entries()).length, 1)
})

test('a decline carries its code, and hides confidential reasons', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const cvc = derivation.cvc(PAN, 12, 2034)
  const wrong = String((Number(cvc) + 1) % 1000).padStart(3, '0')
  const card = { pan: PAN, exp_month: 12, exp_year: 2034 }
  t.match(await engine.purchase({ card: { ...card, cvc: wrong } }), {
    response_code: 'N7',
    decline_reason: 'cvc_mismatch',
  })
  t.match(await engine.purchase({ card: { ...card, exp_year: 2033 } }), {
    response_code: '54',
    decline_reason: 'expiry_mismatch',
  })
  t.match(await engine.purchase({ card }), { approved: true }, 'a CVC that was not sent passes')
  t.match(await engine.purchase({ card: { token: 'nobody' } }), {
    response_code: '14',
    decline_reason: 'card_not_found',
    transaction_id: null,
  })
  const [program, frozen] = await Promise.all([
    engine.client.status(),
    pushConfig(engine, { cardholder: { frozen: true, version: 2 } }),
  ])
  t.ok(program.ready && frozen === undefined)
  t.match(await engine.purchase(), { response_code: '62', decline_reason: 'cardholder_inactive' })
  const last = (await engine.entries()).at(-1)
  t.match(last, { decision: { declineReason: 'cardholder_frozen' } })
})

test('exactly one of a hundred concurrent authorizations takes the last unit', async (t) => {
  const engine = await startEngine(t)
  const limits = [limitConfig({ amount_cents: 1 as MinorUnits })]
  await pushConfig(engine, { more: [controlsConfig({ limits })] })
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => engine.purchase({ amount_cents: 1 })),
  )
  t.equal(answers.filter((answer) => answer.approved).length, 1)
  t.equal(answers.filter((answer) => answer.decline_reason === 'limit_daily').length, 99)
  const restarted = await engine.restart()
  t.equal(
    (await restarted.purchase({ amount_cents: 1 })).decline_reason,
    'limit_daily',
    'the window is rebuilt',
  )
})

test('no message is decided before the config cache is complete', async (t) => {
  const engine = await startEngine(t)
  const refused = await engine.send(newMessage())
  t.match(refused, { status: 503, text: /not_ready/ })
  t.equal((await fetch(engine.url + '/health/ready')).status, 503)
  t.equal((await fetch(engine.url + '/health/live')).status, 200)
  await pushConfig(engine)
  t.equal((await fetch(engine.url + '/health/ready')).status, 200)
})

test('refused input names its fault, and stores nothing', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const message = newMessage()
  const cases: [what: string, body: unknown, status: number, code: string, param: string | null][] =
    [
      ['no object', '[]', 400, 'parameter_invalid', null],
      ['no JSON', '{"id":', 400, 'invalid_json', null],
      [
        'an amount with a fraction',
        { ...message, amount_cents: 1.5 },
        400,
        'parameter_invalid',
        'amount_cents',
      ],
      [
        'a negative amount',
        { ...message, amount_cents: -1 },
        400,
        'parameter_invalid',
        'amount_cents',
      ],
      [
        'an amount beyond exact integers',
        JSON.stringify(message).replace('1000', '9007199254740993'),
        400,
        'parameter_invalid',
        'amount_cents',
      ],
      [
        'an amount as text',
        { ...message, amount_cents: '1000' },
        400,
        'parameter_invalid',
        'amount_cents',
      ],
      ['another kind', { ...message, kind: 'transfer' }, 400, 'parameter_invalid', 'kind'],
      ['no merchant', { ...message, merchant: undefined }, 400, 'parameter_missing', 'merchant'],
      [
        'an mcc of five digits',
        { ...message, merchant: { ...message.merchant, mcc: '54111' } },
        400,
        'parameter_invalid',
        'merchant.mcc',
      ],
      [
        'a country of three letters',
        { ...message, merchant: { ...message.merchant, country: 'USA' } },
        400,
        'parameter_invalid',
        'merchant.country',
      ],
      ['no card', { ...message, card: {} }, 400, 'parameter_missing', 'card.token'],
      [
        'a card named twice',
        { ...message, card: { ...message.card, token: 't' } },
        400,
        'parameters_exclusive',
        'card',
      ],
      [
        'month 13',
        { ...message, card: { ...message.card, exp_month: 13 } },
        400,
        'parameter_invalid',
        'card.exp_month',
      ],
      [
        'a cvc that is a number',
        { ...message, card: { ...message.card, cvc: 123 } },
        400,
        'parameter_invalid',
        'card.cvc',
      ],
      [
        'no time',
        { ...message, transmitted_at: 'yesterday' },
        400,
        'parameter_invalid',
        'transmitted_at',
      ],
      [
        'a time without zone',
        { ...message, transmitted_at: '2026-11-20T10:00:00' },
        400,
        'parameter_invalid',
        'transmitted_at',
      ],
      [
        'a day too old',
        { ...message, transmitted_at: new Date(Date.now() - 86_401_000).toISOString() },
        400,
        'message_stale',
        'transmitted_at',
      ],
      [
        'eleven minutes ahead',
        { ...message, transmitted_at: new Date(Date.now() + 660_000).toISOString() },
        400,
        'message_stale',
        'transmitted_at',
      ],
    ]
  for (const [what, body, status, code, param] of cases) {
    const answer = await engine.send(body)
    t.match(
      { status: answer.status, ...JSON.parse(answer.text).error },
      { status, code, param },
      what,
    )
    t.notMatch(answer.text, new RegExp(PAN), what)
  }
  const twice = await engine.send({ ...message, kind: 'transfer', amount_cents: 1.5 })
  t.match(JSON.parse(twice.text).error.errors, [{ param: 'kind' }, { param: 'amount_cents' }])
  t.equal((await engine.send(message, { secret: 'nsec_wrong' })).status, 401)
  t.equal((await engine.send(message, { headers: { 'svc-key-id': 'nk_2' } })).status, 401)
  t.equal((await engine.send(message, { headers: { 'svc-key-id': 'nk_1' } })).status, 200)
  const nowS = Math.floor(Date.now() / 1000)
  t.match(await engine.send(newMessage(), { nowS: nowS - 302 }), {
    status: 401,
    text: /timestamp_out_of_tolerance/,
  })
  t.equal((await engine.send(newMessage(), { nowS: nowS - 290 })).status, 200)
  t.match(await engine.send(JSON.stringify(newMessage()) + ' '.repeat(17_000)), { status: 413 })
  t.equal((await engine.entries()).length, 2)
})

test('ambiguous input is refused', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const body = JSON.stringify(newMessage())
  const signed = signatureHeader([NETWORK_SECRET], Math.floor(Date.now() / 1000), body)
  const head = 'POST /v1/network/messages HTTP/1.1\r\nHost: x\r\nSvc-Signature: ' + signed + '\r\n'
  const length = 'Content-Length: ' + Buffer.byteLength(body) + '\r\n'
  const get = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'
  const raw = (text: string): Promise<string> => rawExchange(engine, text)
  const sentAtMs = Date.now()
  const smuggled = await rawExchange(
    engine,
    head + length + 'Content-Length: 3\r\n\r\n' + body + '\r\n' + get,
    'until it is closed',
  )
  t.match(smuggled, / 400 .*header_duplicated/s)
  t.equal(smuggled.match(/HTTP\/1\.1 /g)?.length, 1, 'nothing behind it is read as a request')
  t.ok(Date.now() - sentAtMs < 8000, 'closed at once, not when it was idle long enough')
  t.match(
    await raw(head + length + 'Svc-Signature: ' + signed + '\r\n\r\n' + body),
    / 400 .*header_duplicated/s,
  )
  t.match(await raw(head + 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'), / 411 /)
  t.match(await raw(head.replace('POST', 'PUT') + length + '\r\n' + body), / 405 /)
  t.match(await raw('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'), / 404 /)
  t.match(await raw(head + length + '\r\n' + body), / 200 /)
  t.equal((await engine.entries()).length, 1)
})

function rawExchange(
  engine: TestEngine,
  text: string,
  listen: 'for one answer' | 'until it is closed' = 'for one answer',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(engine.url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
      if (listen === 'for one answer' && answer.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

test('a second engine on the directory, and a port in use, are refused with a sentence', async (t) => {
  const engine = await startEngine(t)
  await t.rejects(startEngine(t, { directory: engine.directory }), /held by another engine/)
})

test('a snapshot with the entries behind it gives the same state', async (t) => {
  const engine = await startEngine(t, { snapshotEntries: 100 })
  await pushConfig(engine)
  const messages = Array.from({ length: 250 }, () => newMessage({ amount_cents: 7 }))
  const before: string[] = []
  for (const message of messages) before.push((await engine.send(message)).text)
  const { readdirSync } = await import('node:fs')
  await until(() =>
    readdirSync(engine.directory + '/journal').some(
      (name) => /^snapshot-\d+/.test(name) && !name.endsWith('.tmp'),
    ),
  )
  const restarted = await engine.restart()
  const after = await Promise.all(messages.map((message) => restarted.send(message)))
  t.same(
    after.map((answer) => answer.text),
    before,
  )
  t.match(await (await fetch(restarted.url + '/metrics')).text(), /svc_open_holds 250\n/)
})

test('metrics count the decisions and refusals', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  await engine.purchase()
  await engine.purchase({ currency: 'EUR' })
  const text = await (await fetch(engine.url + '/metrics')).text()
  for (const line of [
    'svc_decisions_total{outcome="approved",reason="approved"} 1',
    'svc_decisions_total{outcome="declined",reason="fx_rate_unavailable"} 1',
    'svc_journal_entries 2',
    'svc_journal_undrained_entries 2',
    'svc_ready 1',
  ])
    t.ok(text.includes(line), line)
  t.match(text, /svc_step_seconds_bucket\{step="answer",le="\+Inf"\} 2/)
  t.match(text, /svc_journal_sync_seconds_count [1-9]/)
  t.match(text, /svc_config_lag_seconds /)
})

test('a sender that hangs up disturbs nothing', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const body = JSON.stringify(newMessage())
  await new Promise<void>((resolve) => {
    const sent = request(engine.url + '/v1/network/messages', {
      method: 'POST',
      headers: { 'content-length': body.length + 10 },
    })
    sent.on('error', () => resolve())
    sent.write(body)
    sent.on('socket', (socket) => socket.once('connect', () => socket.destroy()))
  })
  t.equal((await engine.purchase()).approved, true)
})
