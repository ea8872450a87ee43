// Two dated versions of the API side by side. The golden files hold the answers and events of each
// version at its release and are never rewritten. Within a version shapes gain optional fields
// only, therefore later fields are left out of the comparison.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { API_VERSIONS, inVersion, spokenVersion } from '../../../api/http/versions/chain.ts'
import { recordEvents } from '../../../api/webhooks/events/index.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { cardSuspensionEntry } from '../../harness/entries.ts'
import { callApproved } from '../../harness/person.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { goldenAnswers, seedGoldenTenant } from '../../harness/versioned-answers.ts'

const FIXTURES = new URL('../../fixtures/api-versions', import.meta.url).pathname
const [NEWEST, OLDER] = API_VERSIONS as [string, string]

function golden(version: string, name: string): string {
  return readFileSync(join(FIXTURES, version, name + '.body'), 'utf8')
}

/** `shown` without the fields that `kept` lacks: in the order of `shown`, so that bytes compare. */
function withoutGained(shown: unknown, kept: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(kept))
    return shown.map((item, index) => withoutGained(item, kept[index]))
  if (typeof shown !== 'object' || shown === null || typeof kept !== 'object' || kept === null)
    return shown
  const known = kept as { [name: string]: unknown }
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([name]) => name in known)
      .map(([name, value]) => [name, withoutGained(value, known[name])]),
  )
}

async function pin(api: TestApi, version: string): Promise<void> {
  await api.sql`update tenants set api_version = ${version} where id = ${api.tenant.tenantId}`
}

async function cardOf(api: TestApi, headers: { [name: string]: string } = {}): Promise<Answer> {
  const { cardId, keys } = api.tenant
  return api.call('GET', '/v1/cards/' + cardId, { key: keys.read, headers })
}

async function suspend(api: TestApi): Promise<void> {
  const { cardId, keys } = api.tenant
  const { status } = await api.call('POST', '/v1/cards/' + cardId + '/suspend', { key: keys.write })
  if (status !== 200) throw new Error('suspend answered ' + status)
}

async function newestEvent(api: TestApi): Promise<Answer['body']> {
  const list = await api.call('GET', '/v1/events?limit=1', { key: api.tenant.keys.read })
  return list.body.data[0]
}

test('every version has its golden files, the newest included', (t) => {
  t.equal(NEWEST, API_VERSION)
  t.same(readdirSync(FIXTURES).sort().reverse(), API_VERSIONS)
  t.same(readdirSync(join(FIXTURES, NEWEST)), readdirSync(join(FIXTURES, OLDER)))
  t.end()
})

test('a pinned tenant gets answers and events in the bytes of its version', async (t) => {
  const api = await startTestApi()
  const key = await seedGoldenTenant(api.sql, OLDER)
  for (const version of [OLDER, NEWEST]) {
    await api.sql`update tenants set api_version = ${version} where id = 'ten_golden'`
    for (const [name, text] of await goldenAnswers(api, key)) {
      // Events keep the version in which they were recorded: that of the first pin.
      const kept = golden(name === 'events' ? OLDER : version, name)
      t.equal(
        JSON.stringify(withoutGained(JSON.parse(text), JSON.parse(kept))),
        kept,
        version + ' ' + name,
      )
    }
  }
  // The same answers, requested with the header instead of the pin.
  for (const [name, text] of await goldenAnswers(api, key, { 'svc-version': OLDER })) {
    const kept = golden(OLDER, name)
    t.equal(JSON.stringify(withoutGained(JSON.parse(text), JSON.parse(kept))), kept, name)
  }
})

test('the events of a tenant of the newest version have its bytes', async (t) => {
  const kept = JSON.parse(golden(NEWEST, 'events')).data as Answer['body'][]
  t.ok(kept.every(({ api_version }) => api_version === NEWEST))
  const api = await startTestApi()
  await suspend(api)
  const event = await newestEvent(api)
  const card = kept.find(({ type }) => type === 'card.suspended').data.card
  t.same(
    Object.keys(card).filter((name) => !(name in event.data.card)),
    [],
  )
  t.equal(event.data.card.terminate_reason, null)
})

test('transactions read alike in every version, so that decisions need not know it', async (t) => {
  t.equal(golden(NEWEST, 'transaction'), golden(OLDER, 'transaction'))
  t.equal(golden(NEWEST, 'transactions'), golden(OLDER, 'transactions'))
  const api = await startTestApi()
  const key = await api.sql`select 1 from tenants where id = 'ten_golden'`
  t.equal(key.length, 1, 'the tenant of the test before')
  const shown = JSON.parse(golden(NEWEST, 'transaction'))
  t.equal(inVersion(shown, OLDER), shown, 'it is not even copied')
  const question = { transaction: shown }
  t.same(inVersion(question, OLDER), question)
})

test('the pin decides answers and events alike, and an event keeps its recorded version', async (t) => {
  const api = await startTestApi()
  await pin(api, OLDER)
  const older = await cardOf(api)
  t.equal(older.headers.get('svc-version'), OLDER)
  t.notOk('replaces' in older.body)
  await suspend(api)
  const first = await newestEvent(api)
  t.equal(first.api_version, OLDER)
  t.same(first.data.card, (await cardOf(api)).body, 'the event shows what GET shows')
  t.notOk('terminate_reason' in first.data.card)

  await pin(api, NEWEST)
  t.same(await newestEvent(api), first, 'what was recorded stays')
  const { cardId, keys } = api.tenant
  await api.call('POST', '/v1/cards/' + cardId + '/resume', { key: keys.write })
  const second = await newestEvent(api)
  t.equal(second.api_version, NEWEST)
  t.same(second.data.card, (await cardOf(api)).body)
  t.equal(second.data.card.suspend_reason, null)
})

test('previous_attributes of an event follow its version as well', async (t) => {
  const api = await startTestApi()
  const card = { object: 'card', id: 'card_1', replaces: null, suspend_reason: null, last4: '4242' }
  const changes: [object, object][] = [
    [card, { ...card, suspend_reason: 'lost', last4: '4243' }],
    [{ ...card, suspend_reason: 'lost' }, card],
    [card, { ...card, replaces: 'card_0' }],
  ]
  const told = async () => {
    const { tenantId, environment } = api.tenant
    const events = changes.map(([before, after]) => ({
      resourceId: 'card_1',
      data: { card: after },
      before: { card: before },
    }))
    const many = { tenantId, environment, type: 'pass.updated', now: SEEDED_AT_MS } as const
    await tx(api.sql, (sql) => recordEvents(sql, { ...many, lane: 0, events }))
    const list = await api.call('GET', '/v1/events?limit=3', { key: api.tenant.keys.read })
    return list.body.data
      .reverse()
      .map((event: Answer['body']) => [
        Object.keys(event.data.card).length,
        event.previous_attributes,
      ])
  }
  t.same(await told(), [
    [5, { suspend_reason: null, last4: '4242' }],
    [5, { suspend_reason: 'lost' }],
    [5, { replaces: null }],
  ])
  await pin(api, OLDER)
  t.same(
    await told(),
    [
      [4, { suspend_reason: null, last4: '4242' }],
      [3, { suspend_reason: 'lost' }],
      [4, { replaces: null }],
    ],
    'a field that is not shown any more is told of as it was',
  )
})

test('a header previews another version for one call; pin, events and errors keep theirs', async (t) => {
  const api = await startTestApi()
  const preview = await cardOf(api, { 'svc-version': OLDER })
  t.equal(preview.headers.get('svc-version'), OLDER)
  t.notOk('replaces' in preview.body)
  const { cardId, keys } = api.tenant
  const written = await api.call('POST', '/v1/cards/' + cardId + '/suspend', {
    key: keys.write,
    headers: { 'svc-version': OLDER },
  })
  t.notOk('terminate_reason' in written.body)
  const event = await newestEvent(api)
  t.equal(event.api_version, NEWEST)
  t.equal(event.data.card.terminate_reason, null)
  const head = await api.call('HEAD', '/v1/cards/' + cardId, {
    key: keys.read,
    headers: { 'svc-version': OLDER },
  })
  const got = await cardOf(api, { 'svc-version': OLDER })
  t.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)))
  t.equal(got.headers.get('content-length'), String(Buffer.byteLength(got.text)))
})

test('an unknown version is refused with the list of known ones', async (t) => {
  const api = await startTestApi()
  for (const version of ['2026-11-21', 'latest', '', OLDER + ', ' + NEWEST, 'constructor']) {
    const refused = await cardOf(api, { 'svc-version': version })
    t.equal(refused.status, 400, version)
    t.match(refused.body.error, {
      code: 'parameter_invalid',
      param: 'Svc-Version',
      known_versions: [NEWEST, OLDER],
    })
  }
  const nobody = await api.call('GET', '/v1/cards', { headers: { 'svc-version': 'latest' } })
  t.equal(nobody.status, 401, 'who is not known learns nothing')
})

test('a repeat under an Idempotency-Key is answered in the version of the repeat', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const call = (headers: { [name: string]: string }) =>
    api.call('POST', '/v1/cards/' + cardId + '/suspend', {
      key: keys.write,
      headers: { 'idempotency-key': 'once', ...headers },
    })
  const first = await call({})
  const again = await call({ 'svc-version': OLDER })
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal(first.body.terminate_reason, null)
  t.notOk('terminate_reason' in again.body)
  t.match(first.body, again.body)
  t.equal((await call({})).text, first.text)
})

test('version changes apply to resources at any depth, and to nothing else', (t) => {
  const card = { object: 'card', replaces: null, suspend_reason: 'lost', external_id: null }
  const back = { object: 'card', suspend_reason: 'lost', external_id: null }
  t.same(inVersion(card, OLDER), back)
  t.same(inVersion({ data: [card, card], has_more: false }, OLDER), {
    data: [back, back],
    has_more: false,
  })
  t.same(inVersion({ card, replaces: null }, OLDER), { card: back, replaces: null })
  const foreign = { object: 'dispute', replaces: null, metadata: { object: 'card' } }
  t.equal(inVersion(foreign, OLDER), foreign)
  t.equal(inVersion(card, NEWEST), card)
  t.same(inVersion([null, 1, 'card', card], OLDER), [null, 1, 'card', back])
  const odd = JSON.parse('{"__proto__":{"object":"card","replaces":null},"card":null}')
  t.equal(JSON.stringify(inVersion(odd, OLDER)), '{"__proto__":{"object":"card"},"card":null}')
  t.equal(inVersion({ object: 'constructor' }, OLDER).object, 'constructor')
  t.equal(spokenVersion('2031-01-01'), NEWEST, 'a pin of a later release')
  t.end()
})

async function account(api: TestApi): Promise<Answer> {
  return api.call('GET', '/v1/account', { key: api.tenant.keys.read })
}

async function repin(api: TestApi, body: object): Promise<Answer> {
  return callApproved(api, 'PATCH', '/v1/account', { key: api.tenant.keys.admin, body })
}

test('an account shows its pinned version, its grants, and its permissions', async (t) => {
  const api = await startTestApi()
  const { tenantId } = api.tenant
  const plain = await account(api)
  t.match(plain.body, {
    id: tenantId,
    object: 'account',
    created: SEEDED_AT_MS / 1000,
    livemode: false,
    name: 'Test',
    environment: 'sandbox',
    api_version: NEWEST,
    api_versions: [NEWEST, OLDER],
    kyb_status: 'pending',
    status: 'active',
    suspended_by: null,
    suspend_reason: null,
    entitlements: { realtime: false },
    rate_limits: { buckets: { read: 1000, cards_write: 200 }, override: null },
    sandbox_clock: { now: api.clock.nowMs / 1000, offset_ms: 0 },
  })
  t.notMatch(plain.text, api.other.tenantId)
  const until = api.clock.nowMs + 60_000
  await api.sql`update tenants set realtime_entitled = true where id = ${tenantId}`
  await api.sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, 5000)`
  await api.sql`insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${tenantId}, 'sandbox', 3, ${until})`
  t.match((await account(api)).body, {
    entitlements: { realtime: true },
    rate_limits: {
      buckets: { read: 3000, cards_write: 600 },
      override: { factor: 3, expires_at: until / 1000 },
    },
    sandbox_clock: { now: api.clock.nowMs / 1000 + 5, offset_ms: 5000 },
  })
  // The grant ends by our clock, whatever the tenant's says.
  api.clock.nowMs = until - 1
  t.equal((await account(api)).body.rate_limits.override.factor, 3)
  api.clock.nowMs = until
  t.equal((await account(api)).body.rate_limits.override, null)
  const live = await api.call('GET', '/v1/account', { key: api.live.keys.read })
  t.match(live.body, { livemode: true, environment: 'live', sandbox_clock: null })
})

test('an account is pinned back and forward; answers and the engine follow at once', async (t) => {
  const api = await startTestApi()
  const { programId } = api.tenant
  const versionOf = async () =>
    (await api.sql<{ version: number }[]>`select version from programs where id = ${programId}`)[0]!
      .version
  const before = await versionOf()
  const back = await repin(api, { api_version: OLDER })
  t.match(back, { status: 200, body: { api_version: OLDER } })
  t.same(back.body, (await account(api)).body)
  t.equal(await versionOf(), before + 1, 'the fact of the program is another one')
  t.equal((await cardOf(api)).headers.get('svc-version'), OLDER)
  const again = await repin(api, { api_version: OLDER })
  t.equal(again.status, 200)
  t.equal(await versionOf(), before + 1, 'the same pin changes nothing')
  t.equal((await repin(api, { api_version: NEWEST })).body.api_version, NEWEST)
  t.equal((await cardOf(api)).headers.get('svc-version'), NEWEST)
  const other = await api.call('GET', '/v1/account', { key: api.other.keys.read })
  t.equal(other.body.api_version, NEWEST)
})

test('only an admin can pin, and only a released version', async (t) => {
  const api = await startTestApi()
  for (const version of ['2026-11-21', 'latest']) {
    // The refusal comes before any request for approval.
    const body = { api_version: version }
    t.match(await api.call('PATCH', '/v1/account', { key: api.tenant.keys.admin, body }), {
      status: 400,
      body: { error: { param: 'api_version', message: new RegExp(NEWEST + ', ' + OLDER) } },
    })
  }
  t.match((await repin(api, {})).body.error, { code: 'parameter_missing', param: 'api_version' })
  const body = { api_version: OLDER }
  const narrow = await api.call('PATCH', '/v1/account', { key: api.tenant.keys.write, body })
  t.match(narrow.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
  const alone = await api.call('PATCH', '/v1/account', { key: api.tenant.keys.admin, body })
  t.equal(alone.body.error.code, 'factor_required')
  t.equal((await account(api)).body.api_version, NEWEST)
})

test('a card stopped by a fraud rule is announced in the pinned version', async (t) => {
  const api = await startTestApi()
  await pin(api, OLDER)
  const { tenantId, environment, cardId } = api.tenant
  await drain(api.sql, cardSuspensionEntry({ tenantId, environment, cardId }))
  const event = await newestEvent(api)
  t.match(event, { type: 'card.suspended', api_version: OLDER })
  t.same(event.data.card, (await cardOf(api)).body)
  t.notOk('terminate_reason' in event.data.card)
})
