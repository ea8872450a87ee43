import { test } from 'tap'
import { encodeCursor } from '../../../api/database/cursor.ts'
import { tx } from '../../../api/database/transaction.ts'
import { recordShadowVerdicts } from '../../../api/issuing/controls/index.ts'
import { newId } from '../../../shared/id.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'

const PATH = '/v1/spending_controls'

function post(api: TestApi, body: unknown, path = PATH): Promise<Answer> {
  return api.call('POST', path, { key: api.tenant.keys.write, body })
}

function get(api: TestApi, path: string): Promise<Answer> {
  return api.call('GET', path, { key: api.tenant.keys.read })
}

/** A control on the tenant's card. */
async function made(api: TestApi, fields: object): Promise<Answer['body']> {
  const answer = await post(api, { scope: 'card', subject_id: api.tenant.cardId, ...fields })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

function patch(api: TestApi, id: string, body: unknown): Promise<Answer> {
  return api.call('PATCH', PATH + '/' + id, { key: api.tenant.keys.write, body })
}

/** The last of the subject's controls, as compiled for the engine. */
async function compiled(api: TestApi, subjectId: string): Promise<Answer['body'][]> {
  const [row] = await api.sql`select controls from controls where subject_id = ${subjectId}`
  return row?.['controls'] ?? []
}

const EVERYTHING = {
  allowed_mccs: ['5411', '3000-3299'],
  allowed_categories: ['car_rental_agencies', 'grocery_stores_supermarkets'],
  blocked_merchant_ids: ['m 1'],
  allowed_countries: ['US', 'XK'],
  blocked_currencies: ['KWD'],
  allowed_entry_methods: ['chip'],
  blocked_card_presence: ['not_present'],
  blocked_kinds: ['cash_withdrawal'],
  allowed_wallets: ['apple_pay'],
  authentication: 'required',
  fallback: 'blocked',
  single_use: { mode: 'exact', amount_cents: 500 },
  merchant_lock: true,
  cancel_after: 2,
  schedule: [{ days: ['sunday', 'monday'], from: '08:30', time_zone: 'europe/berlin' }],
  limits: [
    { interval: 'daily', amount_cents: 0, count: 3 },
    { interval: 'rolling', rolling_seconds: 10, amount_cents: 700 },
    {
      interval: 'daily',
      amount_cents: 900,
      filters: { categories: ['bakeries'], countries: ['US'], card_presence: 'present' },
    },
  ],
}

test('a control is created, shown as written, and compiled for the engine', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const answer = await post(api, { scope: 'card', subject_id: cardId, ...EVERYTHING })
  t.equal(answer.status, 201, answer.text)
  t.match(answer.body, {
    object: 'spending_control',
    scope: 'card',
    subject_id: cardId,
    state: 'active',
    version: 1,
    created: api.clock.nowMs / 1000,
    livemode: false,
    ...EVERYTHING,
    blocked_mccs: null,
    schedule: [
      { days: ['monday', 'sunday'], from: '08:30', until: '24:00', time_zone: 'Europe/Berlin' },
    ],
    limits: [
      { interval: 'daily', amount_cents: 0, count: 3, currency: 'USD', time_zone: 'UTC' },
      { rolling_seconds: 10, count: null, filters: null },
      {
        filters: {
          mccs: null,
          categories: ['bakeries'],
          countries: ['US'],
          kinds: null,
          card_presence: 'present',
        },
      },
    ],
  })
  t.match(answer.body.updated_by, /^key_/)
  t.same((await get(api, PATH + '/' + answer.body.id)).body, answer.body)
  t.equal(api.engine.asked.length, 1, 'the call waited for the engine')

  const bound = await compiled(api, cardId)
  t.equal(bound.length, 2, 'the card’s own limits are still there')
  t.match(bound[1], {
    id: answer.body.id,
    version: 1,
    state: 'active',
    mccs: { mode: 'allow', values: ['5411', '3000-3299', '3351-3441', '7512'] },
    merchants: { mode: 'block', values: ['m 1'] },
    countries: { mode: 'allow', values: ['US', 'XK'] },
    currencies: { mode: 'block', values: ['KWD'] },
    entry_methods: { mode: 'allow', values: ['chip'] },
    card_presence: { mode: 'block', values: ['not_present'] },
    kinds: { mode: 'block', values: ['cash_withdrawal'] },
    wallets: { mode: 'allow', values: ['apple_pay'] },
    schedule: [{ days: [1, 7], from_minute: 510, until_minute: 1440, time_zone: 'Europe/Berlin' }],
    single_use: { mode: 'exact', amount_cents: 500 },
    limits: [
      { amount_cents: 0, count: 3, filter: null },
      { interval: 'rolling', rolling_seconds: 10 },
      { filter: { mccs: ['5462'], countries: ['US'], kinds: null, card_present: true } },
    ],
  })
  const card = await api.call('GET', '/v1/cards/' + cardId, { key: keys.read })
  t.same(
    card.body.spending_control_ids,
    bound.map(({ id }) => id),
  )
  t.equal(card.body.limits.length, 4)
})

test('a change makes a new version, and versions never change', async (t) => {
  const api = await startTestApi()
  const first = await made(api, { limits: [{ interval: 'daily', amount_cents: 5 }] })
  api.clock.nowMs += 1000
  const changed = await patch(api, first.id, {
    if_version: 1,
    blocked_countries: ['RU'],
    limits: [{ interval: 'daily', amount_cents: 6 }],
  })
  t.equal(changed.status, 200, changed.text)
  t.match(changed.body, { version: 2, blocked_countries: ['RU'], limits: [{ amount_cents: 6 }] })
  t.equal(changed.body.limits[0].id, first.limits[0].id, 'the same limit keeps its id')
  t.equal(changed.body.updated, first.updated + 1)

  t.same((await patch(api, first.id, { blocked_countries: ['RU'] })).body, changed.body)
  const conflict = await patch(api, first.id, { if_version: 1, merchant_lock: true })
  t.equal(conflict.status, 409)
  t.match(conflict.body.error, { code: 'version_conflict', current_version: 2 })
  const opened = await patch(api, first.id, { blocked_countries: null, allowed_countries: [] })
  t.match(opened.body, { version: 3, blocked_countries: null, allowed_countries: [] })

  const versions = await get(api, PATH + '/' + first.id + '/versions')
  t.same(
    versions.body.data.map(({ version }: Answer['body']) => version),
    [3, 2, 1],
  )
  const { id: _id, updated, updated_by: by, ...terms } = first
  t.match(versions.body.data[2], {
    object: 'spending_control_version',
    spending_control_id: first.id,
    created: updated,
    created_by: by,
    limits: terms.limits,
    blocked_countries: null,
  })
  const page = await get(api, PATH + '/' + first.id + '/versions?order=asc&limit=2')
  const rest = await get(
    api,
    PATH + '/' + first.id + '/versions?order=asc&starting_after=' + page.body.next_cursor,
  )
  t.same(
    rest.body.data.map(({ version }: Answer['body']) => version),
    [3],
  )
  await t.rejects(
    api.sql`update spending_control_versions set terms = '{}' where control_id = ${first.id}`,
    /never changes/,
  )
  await t.rejects(
    api.sql`delete from spending_control_versions where control_id = ${first.id}`,
    /never changes/,
  )
})

test('a draft is activated, a control is retired, and no control returns', async (t) => {
  const api = await startTestApi()
  const { cardId } = api.tenant
  const draft = await made(api, { state: 'draft', merchant_lock: true })
  const states = async () => (await compiled(api, cardId)).map(({ state }) => state)
  t.same(await states(), ['active', 'draft'])
  const card = await get(api, '/v1/cards/' + cardId)
  t.equal(card.body.spending_control_ids.length, 1, 'a draft does not bind')

  const move = (verb: string) => post(api, undefined, PATH + '/' + draft.id + '/' + verb)
  const active = await move('activate')
  t.match(active, { status: 200, body: { state: 'active', version: 2 } })
  t.same((await move('activate')).body, active.body, 'activating again changes nothing')
  t.same(await states(), ['active', 'active'])
  const retired = await move('retire')
  t.match(retired, { status: 200, body: { state: 'retired', version: 3 } })
  t.same((await move('retire')).body, retired.body)
  t.same(await states(), ['active'])

  for (const again of [await move('activate'), await patch(api, draft.id, { cancel_after: 1 })]) {
    t.equal(again.status, 409)
    t.match(again.body.error, { code: 'invalid_state', current_status: 'retired' })
  }
  const history = await get(api, PATH + '/' + draft.id + '/versions?order=asc')
  t.same(
    history.body.data.map(({ state }: Answer['body']) => state),
    ['draft', 'active', 'retired'],
  )
})

test('contradictory controls are refused by field', async (t) => {
  const api = await startTestApi()
  const limit = (fields: object) => ({
    limits: [{ interval: 'daily', amount_cents: 1, ...fields }],
  })
  const table: [object, string, string?][] = [
    [{ allowed_mccs: ['5411'], blocked_mccs: ['5412'] }, 'blocked_mccs', 'parameters_exclusive'],
    [
      { allowed_mccs: ['5411'], blocked_categories: ['bakeries'] },
      'blocked_categories',
      'parameters_exclusive',
    ],
    [{ allowed_wallets: ['a'], blocked_wallets: ['b'] }, 'blocked_wallets', 'parameters_exclusive'],
    [{ allowed_mccs: ['541'] }, '/allowed_mccs/0'],
    [{ allowed_mccs: ['5411', '3299-3000'] }, '/allowed_mccs/1'],
    [{ allowed_mccs: ['5411', '5411'] }, 'allowed_mccs'],
    [{ allowed_mccs: Array.from({ length: 251 }, (_, i) => String(1000 + i)) }, 'allowed_mccs'],
    [{ blocked_categories: ['bakeries', 'bakerys'] }, '/blocked_categories/1'],
    [{ blocked_countries: ['ZZ'] }, '/blocked_countries/0'],
    [{ blocked_currencies: ['XYZ'] }, '/blocked_currencies/0'],
    [{ allowed_entry_methods: ['magic'] }, '/allowed_entry_methods/0'],
    [{ allowed_kinds: ['capture'] }, '/allowed_kinds/0'],
    [
      { single_use: { mode: 'exact', amount_cents: null } },
      '/single_use/amount_cents',
      'parameter_missing',
    ],
    [
      { single_use: { mode: 'max', amount_cents: 1, more: 1 } },
      '/single_use/more',
      'parameter_unknown',
    ],
    [{ cancel_after: 0 }, 'cancel_after'],
    [{ schedule: [{ from: '10:00', until: '09:00' }] }, '/schedule/0/until'],
    [{ schedule: [{ from: '24:00' }] }, '/schedule/0/from'],
    [{ schedule: [{ time_zone: '+02:00' }] }, '/schedule/0/time_zone'],
    [{ schedule: [{ days: [] }] }, '/schedule/0/days'],
    [{ schedule: Array.from({ length: 15 }, () => ({})) }, 'schedule'],
    [{ limits: [{ interval: 'daily' }] }, '/limits/0/amount_cents', 'parameter_missing'],
    [limit({ currency: 'EUR' }), '/limits/0/currency'],
    [limit({ interval: 'rolling' }), '/limits/0/rolling_seconds', 'parameter_missing'],
    [limit({ rolling_seconds: 10 }), '/limits/0/rolling_seconds'],
    [limit({ interval: 'rolling', rolling_seconds: 9 }), '/limits/0/rolling_seconds'],
    [limit({ interval: 'rolling', rolling_seconds: 7_776_001 }), '/limits/0/rolling_seconds'],
    [limit({ interval: 'per_authorization', count: 1 }), '/limits/0/count'],
    [limit({ filters: { categories: ['x'] } }), '/limits/0/filters/categories/0'],
    [limit({ filters: { mcc: ['5411'] } }), '/limits/0/filters/mcc', 'parameter_unknown'],
    [
      {
        limits: [
          { interval: 'daily', count: 1 },
          { interval: 'daily', count: 2 },
        ],
      },
      '/limits/1',
    ],
    [{ scope: 'planet' }, 'scope'],
    [{ state: 'retired' }, 'state'],
    [{ colour: 'red' }, 'colour', 'parameter_unknown'],
  ]
  const before = await compiled(api, api.tenant.cardId)
  for (const [body, param, code = 'parameter_invalid'] of table) {
    const answer = await post(api, { scope: 'card', subject_id: api.tenant.cardId, ...body })
    const { error } = answer.body
    t.same([answer.status, error?.code, error?.param], [400, code, param], JSON.stringify(body))
  }
  t.match(
    (
      await post(api, {
        scope: 'card',
        subject_id: api.tenant.cardId,
        blocked_categories: ['kiosks'],
      })
    ).body.error.message,
    /kiosks/,
  )
  t.same(await compiled(api, api.tenant.cardId), before)
})

test('an unknown or foreign subject is refused', async (t) => {
  const api = await startTestApi()
  const { cardId, programId } = api.tenant
  for (const [scope, subject_id] of [
    ['card', 'card_none'],
    ['card', api.other.cardId],
    ['card', api.live.cardId],
    ['card', programId],
    ['program', cardId],
    ['cardholder', api.other.cardholderId],
  ]) {
    const answer = await post(api, { scope, subject_id })
    const { error } = answer.body
    t.same([answer.status, error.code, error.param], [404, 'resource_missing', 'subject_id'])
  }
})

test('an allow list refuses the block list that a later version adds', async (t) => {
  const api = await startTestApi()
  const { id } = await made(api, { allowed_countries: ['US'] })
  const both = await patch(api, id, { blocked_countries: ['RU'] })
  t.match(both, { status: 400, body: { error: { code: 'parameters_exclusive' } } })
  const other = await patch(api, id, { blocked_countries: ['RU'], allowed_countries: null })
  t.match(other, { status: 200, body: { version: 2, blocked_countries: ['RU'] } })
})

test('limits of a program or a cardholder name their currency', async (t) => {
  const api = await startTestApi()
  for (const [scope, subject_id] of [
    ['program', api.tenant.programId],
    ['cardholder', api.tenant.cardholderId],
  ] as const) {
    const limits = [{ interval: 'daily', count: 5 }]
    const unsaid = await post(api, { scope, subject_id, limits })
    t.match(unsaid.body.error, { code: 'parameter_missing', param: '/limits/0/currency' })
    const said = await post(api, { scope, subject_id, limits: [{ ...limits[0], currency: 'JPY' }] })
    t.match(said, { status: 201, body: { scope, subject_id, limits: [{ currency: 'JPY' }] } })
    t.equal((await compiled(api, subject_id)).length, 1)
  }
})

test('a subject has a bounded number of controls', async (t) => {
  const api = await startTestApi()
  const body = { scope: 'program', subject_id: api.tenant.programId, merchant_lock: true }
  const ids: string[] = []
  for (let count = 0; count < 16; count++) ids.push((await post(api, body)).body.id)
  const beyond = await post(api, body)
  t.equal(beyond.status, 409)
  t.match(beyond.body.error, { code: 'too_many_controls', controls_max: 16 })
  t.equal((await compiled(api, api.tenant.programId)).length, 16)
  t.equal((await post(api, undefined, PATH + '/' + ids[0] + '/retire')).status, 200)
  t.equal((await post(api, body)).status, 201)
})

test('controls of a terminated card can be retired and not changed', async (t) => {
  const api = await startTestApi()
  const control = await made(api, { merchant_lock: true })
  await api.sql`update cards set status = 'terminated' where id = ${api.tenant.cardId}`
  t.equal((await patch(api, control.id, { merchant_lock: false })).status, 409)
  const another = await post(api, { scope: 'card', subject_id: api.tenant.cardId })
  t.match(another, { status: 409, body: { error: { current_status: 'terminated' } } })
  t.equal((await post(api, undefined, PATH + '/' + control.id + '/retire')).status, 200)
})

test('the list is filtered and paged, in the order of creation', async (t) => {
  const api = await startTestApi()
  const { cardId, programId } = api.tenant
  const own = await get(api, PATH + '?subject_id=' + cardId)
  t.match(own.body.data, [{ id: 'ctl_' + cardId.slice(5), state: 'active', updated_by: null }])
  const made1 = await made(api, { state: 'draft' })
  const made2 = (await post(api, { scope: 'program', subject_id: programId })).body
  const ids = async (query: string) =>
    (await get(api, PATH + '?' + query)).body.data.map(({ id }: Answer['body']) => id)
  const all = [made2.id, made1.id, own.body.data[0].id]
  t.same(await ids(''), all)
  t.same(await ids('order=asc'), [...all].reverse())
  t.same(await ids('starting_after=' + made2.id + '&limit=1'), [made1.id])
  t.same(await ids('state=draft'), [made1.id])
  t.same(await ids('scope=program'), [made2.id])
  t.same(await ids('created_after=2026-11-20T12:00:30Z'), [made2.id, made1.id])
  const bad = await get(api, PATH + '?state=gone')
  t.match(bad, { status: 400, body: { error: { param: 'state' } } })
})

test('PUT limits creates versions of the card’s own control', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const id = 'ctl_' + cardId.slice(5)
  const put = (limits: unknown[]) =>
    api.call('PUT', '/v1/cards/' + cardId + '/limits', { key: keys.write, body: { limits } })
  await put([{ interval: 'weekly', amount_cents: 9 }])
  await put([{ interval: 'weekly', amount_cents: 9 }])
  const own = (await get(api, PATH + '/' + id)).body
  t.match(own, { version: 2, limits: [{ interval: 'weekly', amount_cents: 9, filters: null }] })
  t.match(own.updated_by, /^key_/)

  await patch(api, id, { blocked_mccs: ['7995'] })
  await put([{ interval: 'daily', amount_cents: 1 }])
  t.match((await get(api, PATH + '/' + id)).body, { version: 4, blocked_mccs: ['7995'] })
  await post(api, undefined, PATH + '/' + id + '/retire')
  t.same((await put([])).body.limits, [])
  t.match((await get(api, PATH + '/' + id)).body, { state: 'retired', version: 5 })
  t.equal((await put([{ interval: 'daily', amount_cents: 2 }])).body.limits.length, 1)
  t.match((await get(api, PATH + '/' + id)).body, { state: 'active', blocked_mccs: null })
})

test('two concurrent controls of one subject both stay', async (t) => {
  const api = await startTestApi()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(api, { scope: 'card', subject_id: api.tenant.cardId })),
  )
  t.ok(answers.every(({ status }) => status === 201))
  t.equal((await compiled(api, api.tenant.cardId)).length, 9)
  const patched = await Promise.all(
    answers.map(({ body }, index) => patch(api, body.id, { cancel_after: index + 1 })),
  )
  t.ok(patched.every(({ body }) => body.version === 2))
  t.same(
    (await compiled(api, api.tenant.cardId)).slice(1).map((control) => control.version),
    answers.map(() => 2),
  )
})

test('a cursor beyond every version is the end of the list', async (t) => {
  const api = await startTestApi()
  const { id } = await made(api, {})
  const beyond = encodeCursor('spending_control_versions', Number.MAX_SAFE_INTEGER)
  const after = await get(api, PATH + '/' + id + '/versions?order=asc&starting_after=' + beyond)
  t.same(after.body.data, [], after.text)
  const before = await get(api, PATH + '/' + id + '/versions?starting_after=' + beyond)
  t.equal(before.body.data.length, 1)
})

test('a foreign control, its versions and its shadow report are not found', async (t) => {
  const api = await startTestApi()
  const { id } = await made(api, {})
  const key = api.other.keys.write
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/versions'],
    ['GET', '/shadow'],
    ['PATCH', ''],
    ['POST', '/activate'],
    ['POST', '/retire'],
  ] as const) {
    const body = method === 'PATCH' ? { body: { merchant_lock: true } } : {}
    const answer = await api.call(method, PATH + '/' + id + path, { key, ...body })
    t.equal(answer.status, 404, method + ' ' + path)
  }
  const readOnly = await api.call('POST', PATH, {
    key: api.tenant.keys.read,
    body: { scope: 'card', subject_id: api.tenant.cardId },
  })
  t.equal(readOnly.status, 403)
})

test('verdicts of drafts are counted by version and reason', async (t) => {
  const api = await startTestApi()
  const { id } = await made(api, { state: 'draft' })
  const empty = await get(api, PATH + '/' + id + '/shadow')
  t.match(empty.body, { would_approve: 0, would_decline: 0, versions: [] })
  const verdict = (version: number, reason: string | null, atMs: number) => ({
    controlId: id,
    version,
    reason,
    atMs,
  })
  await tx(api.sql, (sql) =>
    recordShadowVerdicts(sql, [
      verdict(1, null, 2000),
      verdict(1, 'merchant_blocked', 1000),
      verdict(1, 'merchant_blocked', 3000),
      { ...verdict(1, null, 0), controlId: newId('ctl', 0) },
    ]),
  )
  await tx(api.sql, (sql) =>
    recordShadowVerdicts(sql, [verdict(2, null, 5000), verdict(1, null, 4000)]),
  )
  t.same((await get(api, PATH + '/' + id + '/shadow')).body, {
    object: 'spending_control_shadow',
    spending_control_id: id,
    would_approve: 3,
    would_decline: 2,
    versions: [
      {
        version: 1,
        would_approve: 2,
        would_decline: 2,
        decline_reasons: [{ decline_reason: 'merchant_blocked', count: 2 }],
        first: 1,
        last: 4,
      },
      { version: 2, would_approve: 1, would_decline: 0, decline_reasons: [], first: 5, last: 5 },
    ],
  })
})

test('a change unconfirmed by the engine is 503 and persists', async (t) => {
  const api = await startTestApi()
  api.engine.covers = false
  const answer = await post(api, { scope: 'card', subject_id: api.tenant.cardId })
  t.match(answer, { status: 503, body: { error: { code: 'dependency_unavailable' } } })
  const { resource_id: id, message } = answer.body.error
  t.match(message, /PATCH/, 'repeating a POST would make another')
  const { data } = (await get(api, PATH + '?subject_id=' + api.tenant.cardId)).body
  t.same([data.length, data[0].id], [2, id])
  api.engine.covers = true
  t.match(await patch(api, id, { if_version: 1 }), { status: 200, body: { version: 1 } })
})

test('a change of a named version may be repeated after a 503', async (t) => {
  const api = await startTestApi()
  const { id } = await made(api, {})
  const change = { if_version: 1, blocked_countries: ['RU'] }
  api.engine.covers = false
  t.equal((await patch(api, id, change)).status, 503)
  api.engine.covers = true
  t.match(await patch(api, id, change), { status: 200, body: { version: 2 } })
  const rival = await patch(api, id, { if_version: 1, allowed_countries: ['US'] })
  t.match(rival, { status: 409, body: { error: { code: 'version_conflict' } } })
  const other = await api.call('PATCH', PATH + '/' + id, {
    key: api.tenant.keys.admin,
    body: change,
  })
  t.equal(other.status, 409, 'another key is a rival, whatever it wishes')
})

test('metadata and external id of a control change without a new version', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const call = (method: string, path: string, body: object) =>
    api.call(method, '/v1/spending_controls' + path, { key: keys.write, body })
  const subject = { scope: 'card', subject_id: cardId, merchant_lock: true }
  const made = await call('POST', '', { ...subject, external_id: 'c-1', metadata: { a: '1' } })
  t.match(made, { status: 201, body: { external_id: 'c-1', metadata: { a: '1' }, version: 1 } })
  const one = '/' + made.body.id
  const [before] = await api.sql`select version from controls where subject_id = ${cardId}`
  const patched = await call('PATCH', one, { metadata: { b: '2' }, external_id: null })
  t.match(patched.body, { external_id: null, version: 1, updated: made.body.updated })
  t.same(patched.body.metadata, { a: '1', b: '2' })
  const [after] = await api.sql`select version from controls where subject_id = ${cardId}`
  t.same(after, before, 'nothing new binds anybody')

  const both = { if_version: 1, merchant_lock: false, metadata: { a: null } }
  t.match((await call('PATCH', one, both)).body, { version: 2, metadata: { b: '2' } })
  t.match((await call('PATCH', one, both)).body, { version: 2 }, 'said again, it is a repeat')
  const other = await call('POST', '', { ...subject, external_id: 'c-2' })
  t.match(await call('PATCH', one, { external_id: 'c-2' }), {
    status: 409,
    body: { error: { code: 'already_exists', resource_id: other.body.id } },
  })
  await call('POST', one + '/retire', {})
  t.match(await call('PATCH', one, { metadata: { b: '3' } }), { status: 200 })
  t.match(await call('PATCH', one, { merchant_lock: true }), { status: 409 })
  const versions = await api.call('GET', '/v1/spending_controls' + one + '/versions', {
    key: keys.read,
  })
  t.equal(versions.body.data.length, 3)
})
