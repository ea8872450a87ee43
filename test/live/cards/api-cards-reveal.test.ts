// A number that is shown once, and tokens that replace one: callers see no more than they may, and
// nothing is stored in clear.

import { test } from 'tap'
import { purgeCardTokens, purgeReveals } from '../../../api/issuing/jobs.ts'
import { luhnDigit } from '../../../shared/pan.ts'
import { type Answer, type Call, type TestApi, withoutRequestId } from '../../harness/api.ts'
import { issue, printedOn, startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'

function allow(api: TestApi, cardId: string, body: object = {}): Promise<Answer> {
  const path = '/v1/cards/' + cardId + '/reveal_tokens'
  return api.call('POST', path, { key: api.tenant.keys.write, body })
}

function show(api: TestApi, token: string, call: Call = {}): Promise<Answer> {
  return api.call('POST', '/v1/card_reveals', { body: { token }, ...call })
}

/** True if any row of any table contains the text, as text or as bytes. PostgreSQL searches. */
async function isKept(api: TestApi, text: string): Promise<boolean> {
  const tables = await api.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  const bytes = Buffer.from(text).toString('hex')
  const found = await Promise.all(
    tables.map(
      ({ name }) => api.sql`
        select from ${api.sql(name)} t
        where strpos(t::text, ${text}) > 0 or strpos(t::text, ${bytes}) > 0
        limit 1`,
    ),
  )
  return found.some((rows) => rows.length > 0)
}

test('a reveal token shows the card’s number, expiry and CVC once, to its bearer', async (t) => {
  const api = await startIssuingApi()
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  const allowed = await allow(api, id)
  t.match(allowed, { status: 201, body: { id, fields: ['pan', 'cvc', 'expiry'] } })
  const { token, expires_at, url } = allowed.body
  t.same([url, expires_at], ['/v1/card_reveals', api.clock.nowMs / 1000 + 60])
  t.match(token, /^rvl_[0-9A-Za-z_-]{43}$/)

  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      show(api, token, { headers: { origin: 'https://shop.example' } }),
    ),
  )
  const shown = answers.filter(({ status }) => status === 200)
  t.equal(shown.length, 1)
  t.same(shown[0]?.body, { object: 'card_reveal', ...printed })
  t.equal(answers.filter(({ status }) => status === 404).length, 49)
  t.ok(answers.every(({ headers }) => headers.get('cache-control') === 'no-store'))
  t.ok(answers.every(({ headers }) => headers.get('access-control-allow-origin') === '*'))

  t.ok(await isKept(api, '"last4":"' + printed.pan.slice(-4)), 'events are looked into')
  t.notOk(await isKept(api, printed.pan), 'the number is nowhere')
  t.notOk(await isKept(api, token), 'nor the token')
  const log = await api.call('GET', '/v1/audit_log?limit=100', { key: api.tenant.keys.admin })
  const rows = log.body.data.filter((row: Answer['body']) => row.resource_id === id)
  t.same(
    rows.map(({ action }: Answer['body']) => action),
    ['POST /v1/card_reveals', 'POST /v1/cards/:id/reveal_tokens', 'POST /v1/cards'],
  )
})

test('a reveal token shows the selected fields until it expires or the card ends', async (t) => {
  const api = await startIssuingApi()
  const { keys } = api.tenant
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  const nothing = { object: 'card_reveal', pan: null, cvc: null, exp_month: null, exp_year: null }
  for (const [fields, shows] of [
    [['pan'], { pan: printed.pan }],
    [
      ['cvc', 'expiry'],
      { cvc: printed.cvc, exp_month: printed.exp_month, exp_year: printed.exp_year },
    ],
  ] as const) {
    const { token } = (await allow(api, id, { fields })).body
    t.same((await show(api, token)).body, { ...nothing, ...shows })
  }
  const [soon, later] = [await allow(api, id, { expires_in_s: 1 }), await allow(api, id)]
  const last = await allow(api, id, { expires_in_s: 300 })
  api.clock.nowMs += 1000
  const late = await show(api, soon.body.token)
  t.equal(late.status, 404)
  t.equal((await show(api, later.body.token)).status, 200)
  await api.call('POST', '/v1/cards/' + id + '/terminate', { key: keys.write })
  const ended = await show(api, last.body.token)
  const unknown = await show(api, 'rvl_nobody')
  t.same([ended, unknown].map(withoutRequestId), [late, late].map(withoutRequestId))
  t.equal((await allow(api, id)).status, 409)

  const table: [object, string][] = [
    [{ fields: [] }, 'fields'],
    [{ fields: ['pin'] }, '/fields/0'],
    [{ fields: ['pan', 'pan'] }, 'fields'],
    [{ expires_in_s: 301 }, 'expires_in_s'],
    [{ expires_in_s: 0 }, 'expires_in_s'],
  ]
  for (const [body, param] of table) {
    const answer = await allow(api, id, body)
    t.same([answer.status, answer.body.error.param], [400, param], JSON.stringify(body))
  }
  const foreign = await api.call('POST', '/v1/cards/' + api.other.cardId + '/reveal_tokens', {
    key: keys.admin,
  })
  t.equal(foreign.status, 404)
  const reader = await api.call('POST', '/v1/cards/' + id + '/reveal_tokens', { key: keys.read })
  t.equal(reader.status, 403)
})

test('a number that cannot be decrypted is a server error, and its token works later', async (t) => {
  const api = await startIssuingApi()
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  const { token } = (await allow(api, id)).body
  const [{ sealed }] = await api.sql<[{ sealed: string }]>`
    select sealed_pan as sealed from cards where id = ${id}`
  await api.sql`update cards set sealed_pan = 'broken' where id = ${id}`
  const failed = await show(api, token)
  t.same([failed.status, failed.body.error.code], [500, 'internal_error'])
  await api.sql`update cards set sealed_pan = ${sealed} where id = ${id}`
  t.match((await show(api, token)).body, { pan: printed.pan, cvc: printed.cvc })
})

test('a web page may reveal, and its request is validated', async (t) => {
  const api = await startIssuingApi()
  const preflight = await api.call('OPTIONS', '/v1/card_reveals', {
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-methods'), 'POST')
  t.equal(preflight.headers.get('access-control-allow-headers'), 'Content-Type')
  t.equal(preflight.headers.get('access-control-allow-origin'), '*')
  t.equal((await api.call('GET', '/v1/card_reveals')).status, 405)
  for (const body of [{}, { token: 1 }, { token: 'x' }, { token: 'rvl_1', pan: true }]) {
    const answer = await api.call('POST', '/v1/card_reveals', { body })
    t.equal(answer.status, 400, JSON.stringify(body))
    t.equal(answer.headers.get('access-control-allow-origin'), '*', 'a page may read why')
  }
})

test('a publishable key tokenizes, and does not learn the cardholder', async (t) => {
  const api = await startIssuingApi()
  const { keys } = api.tenant
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  const tokenize = (card: object, key = keys.publishable) =>
    api.call('POST', '/v1/tokens', { key, body: { card } })
  const other = '411111111111111'
  const stranger = { ...printed, pan: other + luhnDigit(other) }
  const [ours, theirs] = [await tokenize(printed), await tokenize(stranger)]
  t.match([ours.status, theirs.status], [201, 201])
  const shape = ({ body }: Answer) => ({
    ...body,
    id: '',
    card: { ...body.card, last4: '', brand: '' },
  })
  t.same(shape(ours), shape(theirs), 'one of ours reads like any other')
  t.match(ours.body, {
    ...{ object: 'token', used_at: null, expires_at: api.clock.nowMs / 1000 + 600 },
    card: { brand: 'unknown', last4: printed.pan.slice(-4), exp_month: 11, exp_year: 2030 },
  })
  t.equal(theirs.body.card.brand, 'visa')
  const find = (token: string, key = keys.read) => api.call('GET', '/v1/tokens/' + token, { key })
  t.same((await find(ours.body.id)).body, { ...ours.body, card_id: id })
  t.same((await find(theirs.body.id)).body, { ...theirs.body, card_id: null })
  t.equal((await find(ours.body.id, keys.publishable)).status, 403)
  t.equal((await find(ours.body.id, api.other.keys.read)).status, 404)
  const elsewhere = await tokenize(printed, api.other.keys.publishable)
  t.equal((await find(elsewhere.body.id, api.other.keys.read)).body.card_id, null, 'not theirs')
  const wrong = await tokenize({ ...printed, cvc: printed.cvc === '123' ? '124' : '123' })
  t.equal((await find(wrong.body.id)).body.card_id, null, 'not these details')
  const { cvc: _none, ...without } = printed
  t.equal((await find((await tokenize(without)).body.id)).body.card_id, id)

  const table: [object, string][] = [
    [
      { ...printed, pan: printed.pan.slice(0, -1) + ((Number(printed.pan.at(-1)) + 1) % 10) },
      '/card/pan',
    ],
    [{ ...printed, pan: '12' }, '/card/pan'],
    [{ ...printed, pan: 4 }, '/card/pan'],
    [{ ...printed, exp_year: 2020 }, '/card/exp_year'],
    [{ ...printed, exp_month: 10, exp_year: 2026 }, '/card/exp_year'],
    [{ ...printed, exp_month: 13 }, '/card/exp_month'],
    [{ ...printed, cvc: '12' }, '/card/cvc'],
    [{ ...printed, name: 'Ada' }, '/card/name'],
  ]
  for (const [card, param] of table) {
    const answer = await tokenize(card)
    t.same([answer.status, answer.body.error.param], [400, param], param)
    t.notOk(answer.text.includes(printed.pan.slice(0, 12)), 'a refusal quotes nothing')
  }
  t.notOk(await isKept(api, printed.pan), 'no number is kept')
  t.notOk(await isKept(api, stranger.pan), 'of nobody')
})

test('expired tokens are deleted after a day, by their tenant’s clock', async (t) => {
  const api = await startIssuingApi()
  const { keys, tenantId } = api.tenant
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  await allow(api, id)
  const body = { card: printed }
  const token = (await api.call('POST', '/v1/tokens', { key: keys.publishable, body })).body.id
  const run = async (now: number) => [
    await runJob(purgeReveals, { sql: api.sql, now }),
    await runJob(purgeCardTokens, { sql: api.sql, now }),
  ]
  const dayLater = api.clock.nowMs + 86_400_000
  await run(dayLater)
  const found = () => api.call('GET', '/v1/tokens/' + token, { key: keys.read })
  t.equal((await found()).status, 200, 'a day from its end')
  await api.sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, ${1_200_000})`
  t.same(await run(dayLater), [1, 1])
  t.equal((await found()).status, 404)
  t.same(await run(dayLater), [0, 0])
})
