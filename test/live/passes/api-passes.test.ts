// Wallet passes over HTTP: their templates, one pass and many, what wallets do with them.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { recordInstalled, recordRemoved } from '../../../api/passes/passes/index.ts'
import { type Answer, PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { issue, startIssuingApi } from '../../harness/issuing.ts'
import { caller, done, eventsOf, issuePass, makeTemplate, TEMPLATE } from '../../harness/passes.ts'

type Body = Answer['body']

/** The code and the field of a refusal. */
function said({ status, body }: Answer): unknown[] {
  return [status, body.error?.code, body.error?.param]
}

/** The callbacks of a wallet about a pass. */
function wallet(api: TestApi, passId: string) {
  const call = { passId, now: api.clock.nowMs, publicUrl: PUBLIC_URL }
  const phone = (deviceId: string) =>
    ({ ...call, platform: 'apple', deviceId, pushToken: 'push-' + deviceId }) as const
  const google = { ...call, platform: 'google', deviceId: '', pushToken: null } as const
  return {
    install: (deviceId: string) => tx(api.sql, (sql) => recordInstalled(sql, phone(deviceId))),
    remove: (deviceId: string) => tx(api.sql, (sql) => recordRemoved(sql, phone(deviceId))),
    save: () => tx(api.sql, (sql) => recordInstalled(sql, google)),
    unsave: () => tx(api.sql, (sql) => recordRemoved(sql, google)),
  }
}

test('a template is made, read, listed, changed and archived', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch } = caller(api)
  const made = await makeTemplate(api, { external_id: 'members', metadata: { year: '2026' } })
  t.match(made, {
    object: 'pass_template',
    status: 'active',
    version: 1,
    style: 'store_card',
    colors: { background: '#003366', foreground: '#ffffff', label: '#cccccc' },
    barcode: { format: 'qr', message: '{{payload}}', alt_text: null },
    nfc: null,
    one_time: false,
    fanout: null,
    external_id: 'members',
  })
  t.match(made.fields.primary, [{ key: 'points', format: 'text', alignment: 'natural' }])
  t.same((await get('pass_templates/' + made.id)).body, made)
  t.same((await get('pass_templates?external_id=members')).body.data, [made])
  t.same((await get('pass_templates?status=archived')).body.data, [])
  t.same(said(await post('pass_templates', { ...TEMPLATE, external_id: 'members' })), [
    ...[409, 'already_exists', 'external_id'],
  ])

  const path = 'pass_templates/' + made.id
  t.same(
    done(await patch(path, { name: TEMPLATE.name })),
    made,
    'what changes nothing is no change',
  )
  const renamed = done(await patch(path, { name: 'Members' }))
  t.match(renamed, { name: 'Members', version: 1, fanout: null }, 'a name is on no pass')
  const changed = done(await patch(path, { colors: { label: '#ABCDEF' }, if_version: 1 }))
  t.match(changed, {
    version: 2,
    colors: { background: '#003366', label: '#abcdef' },
    fanout: { version: 2, total: 0, done: 0, state: 'completed' },
  })
  t.same(said(await patch(path, { description: 'Late', if_version: 1 })), [
    ...[409, 'version_conflict', null],
  ])
  const [kept] = await api.sql`
    select content from pass_template_versions where template_id = ${made.id} and version = 1`
  t.equal(kept?.['content'].colors.label, made.colors.label, 'a version never changes')

  const archived = done(await post(path + '/archive'))
  t.match(archived, { status: 'archived', version: 2 })
  t.same(done(await post(path + '/archive')), archived)
  t.same(said(await post('passes', { template_id: made.id })), [
    ...[409, 'template_archived', 'template_id'],
  ])
  const told = ['created', 'updated', 'archived'].map(async (what) =>
    (await eventsOf(api, made.id, 'pass_template.' + what)).map(({ data }) => data.pass_template),
  )
  t.same(await Promise.all(told), [[made], [renamed, changed], [archived]])
})

test('a publishable key sees only the front of a template, from any page', async (t) => {
  const api = await startIssuingApi()
  const { id } = await makeTemplate(api, { metadata: { secret: 'plan' } })
  const { publishable: key } = api.tenant.keys
  const one = await api.call('GET', '/v1/pass_templates/' + id, { key })
  t.equal(one.headers.get('access-control-allow-origin'), '*')
  t.same(Object.keys(one.body), [
    ...['id', 'object', 'livemode', 'status', 'style', 'organization_name', 'description'],
    ...['logo_text', 'colors'],
  ])
  const list = await api.call('GET', '/v1/pass_templates', { key })
  t.same(list.body.data, [one.body])
  for (const path of ['passes', 'passes/count', 'scanners', 'pass_scans']) {
    const answer = await api.call('GET', '/v1/' + path, { key })
    t.same(said(answer), [403, 'insufficient_scope', null], path)
    t.equal(answer.headers.get('access-control-allow-origin'), null)
  }
  t.equal((await api.call('POST', '/v1/pass_templates', { key, body: TEMPLATE })).status, 403)
})

test('content that no wallet could show is refused with its field', async (t) => {
  const api = await startIssuingApi()
  const { post, patch } = caller(api)
  const field = { key: 'a', value: 'A' }
  const P256 = 'MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgAD4TgUCddYCKKZpHtoZd6MkKhjyIA263cIw1+0K+ni/XI='
  const table: [more: object, param: string][] = [
    [{ colors: { background: 'red' } }, '/colors/background'],
    [{ colors: { shadow: '#000000' } }, '/colors/shadow'],
    [{ style: 'poster' }, 'style'],
    [{ relevant_at: '2026-02-31' }, 'relevant_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ shine: true }, 'shine'],
    [{ fields: { primary: [field, { ...field, key: 'b' }] } }, '/fields/primary'],
    [{ fields: { header: [field], back: [field] } }, '/fields/back/0/key'],
    [{ fields: { back: [{ ...field, format: 'date' }] } }, '/fields/back/0/value'],
    [{ fields: { back: [{ ...field, format: 'number' }] } }, '/fields/back/0/value'],
    [
      { fields: { back: [{ ...field, value: '1', format: 'currency' }] } },
      '/fields/back/0/currency',
    ],
    [{ barcode: { format: 'ean13' } }, '/barcode/format'],
    [{ barcode: { format: 'qr', message: 'x'.repeat(2332) } }, '/barcode/message'],
    [
      { barcode: { format: 'code128', message: '{{payload}}' + 'x'.repeat(37) } },
      '/barcode/message',
    ],
    [{ barcode: { format: 'code128', message: 'Süd {{payload}}' } }, '/barcode/message'],
    [{ nfc: { encryption_public_key: 'A'.repeat(80) } }, '/nfc/encryption_public_key'],
    [
      {
        nfc: { encryption_public_key: P256, message: 'more than that {{payload}}' + 'x'.repeat(6) },
      },
      '/nfc/message',
    ],
    [{ images: { icon: 'pimg_nobody' } }, '/images/icon'],
    [{ locations: [{ latitude: 91, longitude: 0 }] }, '/locations/0/latitude'],
    [{ localizations: { German: {} } }, '/localizations/German'],
  ]
  for (const [more, param] of table) {
    const answer = await post('pass_templates', { ...TEMPLATE, ...more })
    t.equal(answer.status, 400, param)
    t.equal(answer.body.error.param, param, answer.text)
  }
  t.equal(
    (await post('pass_templates', { ...TEMPLATE, nfc: { encryption_public_key: P256 } })).status,
    201,
  )
  const { id } = await makeTemplate(api)
  t.same(said(await patch('pass_templates/' + id, { style: 'coupon' })), [
    ...[400, 'parameter_unknown', 'style'],
  ])

  const dated = await makeTemplate(api, {
    fields: { primary: [{ key: 'until', value: '{{until}}', format: 'date' }] },
    barcode: { format: 'code128', message: '{{payload}}/{{more}}' },
  })
  const pass = (values: object) => post('passes', { template_id: dated.id, values })
  t.same(said(await pass({ until: 'soon' })), [400, 'parameter_invalid', 'values'])
  t.same(said(await pass({ more: 'x'.repeat(36) })), [400, 'parameter_invalid', 'values'])
  t.same(said(await pass({ 'a b': '1' })), [400, 'parameter_unknown', '/values/a b'])
  t.equal((await pass({ until: '2027-01-31', more: 'x'.repeat(35) })).status, 201)
})

test('a pass is issued, changed with its previous values, and revoked', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch } = caller(api)
  const invocation = { holder_name: 'Ada', values: { points: '10' }, expires_at: '2027-01-31' }
  const made = await issuePass(api, { ...invocation, external_id: 'member-1' })
  t.match(made, {
    object: 'pass',
    status: 'active',
    platform: null,
    template_version: 1,
    version: 1,
    values: { points: '10' },
    expires_at: '2027-01-31T00:00:00.000Z',
    revoke_reason: null,
  })
  t.match(made.payload, /^P1[0-9A-Z]{42}$/)
  t.equal(made.url, PUBLIC_URL + '/p/' + made.id)
  t.same((await get('passes/' + made.id)).body, made)
  t.same((await get('passes?external_id=member-1')).body.data, [made])

  const path = 'passes/' + made.id
  t.same(done(await patch(path, { holder_name: 'Ada' })), made)
  api.clock.nowMs += 5000
  const changed = done(await patch(path, { values: { points: '11', tier: 'gold' } }))
  t.match(changed, { version: 2, values: { points: '11', tier: 'gold' } })
  const [event, ...more] = await eventsOf(api, made.id, 'pass.updated')
  t.same(more, [])
  t.same(event?.data, { pass: changed })
  t.same(event?.previous_attributes, {
    values: { points: '10' },
    version: 1,
    updated: made.updated,
  })
  t.same(Object.keys(event ?? {}), [
    ...['id', 'type', 'created', 'api_version', 'data', 'previous_attributes'],
  ])
  t.match(done(await patch(path, { values: { tier: null }, expires_at: null })), {
    values: { points: '11' },
    expires_at: null,
  })

  const revoked = done(await post(path + '/revoke', { reason: 'left' }))
  t.match(revoked, { status: 'revoked', revoke_reason: 'left' })
  t.same(done(await post(path + '/revoke', { reason: 'again' })), revoked)
  const told = await eventsOf(api, made.id, 'pass.revoked')
  t.same(
    told.map(({ data }) => data.pass),
    [revoked],
  )
  t.match(await patch(path, { holder_name: 'Eve' }), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'revoked' } },
  })
  t.match(done(await patch(path, { external_id: null })), { external_id: null })
})

test('a pass represents a card of its tenant, and ends with it', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch } = caller(api)
  const { id: template_id } = await makeTemplate(api)
  const card = await issue(api, 'virtual')
  for (const card_id of ['card_nobody', api.other.cardId])
    t.same(said(await post('passes', { template_id, card_id })), [
      ...[400, 'parameter_invalid', 'card_id'],
    ])
  const pass = await issuePass(api, { template_id, card_id: card.id })
  const other = await issuePass(api, { template_id })
  t.same(said(await patch('passes/' + other.id, { card_id: 'card_nobody' })), [
    ...[400, 'parameter_invalid', 'card_id'],
  ])
  t.same((await get('passes?card_id=' + card.id)).body.data, [pass])
  t.equal((await get('passes/count?card_id=' + card.id)).body.count, 1)
  done(await post('cards/' + card.id + '/terminate', { reason: 'lost' }))
  t.match((await get('passes/' + pass.id)).body, {
    status: 'revoked',
    revoke_reason: 'card_terminated',
  })
  t.equal((await eventsOf(api, pass.id, 'pass.revoked')).length, 1)
  t.equal((await get('passes/' + other.id)).body.status, 'active')
  t.match(await post('passes', { template_id, card_id: card.id }), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'terminated' } },
  })
})

test('wallets install and remove a pass, which is announced once over all devices and platforms', async (t) => {
  const api = await startIssuingApi()
  const { get, post } = caller(api)
  const { id } = await issuePass(api)
  const { install, remove, save, unsave } = wallet(api, id)
  const events = async (what: string) => (await eventsOf(api, id, 'pass.' + what)).length
  t.equal(await install('phone'), 'created')
  t.equal(await install('phone'), 'known')
  t.equal(await install('watch'), 'created')
  t.equal(await save(), 'created')
  t.match((await get('passes/' + id)).body, { status: 'installed', platform: 'apple' })
  t.equal(await events('installed'), 1, 'on both platforms, and once')
  t.equal(await events('updated'), 0, 'an install is told of by its own event')

  t.equal(await remove('phone'), true)
  t.equal(await remove('phone'), false)
  t.equal(await remove('watch'), true)
  t.match((await get('passes/' + id)).body, { status: 'installed', platform: 'google' })
  const [moved] = await eventsOf(api, id, 'pass.updated')
  t.match(moved?.previous_attributes, { platform: 'apple' })
  t.equal(await unsave(), true)
  t.match((await get('passes/' + id)).body, { status: 'removed', platform: 'google' })
  t.equal(await events('removed'), 1)
  await install('phone')
  t.match((await get('passes/' + id)).body, { status: 'installed', platform: 'apple' })
  t.equal(await events('installed'), 2, 'put back, it is installed again')

  done(await post('passes/' + id + '/revoke'))
  const line = await api.sql`select platform, version from pass_pushes where pass_id = ${id}`
  t.match([...line], [{ platform: 'apple' }], 'its wallet is to hear of it')
  await remove('phone')
  await install('phone')
  t.match((await get('passes/' + id)).body, { status: 'revoked' })
  t.equal(await events('removed'), 1)
  const stranger = { passId: 'pass_nobody', platform: 'apple', deviceId: 'x' } as const
  const unknown = { ...stranger, pushToken: 'x', now: 0, publicUrl: PUBLIC_URL }
  t.equal(await tx(api.sql, (sql) => recordInstalled(sql, unknown)), null)
})

test('a pass removed from two phones at once is installed and removed once', async (t) => {
  const api = await startIssuingApi()
  const { id } = await issuePass(api)
  const { install, remove } = wallet(api, id)
  const phones = Array.from({ length: 20 }, (_, index) => 'phone-' + index)
  await Promise.all(phones.map(install))
  t.equal((await eventsOf(api, id, 'pass.installed')).length, 1)
  await Promise.all(phones.map(remove))
  t.equal((await eventsOf(api, id, 'pass.removed')).length, 1)
})

test('passes are listed and counted by their fields', async (t) => {
  const api = await startIssuingApi()
  const { get, post } = caller(api)
  const [one, two] = [(await makeTemplate(api)).id, (await makeTemplate(api)).id]
  const first = await issuePass(api, { template_id: one })
  api.clock.nowMs += 2 * 86_400_000
  const second = await issuePass(api, { template_id: two })
  const third = await issuePass(api, { template_id: one })
  done(await post('passes/' + second.id + '/revoke'))
  await wallet(api, third.id).install('phone')
  const between = new Date(api.clock.nowMs - 86_400_000).toISOString()
  const day = between.slice(0, 10)
  const table: [query: string, ids: string[]][] = [
    ['', [third.id, second.id, first.id]],
    ['status=installed', [third.id]],
    ['status=revoked&template_id=' + two, [second.id]],
    ['status=revoked&template_id=' + one, []],
    ['template_id=' + one, [third.id, first.id]],
    ['created_after=' + between, [third.id, second.id]],
    ['created[lt]=' + between, [first.id]],
    ['created[gte]=' + day + '&template_id=' + one, [third.id]],
    ['created[lt]=2020-01-01', []],
    ['created[gte]=2026-11-01&created[lt]=' + day, [first.id]],
  ]
  for (const [query, ids] of table) {
    const list = done(await get('passes?' + query))
    t.same(
      list.data.map(({ id }: Body) => id),
      ids,
      query,
    )
    t.match(
      done(await get('passes/count?' + query)),
      { object: 'pass_count', count: ids.length },
      query,
    )
  }
  t.match((await get('passes/count')).body.as_of, api.clock.nowMs / 1000)
  const page = done(await get('passes?limit=2'))
  const rest = done(await get('passes?limit=2&starting_after=' + page.next_cursor))
  t.same([page.has_more, rest.data.map(({ id }: Body) => id)], [true, [first.id]])
  t.same(said(await get('passes?status=melted')), [400, 'parameter_invalid', 'status'])
  t.same(said(await get('passes/count?limit=1')), [400, 'parameter_unknown', 'limit'])
  const headers = (await get('passes/count')).headers
  t.same(headers.get('x-ratelimit-resource'), 'count')
})
