// A card from its issue to its end: its parts, its transitions by actor, and that every event shows
// it as GET does.

import { test } from 'tap'
import { readConfig } from '../../../api/engine-link/config-rows.ts'
import { callerOf } from '../../../scripts/operator/caller.ts'
import { parseInvocation } from '../../../scripts/operator/options.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { ADDRESS, issue, printedOn, startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'
import { fc } from '../../harness/properties.ts'
import { seedCard } from '../../harness/tenant.ts'

type Body = Answer['body']

function get(api: TestApi, path: string): Promise<Answer> {
  return api.call('GET', path, { key: api.tenant.keys.read })
}

async function cardOf(api: TestApi, id: string): Promise<Body> {
  return (await get(api, '/v1/cards/' + id)).body
}

async function eventsOf(api: TestApi, id: string): Promise<Body[]> {
  return (await get(api, '/v1/events?order=asc&limit=100&resource_id=' + id)).body.data
}

function post(api: TestApi, id: string, verb: string, body: object = {}): Promise<Answer> {
  return api.call('POST', '/v1/cards/' + id + '/' + verb, { key: api.tenant.keys.write, body })
}

test('a virtual card works at once, with every field its tenant set', async (t) => {
  const api = await startIssuingApi()
  const { keys, cardholderId, programId } = api.tenant
  const limits = [{ interval: 'daily', amount_cents: 500, time_zone: 'Europe/Berlin' }]
  const own = { external_id: 'our-1', metadata: { team: 'blue' }, name_on_card: 'ADA L' }
  const body = { cardholder_id: cardholderId, type: 'virtual', currency: 'EUR', limits, ...own }
  const answer = await api.call('POST', '/v1/cards', { key: keys.write, body })
  t.equal(answer.status, 201, answer.text)
  const card = answer.body
  t.match(card, {
    ...own,
    ...{
      type: 'virtual',
      status: 'active',
      currency: 'EUR',
      shipping: null,
      program_id: programId,
    },
    ...{
      cardholder_id: cardholderId,
      created: api.clock.nowMs / 1000,
      exp_month: 11,
      exp_year: 2030,
    },
    limits: [{ scope: 'card', interval: 'daily', amount_cents: 500, currency: 'EUR' }],
  })
  t.same(await cardOf(api, card.id), card)
  t.equal(api.engine.asked.length, 1, 'the call waited for the engine')
  const printed = await printedOn(api, card.id)
  t.equal(printed.pan.slice(-4), card.last4)
  t.notOk(answer.text.includes(printed.pan))
})

test('a card without a currency takes that of its program, or US dollars', async (t) => {
  const api = await startIssuingApi()
  const { keys, cardholderId, programId } = api.tenant
  const body = { cardholder_id: cardholderId, type: 'virtual' }
  const currencyOf = async (own: object) =>
    (await api.call('POST', '/v1/cards', { key: keys.write, body: { ...body, ...own } })).body
      .currency
  t.equal(await currencyOf({}), 'USD')
  await api.sql`update programs set currency = 'SEK' where id = ${programId}`
  t.equal(await currencyOf({}), 'SEK')
  t.equal(await currencyOf({ currency: 'JPY' }), 'JPY')
})

test('an invalid card is refused by field, and nothing is created', async (t) => {
  const api = await startIssuingApi()
  const { keys, cardholderId: cardholder_id } = api.tenant
  const table: [object, number, string, string][] = [
    [{ type: 'virtual' }, 400, 'parameter_missing', 'cardholder_id'],
    [{ cardholder_id }, 400, 'parameter_missing', 'type'],
    [{ cardholder_id, type: 'wooden' }, 400, 'parameter_invalid', 'type'],
    [{ cardholder_id, type: 'virtual', currency: 'XXY' }, 400, 'parameter_invalid', 'currency'],
    [{ cardholder_id, type: 'virtual', shipping: ADDRESS }, 400, 'parameter_invalid', 'shipping'],
    [{ cardholder_id, type: 'physical' }, 400, 'parameter_missing', 'shipping'],
    [
      { cardholder_id, type: 'physical', shipping: { ...ADDRESS, country: 'ZZ' } },
      ...([400, 'parameter_invalid', '/shipping/country'] as const),
    ],
    [
      { cardholder_id, type: 'physical', shipping: { name: 'Ada', city: 'X', country: 'GB' } },
      ...([400, 'parameter_missing', '/shipping/line1'] as const),
    ],
    [
      { cardholder_id, type: 'physical', shipping: { ...ADDRESS, line1: ' ' } },
      ...([400, 'parameter_invalid', '/shipping/line1'] as const),
    ],
    [
      { cardholder_id, type: 'virtual', name_on_card: ' ' },
      ...([400, 'parameter_invalid', 'name_on_card'] as const),
    ],
    [
      {
        cardholder_id,
        type: 'virtual',
        limits: [{ interval: 'daily', amount_cents: 1, currency: 'EUR' }],
      },
      ...([400, 'parameter_invalid', '/limits/0/currency'] as const),
    ],
    [
      { cardholder_id, type: 'virtual', name_on_card: 'x'.repeat(27) },
      ...([400, 'parameter_invalid', 'name_on_card'] as const),
    ],
    [
      { cardholder_id: api.other.cardholderId, type: 'virtual' },
      ...([404, 'resource_missing', 'cardholder_id'] as const),
    ],
    [
      { cardholder_id: api.live.cardholderId, type: 'virtual' },
      ...([404, 'resource_missing', 'cardholder_id'] as const),
    ],
  ]
  for (const [body, status, code, param] of table) {
    const answer = await api.call('POST', '/v1/cards', { key: keys.write, body })
    const { error } = answer.body
    t.same([answer.status, error?.code, error?.param], [status, code, param], JSON.stringify(body))
  }
  t.equal((await get(api, '/v1/cards')).body.data.length, 1)
})

test('no card is issued in an inactive program, or to a cardholder who may have none', async (t) => {
  const api = await startIssuingApi()
  const { keys, cardholderId, programId, cardId } = api.tenant
  const body = { cardholder_id: cardholderId, type: 'virtual' }
  const create = () => api.call('POST', '/v1/cards', { key: keys.write, body })
  await api.sql`update programs set status = 'pending' where id = ${programId}`
  t.match(await create(), { status: 403, body: { error: { code: 'program_not_active' } } })
  t.match(await post(api, cardId, 'replace'), { status: 403 })
  await api.sql`update programs set status = 'active' where id = ${programId}`
  await api.sql`
    update cardholders set identity = identity || '{"status": "rejected"}' where id = ${cardholderId}`
  t.match(await create(), { status: 409, body: { error: { code: 'cardholder_not_approved' } } })
  t.match(await post(api, cardId, 'replace'), { status: 409 })
  t.equal((await get(api, '/v1/cards')).body.data.length, 1)
  t.match(await cardOf(api, cardId), { status: 'active' }, 'a refused replacement ends nothing')
})

test('an external id names one card, however many calls compete for it', async (t) => {
  const api = await startIssuingApi()
  const { keys, cardholderId, cardId } = api.tenant
  const body = { cardholder_id: cardholderId, type: 'virtual', external_id: 'one' }
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => api.call('POST', '/v1/cards', { key: keys.write, body })),
  )
  const made = answers.filter(({ status }) => status === 201)
  t.equal(made.length, 1)
  const refused = answers.filter(({ status }) => status === 409)
  t.equal(refused.length, 11)
  t.ok(
    refused.every(
      ({ body: { error } }) =>
        error.code === 'already_exists' && error.resource_id === made[0]?.body.id,
    ),
  )
  const patch = (external_id: string | null) =>
    api.call('PATCH', '/v1/cards/' + cardId, { key: keys.write, body: { external_id } })
  t.equal((await patch('one')).body.error.code, 'already_exists')
  t.equal((await patch('two')).body.external_id, 'two')
  t.equal((await patch('two')).status, 200, 'it may be said again')
  t.equal((await patch(null)).body.external_id, null)
})

test('metadata and shipping of a card change without a new version', async (t) => {
  const api = await startIssuingApi()
  const { keys } = api.tenant
  const { id } = await issue(api, 'physical', { metadata: { a: '1', b: '2' } })
  const seen = async () => {
    const [row] = await api.sql`
      select version, (select count(*) from config_change where config_change.id = cards.id) as changes,
        (select count(*) from config_history where config_history.id = cards.id) as kept
      from cards where id = ${id}`
    return { ...row }
  }
  const before = await seen()
  t.match(before, { version: 1, kept: 1 })
  const body = { metadata: { a: null, c: '3' }, external_id: 'x' }
  const patched = await api.call('PATCH', '/v1/cards/' + id, { key: keys.write, body })
  t.match(patched, { status: 200, body: { external_id: 'x' } })
  t.same(patched.body.metadata, { b: '2', c: '3' })
  t.same(await cardOf(api, id), patched.body)
  const operator = await seedOperator(api.sql)
  const sent = { carrier: 'Post', tracking_number: 'T1' }
  await api.call('POST', '/operator/v1/cards/' + id + '/ship', { key: operator, body: sent })
  t.match(await cardOf(api, id), { shipping: { tracking_number: 'T1' } })
  t.same(await seen(), before)
  t.equal(api.engine.asked.length, 1, 'only the card itself was waited for')

  const many = Object.fromEntries(Array.from({ length: 49 }, (_, n) => ['k' + n, 'v']))
  const full = { metadata: many }
  const refused = await api.call('PATCH', '/v1/cards/' + id, { key: keys.write, body: full })
  t.match(refused, { status: 400, body: { error: { param: 'metadata' } } })
  const [secret] = await api.sql`
    select count(*) as count from config_history where id = ${id} and body::text ~ 'Lovelace|metadata'`
  t.equal(secret?.['count'], 0, 'nothing personal is kept with decisions')
})

test('the operators’ command line ships a card, and reports its shipping', async (t) => {
  const api = await startIssuingApi()
  const call = callerOf({ apiUrl: api.url, key: await seedOperator(api.sql) })
  const { id } = await issue(api, 'physical')
  const tell = async (verb: string, ...options: string[]) => {
    const invocation = parseInvocation(['cards', verb, id, ...options])
    if (!invocation.ok || invocation.value.kind !== 'command') throw new Error('no command')
    const { command, given } = invocation.value
    return (await command.run(call, id, given))['shipping']
  }
  const sent = ['--carrier', 'Post', '--tracking-number', 'T1']
  t.match(await tell('ship', ...sent), {
    status: 'shipped',
    carrier: 'Post',
    tracking_number: 'T1',
  })
  t.match(await tell('deliver'), { status: 'delivered' })
  t.match(await tell('return'), { status: 'returned' })
  await t.rejects(tell('deliver'), { message: /^invalid_state: .*allowed_from shipped/ })
  t.match(await cardOf(api, id), { shipping: { status: 'returned' } })
})

test('every event of a card shows it exactly as GET does', async (t) => {
  const api = await startIssuingApi()
  const operator = await seedOperator(api.sql)
  const card = await issue(api, 'physical', { external_id: 'e', metadata: { m: '1' } })
  const { id, last4 } = card
  t.match(card, {
    status: 'issued',
    shipping: { ...ADDRESS, line2: null, state: null, status: 'pending', tracking_number: null },
  })
  const ship = () =>
    api.call('POST', '/operator/v1/cards/' + id + '/ship', {
      key: operator,
      body: { carrier: 'Royal Mail', tracking_number: 'RM1' },
    })
  const steps: [type: string, step: () => Promise<Answer>, shows: object][] = [
    ['card.shipped', ship, { shipping: { tracking_number: 'RM1', status: 'shipped' } }],
    ['card.activated', () => post(api, id, 'activate', { last4 }), { status: 'active' }],
    [
      'card.suspended',
      () => post(api, id, 'suspend', { reason: 'nobody is there' }),
      { suspend_reason: 'nobody is there', suspended_by: 'tenant' },
    ],
    ['card.resumed', () => post(api, id, 'resume'), { status: 'active', suspend_reason: null }],
    [
      'card.terminated',
      () => post(api, id, 'terminate', { reason: 'stolen' }),
      { status: 'terminated', terminate_reason: 'stolen' },
    ],
  ]
  const told = async (type: string, shows: object) => {
    const event = (await eventsOf(api, id)).at(-1)
    t.equal(event.type, type)
    t.same(event.data, { card: await cardOf(api, id) }, type)
    t.match(event.data.card, shows)
  }
  await told('card.created', { status: 'issued' })
  for (const [type, step, shows] of steps) {
    const answer = await step()
    t.equal(answer.status, 200, answer.text)
    await told(type, shows)
    t.same((await step()).status, 200, 'it may be said again')
  }
  t.equal((await eventsOf(api, id)).length, 1 + steps.length, 'and is told once')
})

test('a shipment is sent, arrives or returns; only operators report it', async (t) => {
  const api = await startIssuingApi()
  const operator = await seedOperator(api.sql)
  const { id } = await issue(api, 'physical')
  const say = (verb: string, body: object = {}, key = operator) =>
    api.call('POST', '/operator/v1/cards/' + id + '/' + verb, { key, body })
  const parcel = { carrier: 'Post', tracking_number: 'T1' }
  t.match(await say('deliver'), {
    status: 409,
    body: { error: { current_status: 'pending', allowed_from: ['shipped'] } },
  })
  t.equal((await say('ship', parcel, api.tenant.keys.admin)).status, 404)
  t.match((await say('ship', parcel)).body, { shipping: { ...parcel, status: 'shipped' } })
  t.equal((await say('ship', { ...parcel, tracking_number: 'T2' })).status, 409)
  t.match((await say('deliver')).body, { shipping: { status: 'delivered' } })
  t.match((await say('return')).body, { shipping: { status: 'returned' } })
  t.match((await say('ship', { ...parcel, tracking_number: 'T2' })).body, {
    shipping: { tracking_number: 'T2', status: 'shipped' },
  })
  const types = (await eventsOf(api, id)).map(({ type }) => type)
  t.same(types, ['card.created', 'card.shipped', 'card.shipped'])

  const replaced = (await post(api, id, 'replace')).body
  t.match(replaced, {
    external_id: null,
    shipping: { ...ADDRESS, status: 'pending', tracking_number: null },
  })
  t.equal((await say('ship', parcel)).status, 409, 'a terminated card is not sent')
  const virtual = await api.call('POST', '/operator/v1/cards/' + api.tenant.cardId + '/ship', {
    ...{ key: operator, body: parcel },
  })
  t.equal(virtual.status, 409)
  const nobody = await api.call('POST', '/operator/v1/cards/card_nobody/ship', {
    ...{ key: operator, body: parcel },
  })
  t.equal(nobody.status, 404)
  await api.sql`update cards set type = 'physical', shipping = null where id = ${api.tenant.cardId}`
  const old = await api.call('POST', '/operator/v1/cards/' + api.tenant.cardId + '/ship', {
    ...{ key: operator, body: parcel },
  })
  t.match(old.body, { shipping: { ...parcel, line1: null } }, 'one of before addresses were kept')
})

test('a card is activated with its last four digits or a token of its own number', async (t) => {
  const api = await startIssuingApi()
  const { keys } = api.tenant
  const [card, other] = [await issue(api, 'physical'), await issue(api, 'physical')]
  const token = async (printed: object): Promise<string> => {
    const body = { card: printed }
    return (await api.call('POST', '/v1/tokens', { key: keys.publishable, body })).body.id
  }
  const [own, foreign] = [await printedOn(api, card.id), await printedOn(api, other.id)]
  const wrong = card.last4 === '0000' ? '0001' : '0000'
  const wrongCvc = own.cvc === '000' ? '001' : '000'
  const good = await token(own)
  const table: [object, number, string, string | null][] = [
    [{}, 400, 'parameter_missing', 'last4'],
    [{ last4: card.last4, token: good }, 400, 'parameters_exclusive', 'token'],
    [{ last4: wrong }, 400, 'parameter_invalid', 'last4'],
    [{ token: await token(foreign) }, 400, 'parameter_invalid', 'token'],
    [{ token: await token({ ...own, cvc: wrongCvc }) }, 400, 'parameter_invalid', 'token'],
    [
      { token: await token({ ...own, exp_year: own.exp_year + 1 }) },
      400,
      'parameter_invalid',
      'token',
    ],
    [{ token: 'tok_nobody' }, 404, 'resource_missing', 'token'],
  ]
  for (const [body, status, code, param] of table) {
    const answer = await post(api, card.id, 'activate', body)
    const { error } = answer.body
    t.same([answer.status, error?.code, error?.param], [status, code, param], JSON.stringify(body))
  }
  t.match(await post(api, card.id, 'activate', { token: good }), { body: { status: 'active' } })
  t.match((await get(api, '/v1/tokens/' + good)).body, { used_at: api.clock.nowMs / 1000 })
  const again = await post(api, other.id, 'activate', { token: good })
  t.match(again, { status: 409, body: { error: { current_status: 'used' } } })
  const late = await token(foreign)
  api.clock.nowMs += 10 * 60_000
  const expired = await post(api, other.id, 'activate', { token: late })
  t.match(expired, { status: 409, body: { error: { current_status: 'expired' } } })
  t.match(await post(api, api.tenant.cardId, 'activate', { last4: '4242' }), { status: 200 })
})

test('the author of a suspension decides who may resume the card', async (t) => {
  const api = await startTestApi()
  const { cardId } = api.tenant
  const cardholder = { on_behalf_of: 'cardholder' }
  const told = { acknowledge_fraud: true }
  const table: [by: string, body: object, resumes: boolean][] = [
    ['cardholder', cardholder, true],
    ['cardholder', {}, true],
    ['tenant', {}, true],
    ['tenant', told, true],
    ['tenant', cardholder, false],
    ['tenant', { ...cardholder, ...told }, false],
    ['fraud_rule', {}, false],
    ['fraud_rule', cardholder, false],
    ['fraud_rule', { ...cardholder, ...told }, false],
    ['fraud_rule', told, true],
  ]
  for (const [by, body, resumes] of table) {
    await api.sql`
      update cards set status = 'suspended', suspended_by = ${by}, suspend_reason = 'r' where id = ${cardId}`
    const answer = await post(api, cardId, 'resume', body)
    const name = by + ' ' + JSON.stringify(body)
    if (resumes) {
      t.match(answer, { status: 200, body: { status: 'active', suspended_by: null } }, name)
      continue
    }
    const { error } = answer.body
    t.same(
      [answer.status, error?.code, error?.current_status, error?.suspended_by],
      [409, 'invalid_state', 'suspended', by],
      name,
    )
    t.match(await cardOf(api, cardId), { status: 'suspended', suspended_by: by })
  }
})

test('a tenant may take over its cardholder’s suspension, and no call weakens one', async (t) => {
  const api = await startTestApi()
  const { cardId } = api.tenant
  const suspend = async (body: object) => (await post(api, cardId, 'suspend', body)).body
  t.match(await suspend({ on_behalf_of: 'cardholder', reason: 'at home' }), {
    ...{ suspended_by: 'cardholder', suspend_reason: 'at home' },
  })
  t.match(await suspend({}), { suspended_by: 'tenant', suspend_reason: 'requested' })
  t.match(await suspend({ on_behalf_of: 'cardholder', reason: 'x' }), {
    ...{ suspended_by: 'tenant', suspend_reason: 'requested' },
  })
  const types = (await eventsOf(api, cardId)).map(({ type }) => type)
  t.same(types, ['card.suspended', 'card.suspended'])
})

test('a terminated card stays terminated, its wallet tokens end, and its reason is announced', async (t) => {
  const api = await startTestApi()
  const { keys } = api.tenant
  const table: [reason: string | undefined, shown: string, loss: string | null][] = [
    ['lost', 'lost', 'lost'],
    ['stolen', 'stolen', 'stolen'],
    ['Lost it', 'Lost it', null],
    [undefined, 'requested', null],
  ]
  for (const [reason, shown, loss] of table) {
    const cardId = await seedCard(api.sql, api.tenant)
    const body = { card_id: cardId, provider: 'apple' }
    const wallet = (await api.call('POST', '/v1/wallet_tokens', { key: keys.write, body })).body.id
    const ended = await post(api, cardId, 'terminate', reason === undefined ? {} : { reason })
    t.match(ended, { status: 200, body: { status: 'terminated', terminate_reason: shown } })
    t.match(await readConfig(api.sql, 'card', { ids: [cardId] }), [{ status: 'terminated', loss }])
    t.match((await get(api, '/v1/wallet_tokens/' + wallet)).body, { status: 'deactivated' })
    for (const verb of ['suspend', 'resume', 'activate'])
      t.equal(
        (await post(api, cardId, verb, verb === 'activate' ? { last4: '4242' } : {})).status,
        409,
      )
    t.match((await post(api, cardId, 'terminate', { reason: 'other' })).body, {
      ...{ terminate_reason: shown },
    })
  }
})

interface Model {
  status: string
  by: string | null
}

const MOVES = ['activate', 'suspend', 'suspend_for', 'fraud', 'resume', 'resume_for', 'resume_told']
const BODIES: { readonly [move: string]: object } = {
  activate: { last4: '4242' },
  suspend_for: { on_behalf_of: 'cardholder' },
  resume_for: { on_behalf_of: 'cardholder' },
  resume_told: { acknowledge_fraud: true },
}

/** The state after a move, or null if the move is refused. */
function moved({ status, by }: Model, move: string): Model | null {
  if (move === 'terminate') return { status: 'terminated', by: null }
  if (status === 'terminated') return null
  if (move === 'activate') return status === 'suspended' ? null : { status: 'active', by: null }
  if (move.startsWith('suspend')) {
    const invocation = move === 'suspend' ? 'tenant' : 'cardholder'
    if (status === 'active') return { status: 'suspended', by: invocation }
    if (status !== 'suspended') return null
    return { status, by: by === 'cardholder' ? invocation : by }
  }
  if (status === 'active') return { status, by }
  if (status !== 'suspended') return null
  const lifts = { resume: ['tenant', 'cardholder'], resume_for: ['cardholder'] }
  const all = ['tenant', 'cardholder', 'fraud_rule']
  const may = move === 'resume_told' ? all : lifts[move as keyof typeof lifts]
  return may.includes(by ?? '') ? { status: 'active', by: null } : null
}

test('any sequence of moves ends where the table says', async (t) => {
  const api = await startTestApi()
  const start = fc.constantFrom('issued', 'active')
  const moves = fc.array(fc.constantFrom(...MOVES, 'terminate'), { minLength: 4, maxLength: 12 })
  let [legal, illegal] = [0, 0]
  await fc.assert(
    fc.asyncProperty(start, moves, async (status, sequence) => {
      const cardId = await seedCard(api.sql, api.tenant)
      await api.sql`update cards set status = ${status} where id = ${cardId}`
      let model: Model = { status, by: null }
      for (const move of sequence) {
        if (move === 'fraud') {
          if (model.status !== 'active') continue
          await api.sql`update cards set status = 'suspended', suspended_by = 'fraud_rule' where id = ${cardId}`
          model = { status: 'suspended', by: 'fraud_rule' }
          continue
        }
        const verb = move.split('_')[0] ?? ''
        const answer = await post(api, cardId, verb, BODIES[move])
        const next = moved(model, move)
        if (answer.status !== (next === null ? 409 : 200)) throw new Error(move + answer.text)
        if (next === null) illegal++
        else legal++
        model = next ?? model
        const card = await cardOf(api, cardId)
        if (card.status !== model.status || card.suspended_by !== model.by)
          throw new Error(move + ' led to ' + card.status + ' by ' + card.suspended_by)
      }
    }),
    { numRuns: 20 },
  )
  t.ok(legal > 25 && illegal > 15, legal + ' moves, ' + illegal + ' refused')
})
