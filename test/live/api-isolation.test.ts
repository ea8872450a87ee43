// Every route, with every kind of foreign id, under every kind of credential: a foreign id gets the
// same answer as an unknown one, and no credential reaches further than it should. New routes are
// included without naming them here.
import { type Test, test } from 'tap'
import type { AnyRoute } from '../../api/http/route.ts'
import { ROUTES } from '../../api/routes.ts'
import { apiKeyHash, KEY_SCOPES, type KeyScope, newApiKey } from '../../shared/api-key.ts'
import { newId } from '../../shared/id.ts'
import { shapeProblem } from '../harness/answer-shape.ts'
import { type Answer, type TestApi, withoutRequestId } from '../harness/api.ts'
import { peerProcessors } from '../harness/billed.ts'
import { furnish, OWN_WORDS, type Things } from '../harness/furnished.ts'
import { startIssuingApi } from '../harness/issuing.ts'
import { seedOperator } from '../harness/operator.ts'
import { file } from '../harness/per-file.ts'
import { callApproved } from '../harness/person.ts'
import { type Schema, Values } from '../harness/schema-values.ts'
import { seedTenant, type TestTenant } from '../harness/tenant.ts'
import { Random } from '../simulation/random.ts'

/** Calls at once; more would only wait in the database's pool. */
const TOGETHER = 12

interface Call {
  route: AnyRoute
  /** Schema of its body; an empty schema if it takes none. */
  form: Schema
  name: string
  method: string
  path: string
  body: { [field: string]: unknown } | null
}

/**
 * Bodies by route, where a handler checks more than the schema before it looks for the resource.
 */
const BODIES: { readonly [route: string]: Call['body'] } = {
  'POST /v1/api_keys': { name: 'A key', role: 'secret', scope: 'read' },
  'POST /v1/cards/:id/activate': { last4: '4242' },
  'POST /v1/cardholders': { program_id: 'prog_nobody', name: 'Ada' },
  'POST /v1/disputes/:id/evidence': { kind: 'other', text: 'A word.' },
  'POST /v1/settlement_accounts': {
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    name: 'Shop',
    mcc: '5411',
    country: 'US',
  },
  'POST /v1/payment_accounts/:id/withdrawals': {
    amount_cents: 100,
    to_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  },
  'POST /v1/webhook_endpoints': { url: 'https://tenant.example/hook' },
  'POST /v1/webhook-endpoints': { url: 'https://tenant.example/hook' },
  'PATCH /v1/webhook_endpoints/:id': { status: 'enabled' },
  'PATCH /v1/webhook-endpoints/:id': { status: 'enabled' },
  'POST /v1/billing/portal_sessions': { return_url: 'https://tenant.example/billing' },
  'POST /v1/account/kyb': {
    legal_name: 'Acme GmbH',
    registration_number: 'HRB 1234',
    country: 'DE',
    address: { line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
    website: 'https://acme.example',
    description: 'Cards for drivers.',
    program: { name: 'Fleet', currency: 'EUR' },
  },
  'PATCH /v1/account': { api_version: '2026-11-20' },
  'POST /operator/v1/operators/:id/link': { email: null },
  'PATCH /operator/v1/operators/:id': { cidrs: [] },
  'POST /operator/v1/tenants/:id/enterprise_plan': {
    environment: 'sandbox',
    quote_id: 'quo_nobody',
  },
  // A longer advance would end the grace of a pending key.
  'POST /v1/sandbox/clock': { advance_seconds: 1 },
}

function bodyFor(route: AnyRoute, name: string): Call['body'] {
  if (route.body === null) return null
  const values = new Values(new Random(1), () => [])
  return BODIES[name] ?? (values.valid(route.body, '', 0) as Call['body'])
}

const CALLS: readonly Call[] = ROUTES.flatMap((route) =>
  route.paths.map((path) => {
    const name = route.method + ' ' + path
    const form: Schema = route.body ?? {}
    return { route, form, name, method: route.method, path, body: bodyFor(route, name) }
  }),
)
const OF_TENANTS = CALLS.filter(({ route }) => route.caller === 'tenant')

const SUMS = { answers: 0 }

/** Makes the call and checks the properties that every answer must have. */
async function call(
  api: TestApi,
  made: Pick<Call, 'method' | 'path' | 'body'>,
  key: string | undefined,
): Promise<Answer> {
  const answer = await api.call(made.method, made.path, {
    ...(key === undefined ? {} : { key }),
    ...(made.body === null ? {} : { body: made.body }),
  })
  SUMS.answers += 1
  const wrong = shapeProblem(answer)
  if (wrong !== null) throw new Error(made.method + ' ' + made.path + ': ' + wrong + answer.text)
  return answer
}

/** Runs the work for each item, a bounded number at once. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const rest = [...items]
  const runner = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: TOGETHER }, runner))
}

/** The path with ids for its parameters, chosen by the segment before each. */
function named(path: string, idOf: (segment: string) => string): string {
  const segments = path.split('/')
  return segments
    .map((part, index) => (part.startsWith(':') ? idOf(segments[index - 1] ?? '') : part))
    .join('/')
}

/** An unused id of the same form. */
function nobodys(api: TestApi, like: string | undefined): string {
  return newId((like ?? 'x_').split('_')[0] ?? 'x', api.clock.nowMs)
}

interface World {
  api: TestApi
  own: Things
  /** Resources of another tenant, and of the same one in the other environment. */
  foreign: { tenant: TestTenant; things: Things }[]
  /** Every id of foreign data. */
  foreignIds: ReadonlySet<string>
}

/** Paths whose ids are furnished in the sandbox only: people are the same in both. */
const SANDBOX_ONLY = /:certification$|^\/v1\/(?:people|invitations)\/:id$/

let made: Promise<World> | null = null

function world(): Promise<World> {
  made ??= makeWorld()
  return made
}

async function makeWorld(): Promise<World> {
  const processors = await peerProcessors(file)
  const api = await startIssuingApi({ billed: { sandbox: true, live: true }, processors })
  const foreign = []
  const twin = await seedTenant(api.sql, 'live', api.tenant.tenantId)
  for (const tenant of [api.other, twin])
    foreign.push({ tenant, things: await furnish(api, tenant) })
  const own = await furnish(api, api.tenant)
  const foreignIds = new Set(foreign.flatMap(({ things }) => [...things.values()]))
  foreignIds.add(api.other.tenantId)
  return { api, own, foreign, foreignIds }
}

test('a foreign id and an unknown one get the same answer in every path', async (t) => {
  const { api, own, foreign } = await world()
  const key = api.tenant.keys.admin
  const swept = OF_TENANTS.filter(({ path }) => path.includes(':'))
  let calls = 0
  await each(swept, async ({ name, method, path, body }) => {
    const ask = (idOf: (segment: string) => string): Promise<Answer> =>
      call(api, { method, path: named(path, idOf), body }, key)
    const unknown = (segment: string): string => nobodys(api, own.get(segment))
    const missing = await ask(unknown)
    if (missing.status === 403) {
      t.equal(missing.body.error.code, 'factor_required', name)
      return
    }
    t.same([missing.status, missing.body.error.code], [404, 'resource_missing'], name)
    const theirs = foreign.flatMap(({ things }) => {
      const their = (segment: string): string => things.get(segment) ?? ''
      const first = (segment: string): string =>
        path.includes('/' + segment + '/:id') ? (own.get(segment) ?? '') : their(segment)
      // A resource inside another one: a foreign one in its own parent, and in ours.
      return path.split(':').length > 2 ? [their, first] : [their]
    })
    const strange = ['%00', 'x'.repeat(256), '%F0%9F%92%B3', '__proto__', "'"]
    for (const idOf of [...theirs, ...strange.map((text) => () => text)]) {
      const answer = await ask(idOf)
      calls += 1
      t.equal(answer.status, 404, name)
      t.equal(withoutRequestId(answer), withoutRequestId(missing), name + ' ' + named(path, idOf))
      t.same(headersOf(answer), headersOf(missing), name)
    }
  })
  t.comment(swept.length + ' routes with an id, ' + calls + ' calls with ids of others')
})

/** All headers except those of one request, and those of a connection that served its last call. */
function headersOf({ headers }: Answer): [string, string][] {
  const own = /^(request-id|date|connection|keep-alive|x-ratelimit-(remaining|reset))$/
  const told: [string, string][] = []
  headers.forEach((value, name) => {
    if (!own.test(name)) told.push([name, value])
  })
  return told
}

test('ids belong to real resources: their owner sees each of them', async (t) => {
  const { api, own, foreign } = await world()
  const reads = OF_TENANTS.filter(({ path, method }) => method === 'GET' && path.includes(':'))
  const owners = [{ tenant: api.tenant, things: own }, ...foreign]
  await each(reads, async ({ name, path, body }) => {
    for (const { tenant, things } of owners) {
      if (SANDBOX_ONLY.test(path) && tenant.environment === 'live') continue
      const missing = path.split('/').find((part, at, all) => {
        return all[at + 1]?.startsWith(':') && !things.has(part)
      })
      t.equal(missing, undefined, name + ': test/harness/furnished.ts makes none')
      const exact = named(path, (segment) => things.get(segment) ?? '')
      const answer = await call(api, { method: 'GET', path: exact, body }, tenant.keys.admin)
      t.ok(answer.status < 300, name + ' of its owner: ' + answer.text)
    }
  })
})

test('an approved call on a foreign resource is refused like one on an unknown one', async (t) => {
  const { api, own, foreign } = await world()
  const key = api.tenant.keys.admin
  const swept = OF_TENANTS.filter(({ path, route }) => path.includes(':') && route.factor !== null)
  t.ok(swept.length > 0)
  for (const { name, method, path, body } of swept) {
    const ask = (idOf: (segment: string) => string): Promise<Answer> =>
      callApproved(api, method, named(path, idOf), { key, ...(body === null ? {} : { body }) })
    const missing = await ask((segment) => nobodys(api, own.get(segment)))
    t.equal(missing.status, 404, name)
    for (const { things } of foreign)
      t.equal(
        withoutRequestId(await ask((segment) => things.get(segment) ?? '')),
        withoutRequestId(missing),
        name,
      )
  }
})

/** Ids that the caller or the network chooses. */
const NO_REFERENCES = new Set(['external_id', 'three_ds_transaction_id'])

test('a foreign id in a body counts as unknown', async (t) => {
  const { api, own, foreign } = await world()
  const key = api.tenant.keys.admin
  const known = (name: string): string[] => {
    const id = own.get(name.replace(/_id$/, 's')) ?? own.get('card_' + name.replace(/_id$/, 's'))
    return id === undefined ? [] : [id]
  }
  let calls = 0
  await each(OF_TENANTS, async ({ route, form, name, method, path }) => {
    if (route.body === null) return
    const fields = Object.keys(form['properties'] ?? {})
    const references = fields.filter(
      (field) => /(_id|^token)$/.test(field) && !NO_REFERENCES.has(field),
    )
    for (const field of references) {
      const values = new Values(new Random(1), known)
      const whole = { ...(values.valid(route.body, '', 0) as object), [field]: '' }
      const exact = named(path, (segment) => own.get(segment) ?? '')
      const ask = (id: string): Promise<Answer> =>
        call(api, { method, path: exact, body: { ...whole, [field]: id } }, key)
      for (const { things } of foreign) {
        for (const id of new Set(things.values())) {
          const [theirs, nobodysOwn] = [await ask(id), await ask(nobodys(api, id))]
          calls += 2
          t.equal(theirs.status, nobodysOwn.status, name + ' ' + field)
          if (theirs.status >= 400)
            t.equal(withoutRequestId(theirs), withoutRequestId(nobodysOwn), name + ' ' + field)
        }
      }
    }
  })
  t.comment(calls + ' calls with ids of others in bodies')
  t.ok(calls > 100)
})

test('no list shows foreign rows, whatever its filter, and no foreign cursor opens it', async (t) => {
  const { api, own, foreign, foreignIds } = await world()
  const key = api.tenant.keys.admin
  const lists = OF_TENANTS.filter(({ route }) => route.method === 'GET')
  let calls = 0
  const shut = (answer: Answer, what: string): void => {
    calls += 1
    const ids = answer.text.match(/\b[a-z]+_[0-9a-z]{26}\b/g) ?? []
    t.same(
      ids.filter((id) => foreignIds.has(id)),
      [],
      what,
    )
  }
  await each(lists, async ({ route, name, method, path }) => {
    const exact = named(path, (segment) => own.get(segment) ?? '')
    const ask = (query: string, by = key, at = exact): Promise<Answer> =>
      call(api, { method, path: at + query, body: null }, by)
    shut(await ask(''), name)
    const query: Schema = route.query
    const filters: { [name: string]: Schema } = query['properties'] ?? {}
    for (const [filter, schema] of Object.entries(filters)) {
      if (schema['type'] !== 'string' || schema['enum'] || schema['format']) continue
      const cursor = /^(starting_after|ending_before)$/.test(filter)
      for (const { tenant, things } of foreign) {
        const theirs = await theirCursor(() =>
          ask(
            '?limit=1',
            tenant.keys.admin,
            named(path, (segment) => things.get(segment) ?? ''),
          ),
        )
        const words = [...new Set(things.values()), tenant.tenantId, OWN_WORDS.external_id]
        const few = [OWN_WORDS.external_id, ...words.slice(0, 2)]
        const tried = cursor ? [...few.slice(1), theirs] : filter.endsWith('_id') ? words : few
        for (const word of tried) {
          const answer = await ask('?' + filter + '=' + encodeURIComponent(word))
          shut(answer, name + ' ' + filter)
          // The requested id may be missing in this list; it is never a foreign one.
          if (filter.endsWith('_id') && word !== OWN_WORDS.external_id && answer.status === 200)
            t.same(answer.body.data ?? [], [], name + ' ' + filter)
        }
      }
    }
  })
  t.comment(lists.length + ' reads, ' + calls + ' calls with words of others')
})

async function theirCursor(list: () => Promise<Answer>): Promise<string> {
  const { body } = await list()
  return body?.next_cursor ?? body?.data?.[0]?.id ?? 'none'
}

interface Credential {
  name: string
  key: string | undefined
  /** The expected refusal of a tenant's route, or the scope that the credential has. */
  tenant: string | KeyScope
  live?: true
  publishable?: true
  operator?: true
}

async function credentials(api: TestApi): Promise<Credential[]> {
  const [tenant, gone] = [api.tenant, await seedTenant(api.sql, 'sandbox')]
  const [operator, formerOperator] = [await seedOperator(api.sql), await seedOperator(api.sql)]
  await api.sql`update operators set state = 'revoked' where hash = ${apiKeyHash(formerOperator)}`
  await api.sql`
    update api_keys set state = 'revoked', revoke_at = null where hash = ${apiKeyHash(gone.keys.admin)}`
  await api.sql`
    update api_keys set state = 'pending', revoke_at = ${api.clock.nowMs + 1e9}
    where hash = ${apiKeyHash(gone.keys.write)}`
  const { keys } = tenant
  const last = keys.admin.at(-1) === 'x' ? 'y' : 'x'
  const scoped = KEY_SCOPES.flatMap((scope): Credential[] => [
    { name: scope, key: keys[scope], tenant: scope },
    { name: 'live ' + scope, key: api.live.keys[scope], tenant: scope, live: true },
  ])
  const invalid = 'invalid_credential'
  return [
    ...scoped,
    { name: 'none', key: undefined, tenant: 'missing_credential' },
    { name: 'garbage', key: 'garbage', tenant: invalid },
    { name: 'a typing error', key: keys.admin.slice(0, -1) + last, tenant: invalid },
    { name: 'unknown', key: newApiKey('secret', 'sandbox'), tenant: invalid },
    { name: 'revoked', key: gone.keys.admin, tenant: 'key_revoked' },
    { name: 'pending', key: gone.keys.write, tenant: 'write' },
    { name: 'publishable', key: keys.publishable, tenant: 'write', publishable: true },
    { name: 'operator', key: operator, tenant: invalid, operator: true },
    { name: 'former operator', key: formerOperator, tenant: invalid },
  ]
}

/** The code of the refusal; null if the call reaches its handler. */
function expected({ route }: Call, credential: Credential): string | null {
  if (route.caller === 'operator') return credential.operator ? null : 'route_not_found'
  const reach = KEY_SCOPES.indexOf(credential.tenant as KeyScope)
  if (reach < 0) return credential.tenant
  if (route.sandboxOnly && credential.live) return 'route_not_found'
  const shut = credential.publishable && !route.publishable
  if (shut || reach < KEY_SCOPES.indexOf(route.scope)) return 'insufficient_scope'
  return route.factor === null ? null : 'factor_required'
}

test('every route admits exactly the credentials it is made for', async (t) => {
  const { api } = await world()
  const held = await credentials(api)
  const nowhere = withoutRequestId(await call(api, at('GET', '/operator/v1/nowhere'), undefined))
  let calls = 0
  await each(CALLS, async (one) => {
    // Unknown ids: an admitted call changes nothing.
    const path = named(one.path, () => newId('x', api.clock.nowMs))
    for (const credential of held) {
      const answer = await call(api, { ...one, path }, credential.key)
      calls += 1
      const said = one.name + ' with ' + credential.name + ': ' + answer.text.slice(0, 200)
      const code = expected(one, credential)
      if (code !== null) t.equal(answer.body.error?.code, code, said)
      if (code === 'route_not_found') t.equal(withoutRequestId(answer), nowhere, said)
      if (code === 'insufficient_scope') t.equal(answer.body.error.required_scope, one.route.scope)
      if (code !== null) continue
      if (one.path.includes(':')) t.equal(answer.body.error.code, 'resource_missing', said)
      else if (one.route.absent && answer.status === 404)
        t.equal(answer.body.error.code, 'resource_missing', said)
      else if (one.method === 'GET') t.equal(answer.status, 200, said)
      // No chain is configured here, so payments are closed.
      else if (answer.status === 503) t.equal(answer.body.error.code, 'chain_not_configured', said)
      else t.ok([200, 201, 400, 404, 409].includes(answer.status), said)
      t.equal(answer.headers.has('svc-key-revokes-at'), credential.name === 'pending', said)
    }
  })
  t.comment(CALLS.length + ' routes × ' + held.length + ' credentials, ' + calls + ' calls')
  t.comment(
    SUMS.answers +
      ' answers had the four limit headers, Request-Id, Svc-Version and the error shape',
  )
})

function at(method: string, path: string): Pick<Call, 'method' | 'path' | 'body'> {
  return { method, path, body: null }
}

test('operator routes are hidden from tenants under every method and body', async (t) => {
  const { api } = await world()
  const key = api.tenant.keys.admin
  const nowhere = await call(api, at('GET', '/operator/v1/nowhere'), key)
  const places = CALLS.filter(({ route }) => route.caller === 'operator')
  await each(places, async ({ path, method }) => {
    const exact = named(path, () => api.tenant.tenantId)
    for (const verb of new Set([method, 'GET', 'POST', 'DELETE', 'PATCH'])) {
      const answer = await call(api, at(verb, exact), key)
      t.equal(withoutRequestId(answer), withoutRequestId(nowhere), verb + ' ' + path)
      t.same(headersOf(answer), headersOf(nowhere), verb + ' ' + path)
    }
  })
})

test('every list takes the filter of its moments', async (t) => {
  const { api, own } = await world()
  const operator = await seedOperator(api.sql)
  const filtered = CALLS.filter(({ route, path }) => {
    const { properties = {} } = route.query as { properties?: object }
    return 'created[gte]' in properties && !(route.caller === 'operator' && path.includes(':'))
  })
  t.ok(filtered.length > 30)
  await each(filtered, async ({ route, method, path, name }) => {
    const key = route.caller === 'operator' ? operator : api.tenant.keys.admin
    const exact = named(path, (segment) => own.get(segment) ?? 'x')
    const answer = await call(api, at(method, exact + '?created%5Bgte%5D=2026-01-01'), key)
    t.equal(answer.status, 200, name)
  })
})

test('a missing or empty body is refused by its schema', async (t) => {
  const { api } = await world()
  const key = api.tenant.keys.admin
  await each(OF_TENANTS, async ({ route, form, name, method, path }) => {
    if (route.body === null) return
    const needed: string[] = form['required'] ?? []
    const exact = named(path, () => newId('x', api.clock.nowMs))
    const answer = await call(api, at(method, exact), key)
    if (needed.length > 0) missingField(t, answer, needed, name)
    else if (form['minProperties'] > 0) t.equal(answer.body.error.code, 'parameter_invalid', name)
    else t.not(answer.body.error?.code, 'parameter_unknown', name)
    const unknown = await call(api, { method, path: exact, body: { no_such_field: 1 } }, key)
    t.match(unknown.body.error, { code: /^parameter_(unknown|missing)$/ }, name)
  })
})

function missingField(t: Test, { body }: Answer, needed: readonly string[], name: string): void {
  t.equal(body.error.code, 'parameter_missing', name)
  t.ok(needed.includes(body.error.param), name)
}
