import { test } from 'tap'
import type { OperatorContext } from '../../../api/context.ts'
import { issueKey } from '../../../api/platform/operators/issue-key.ts'
import { apiKeyHash, newOperatorKey, parseApiKey } from '../../../shared/api-key.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import {
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  unseal,
} from '../../../shared/keyring.ts'
import { type Answer, withoutRequestId } from '../../harness/api.ts'
import { type Installation, openInstallation, runOperator } from '../../harness/installation.ts'
import { seedPerson, seedSafeOwner } from '../../harness/person.ts'
import { openTestDatabase } from '../../harness/postgres.ts'

type Body = Answer['body']

const ACME = { name: 'Acme', legal_name: 'Acme GmbH', country: 'DE' }
const REGULATOR = { suspended_by: 'regulator', reason: 'Order 17' }

async function newTenant(api: Installation): Promise<Body> {
  const made = await api.operate('POST', '/tenants', ACME)
  return made.body
}

async function keyOf(api: Installation, tenantId: string, environment: string): Promise<string> {
  if (environment === 'live') await seedSafeOwner(api.sql, tenantId)
  const issued = await api.operate('POST', '/tenants/' + tenantId + '/api_keys', { environment })
  return issued.body.secret
}

async function eventsAbout(api: Installation, key: string, id: string): Promise<Body[]> {
  return (await api.call('GET', '/v1/events?resource_id=' + id, { key })).body.data
}

test('an operator creates a tenant, which begins empty in both environments', async (t) => {
  const api = await openInstallation()
  const made = await api.operate('POST', '/tenants', ACME)
  t.equal(made.status, 201, made.text)
  t.match(made.body, {
    id: /^ten_[0-9a-z]{26}$/,
    object: 'tenant',
    ...ACME,
    api_version: API_VERSION,
    kyb_status: 'pending',
    kyb_reason: null,
    kyb_decided_at: null,
    status: 'active',
    suspended_by: null,
    suspend_reason: null,
    suspended_at: null,
    realtime_entitled: false,
    rate_limit_overrides: [],
  })
  const { id } = made.body
  t.same((await api.operate('GET', '/tenants/' + id)).body, made.body)
  t.same((await api.operate('GET', '/tenants?limit=1')).body.data, [made.body])
  t.same((await api.operate('GET', '/tenants?limit=1&status=suspended')).body.data, [])
  const counters = await api.sql`
    select environment, event_seq from tenant_sequences where tenant_id = ${id} order by 1`
  t.same(
    counters.map((row) => ({ ...row })),
    [
      { environment: 'live', event_seq: 0 },
      { environment: 'sandbox', event_seq: 0 },
    ],
  )
  const older = await api.operate('POST', '/tenants', { ...ACME, api_version: '2026-11-20' })
  t.equal(older.body.api_version, '2026-11-20')
})

test('an invalid operator call is refused by field', async (t) => {
  const api = await openInstallation()
  const { id } = await newTenant(api)
  const table: [string, string, unknown, number, string, string | null][] = [
    ['POST', '/tenants', {}, 400, 'parameter_missing', 'name'],
    ['POST', '/tenants', { ...ACME, country: 'ZZ' }, 400, 'parameter_invalid', 'country'],
    ['POST', '/tenants', { ...ACME, country: 'de' }, 400, 'parameter_invalid', 'country'],
    [
      'POST',
      '/tenants',
      { ...ACME, api_version: '2020-01-01' },
      400,
      'parameter_invalid',
      'api_version',
    ],
    [
      'POST',
      '/tenants',
      { ...ACME, kyb_status: 'approved' },
      400,
      'parameter_unknown',
      'kyb_status',
    ],
    ['POST', '/tenants/' + id + '/kyb/reject', {}, 400, 'parameter_missing', 'reason'],
    [
      'POST',
      '/tenants/' + id + '/suspend',
      { reason: 'x' },
      400,
      'parameter_missing',
      'suspended_by',
    ],
    [
      'POST',
      '/tenants/' + id + '/suspend',
      { suspended_by: 'tenant', reason: 'x' },
      400,
      'parameter_invalid',
      'suspended_by',
    ],
    [
      'PUT',
      '/tenants/' + id + '/rate_limit',
      { factor: 1001, seconds: 1 },
      400,
      'parameter_invalid',
      'factor',
    ],
    [
      'PUT',
      '/tenants/' + id + '/rate_limit',
      { factor: 2, seconds: 30 * 24 * 3600 + 1 },
      400,
      'parameter_invalid',
      'seconds',
    ],
    ['POST', '/tenants/ten_none/kyb/approve', {}, 404, 'resource_missing', null],
    ['POST', '/tenants/ten_none/suspend', REGULATOR, 404, 'resource_missing', null],
    ['POST', '/tenants/ten_none/api_keys', { environment: 'live' }, 404, 'resource_missing', null],
    ['GET', '/tenants/ten_none', undefined, 404, 'resource_missing', null],
    ['POST', '/programs/prog_none/activate', undefined, 404, 'resource_missing', null],
    ['POST', '/operators/op_none/revoke', undefined, 404, 'resource_missing', null],
  ]
  for (const [method, path, body, status, code, param] of table) {
    const answer = await api.operate(method, path, body)
    t.same(
      [answer.status, answer.body.error?.code, answer.body.error?.param],
      [status, code, param],
      method + ' ' + path + ' ' + JSON.stringify(body),
    )
  }
})

test('a sandbox installation issues no live key', async (t) => {
  const invocation = {
    tenantId: 'ten_1',
    environment: 'live',
    scope: 'admin',
    name: 'Ops',
  } as const
  const refused = { code: 'parameter_invalid', detail: { param: 'environment' } }
  await t.rejects(issueKey({} as OperatorContext, invocation, { installation: 'sandbox' }), refused)
})

test('an approved KYB permits live keys and the activation of programs', async (t) => {
  const api = await openInstallation()
  const { id } = await newTenant(api)
  const path = '/tenants/' + id
  const sandboxKey = await keyOf(api, id, 'sandbox')
  t.same(parseApiKey(sandboxKey), { role: 'secret', environment: 'sandbox' })
  t.equal((await api.call('GET', '/v1/programs', { key: sandboxKey })).status, 200)

  const early = await api.operate('POST', path + '/api_keys', { environment: 'live' })
  t.equal(early.status, 403)
  t.match(early.body.error, { code: 'kyb_not_approved', current_status: 'pending' })

  const rejected = await api.operate('POST', path + '/kyb/reject', { reason: 'No register entry' })
  t.match(rejected.body, { kyb_status: 'rejected', kyb_reason: 'No register entry' })
  t.type(rejected.body.kyb_decided_at, 'number')
  t.same((await api.operate('GET', '/tenants?kyb_status=rejected&limit=1')).body.data, [
    rejected.body,
  ])
  const approved = await api.operate('POST', path + '/kyb/approve', {})
  t.match(approved.body, { kyb_status: 'approved', kyb_reason: null })
  const back = await api.operate('POST', path + '/kyb/reject', { reason: 'Changed my mind' })
  t.equal(back.status, 409)
  t.match(back.body.error, {
    code: 'invalid_state',
    current_status: 'approved',
    allowed_from: ['pending'],
  })

  const live = { environment: 'live', name: 'Ops' }
  const issue = () => api.operate('POST', path + '/api_keys', live)
  t.match((await issue()).body.error, { code: 'second_way_missing' }, 'the tenant has no owner')
  await seedPerson(api.sql, id)
  t.match((await issue()).body.error, { code: 'second_way_missing' }, 'one device may be lost')
  await seedSafeOwner(api.sql, id)
  const issued = await issue()
  t.equal(issued.status, 201, issued.text)
  const { secret, ...shown } = issued.body
  t.match(shown, {
    object: 'api_key',
    livemode: true,
    environment: 'live',
    scope: 'admin',
    role: 'secret',
    name: 'Ops',
  })
  const [created, ...others] = await eventsAbout(api, secret, shown.id)
  t.match(created, { type: 'api_key.created', data: { api_key: shown } })
  t.same(others, [])
  t.notMatch(JSON.stringify(created), secret)
})

test('a program is pending in live, active in the sandbox, and moved by operators only', async (t) => {
  const api = await openInstallation()
  const { id } = await newTenant(api)
  const sandboxKey = await keyOf(api, id, 'sandbox')
  const body = { name: 'Fuel', time_zone: 'Europe/Berlin', currency: 'EUR', external_id: 'p-1' }
  const played = await api.call('POST', '/v1/programs', { key: sandboxKey, body })
  t.equal(played.status, 201, played.text)
  t.match(played.body, { ...body, status: 'active', metadata: {}, suspended_by: null })
  t.match(await eventsAbout(api, sandboxKey, played.body.id), [
    { type: 'program.activated', data: { program: played.body } },
  ])

  await api.operate('POST', '/tenants/' + id + '/kyb/approve', {})
  const key = await keyOf(api, id, 'live')
  const made = await api.call('POST', '/v1/programs', { key, body: { name: 'Fuel' } })
  t.match(made.body, { status: 'pending', currency: null, time_zone: 'UTC', livemode: true })
  const path = '/programs/' + made.body.id
  const get = async (): Promise<Body> => (await api.call('GET', '/v1' + path, { key })).body
  t.same(await eventsAbout(api, key, made.body.id), [])
  t.same((await api.operate('GET', '/programs?status=pending&tenant_id=' + id)).body.data, [
    { ...made.body, tenant_id: id },
  ])

  const rejected = await api.operate('POST', path + '/reject', { reason: 'Fuel is not ours' })
  t.match(rejected.body, { status: 'rejected', reject_reason: 'Fuel is not ours', tenant_id: id })
  const wrong = await api.operate('POST', path + '/suspend', REGULATOR)
  t.match(wrong.body.error, { code: 'invalid_state', current_status: 'rejected' })
  t.same((await api.operate('GET', '/programs?status=rejected&limit=1')).body.data, [rejected.body])
  t.same((await api.operate('GET', '/programs?status=pending&tenant_id=' + id)).body.data, [])

  const shownAt: Body[] = []
  for (const [verb, sent, expected] of [
    ['activate', undefined, { status: 'active', reject_reason: null }],
    [
      'suspend',
      REGULATOR,
      { status: 'suspended', suspended_by: 'regulator', suspend_reason: 'Order 17' },
    ],
    ['resume', undefined, { status: 'active', suspended_by: null, suspend_reason: null }],
  ] as const) {
    api.engine.asked.length = 0
    const moved = await api.operate('POST', path + '/' + verb, sent)
    t.equal(moved.status, 200, moved.text)
    t.match(moved.body, expected, verb)
    t.equal(api.engine.asked.length, 1, 'the engine has it before the answer')
    shownAt.push(await get())
    const again = await api.operate('POST', path + '/' + verb, sent)
    t.same(again.body, moved.body, 'a repeat changes nothing')
  }
  const events = (await eventsAbout(api, key, made.body.id)).reverse()
  t.same(
    events.map(({ type, data }) => [type, data.program]),
    ['program.activated', 'program.suspended', 'program.resumed'].map((type, index) => [
      type,
      shownAt[index],
    ]),
    'each event shows what GET showed',
  )
  for (const verb of ['activate', 'resume', 'suspend']) {
    const own = await api.call('POST', '/v1' + path + '/' + verb, { key, body: {} })
    t.equal(own.status, 404, 'the tenant has no such call')
  }
})

test('a program takes a tenant’s own metadata and settings', async (t) => {
  const api = await openInstallation()
  const key = api.tenant.keys.admin
  const create = (body: unknown, as = key) => api.call('POST', '/v1/programs', { key: as, body })
  const first = await create({ name: 'One', external_id: 'one', metadata: { team: 'a' } })
  const taken = await create({ name: 'Two', external_id: 'one' })
  t.equal(taken.status, 409)
  t.match(taken.body.error, {
    code: 'already_exists',
    param: 'external_id',
    resource_id: first.body.id,
  })
  t.equal((await create({ name: 'Two', external_id: 'one' }, api.other.keys.admin)).status, 201)
  const settings = { stand_in: 'decline', fx_margin_bps: 20, hold_expiry: [] }
  t.match((await create({ name: 'Three', ...settings })).body, settings)
  const changed = await api.call('PATCH', '/v1/programs/' + first.body.id, {
    key,
    body: { name: 'Uno', metadata: { team: null, cost: '7' }, external_id: null },
  })
  t.match(changed.body, { name: 'Uno', external_id: null })
  t.same(changed.body.metadata, { cost: '7' })
  for (const [body, code, param] of [
    [{}, 'parameter_missing', 'name'],
    [{ name: 'x', currency: 'XXX' }, 'parameter_invalid', 'currency'],
    [{ name: 'x', time_zone: 'Mars/Olympus' }, 'parameter_invalid', 'time_zone'],
    [{ name: 'x', realtime: true }, 'feature_not_enabled', 'realtime'],
    [{ name: 'x', status: 'active' }, 'parameter_unknown', 'status'],
  ] as const) {
    t.match((await create(body)).body.error, { code, param }, JSON.stringify(body))
  }
  const narrow = await create({ name: 'x' }, api.tenant.keys.write)
  t.match(narrow.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
})

test('no card is issued in an inactive program', async (t) => {
  const api = await openInstallation()
  const { keys, programId } = api.tenant
  await api.operate('POST', '/programs/' + programId + '/suspend', REGULATOR)
  const body = { program_id: programId, type: 'individual', first_name: 'Ada', last_name: 'L' }
  const refused = await api.call('POST', '/v1/cardholders', { key: keys.write, body })
  t.equal(refused.status, 403, refused.text)
  t.match(refused.body.error, {
    code: 'program_not_active',
    param: 'program_id',
    current_status: 'suspended',
  })
})

test('a suspended tenant suspends its programs, and resumes those without another reason', async (t) => {
  const api = await openInstallation()
  const { tenantId, keys, programId } = api.tenant
  const key = keys.admin
  const create = () => api.call('POST', '/v1/programs', { key, body: { name: 'Another' } })
  const alone = (await create()).body.id
  const later = (await create()).body.id
  await api.operate('POST', '/programs/' + alone + '/suspend', REGULATOR)
  const risk = { suspended_by: 'provider_risk', reason: 'Unusual losses' }
  const suspended = await api.operate('POST', '/tenants/' + tenantId + '/suspend', risk)
  t.match(suspended.body, {
    status: 'suspended',
    suspended_by: 'provider_risk',
    suspend_reason: 'Unusual losses',
  })
  t.same(
    (await api.operate('POST', '/tenants/' + tenantId + '/suspend', REGULATOR)).body,
    suspended.body,
  )

  const statuses = async (): Promise<string[]> => {
    const programs = [programId, alone, later].map((id) =>
      api.call('GET', '/v1/programs/' + id, { key }),
    )
    return (await Promise.all(programs)).map(({ body }) => body.status + ' ' + body.suspended_by)
  }
  t.same(await statuses(), [
    'suspended provider_risk',
    'suspended regulator',
    'suspended provider_risk',
  ])
  t.match((await create()).body.error, { code: 'account_suspended' })
  t.match((await api.operate('POST', '/programs/' + later + '/resume')).body.error, {
    code: 'account_suspended',
  })
  const issue = { environment: 'sandbox' }
  t.match((await api.operate('POST', '/tenants/' + tenantId + '/api_keys', issue)).body.error, {
    code: 'account_suspended',
  })
  const frozen = await api.call('POST', '/v1/cardholders/' + api.tenant.cardholderId + '/freeze', {
    key,
  })
  t.equal(frozen.status, 200, 'what tightens stays open')

  t.match((await api.operate('POST', '/programs/' + later + '/suspend', REGULATOR)).body, {
    suspended_by: 'regulator',
  })
  const resumed = await api.operate('POST', '/tenants/' + tenantId + '/resume')
  t.match(resumed.body, { status: 'active', suspended_by: null, suspended_at: null })
  t.same(await statuses(), ['active null', 'suspended regulator', 'suspended regulator'])
  const types = (await eventsAbout(api, key, programId)).map(({ type }) => type)
  t.same(types, ['program.resumed', 'program.suspended'])
  t.equal((await api.operate('GET', '/tenants/' + api.other.tenantId)).body.status, 'active')
})

test('grants permit real time, and wider rates of a sandbox until they expire', async (t) => {
  const api = await openInstallation()
  const { tenantId, programId, keys } = api.tenant
  const path = '/tenants/' + tenantId
  const optIn = () =>
    api.call('PATCH', '/v1/programs/' + programId, { key: keys.admin, body: { realtime: true } })
  t.match((await optIn()).body.error, { code: 'feature_not_enabled' })
  api.engine.asked.length = 0
  const granted = await api.operate('PUT', path + '/realtime', { entitled: true })
  t.equal(granted.body.realtime_entitled, true)
  t.equal(api.engine.asked.length, 1)
  t.equal((await optIn()).status, 200)
  t.equal(
    (await api.operate('PUT', path + '/realtime', { entitled: false })).body.realtime_entitled,
    false,
  )

  const limit = async (): Promise<string | null> =>
    (await api.call('GET', '/v1/programs', { key: keys.read })).headers.get('x-ratelimit-limit')
  t.equal(await limit(), '1000')
  const lifted = await api.operate('PUT', path + '/rate_limit', { factor: 5, seconds: 60 })
  const expiresAt = Math.floor(api.clock.nowMs / 1000) + 60
  t.same(lifted.body.rate_limit_overrides, [
    { environment: 'sandbox', factor: 5, expires_at: expiresAt },
  ])
  t.equal(await limit(), '5000')
  api.clock.nowMs += 60_000
  t.equal(await limit(), '1000')
  t.same((await api.operate('GET', path)).body.rate_limit_overrides, [])
  await api.operate('PUT', path + '/rate_limit', { factor: 3, seconds: 60 })
  t.equal(await limit(), '3000')
  t.same((await api.operate('DELETE', path + '/rate_limit')).body.rate_limit_overrides, [])
  t.equal(await limit(), '1000')
})

test('operators create and disable each other', async (t) => {
  const api = await openInstallation()
  const made = await api.operate('POST', '/operators', { name: 'Second' })
  t.equal(made.status, 201)
  const { secret, ...second } = made.body
  t.match(second, { object: 'operator', name: 'Second', status: 'active', last4: secret.slice(-4) })
  const asSecond = (method: string, path: string) =>
    api.call(method, '/operator/v1' + path, { key: secret })
  const listed = await asSecond('GET', '/operators?limit=1')
  t.same(listed.body.data, [second], 'and shows no secret')
  const self = await asSecond('POST', '/operators/' + second.id + '/revoke')
  t.match(self.body.error, { code: 'parameter_invalid', param: 'id' })
  const revoked = await api.operate('POST', '/operators/' + second.id + '/revoke')
  t.same(revoked.body, { ...second, status: 'revoked' })
  t.equal((await asSecond('GET', '/operators')).status, 404)
  const rows = await api.sql`select hash from operators where id = ${second.id}`
  t.notOk(rows.some((row) => row['hash'].toString().includes(secret)))
})

test('operator routes do not exist for other callers', async (t) => {
  const api = await openInstallation()
  const { tenantId, programId, keys } = api.tenant
  const nowhere = await api.call('GET', '/operator/v1/nothing', { key: keys.admin })
  t.equal(nowhere.status, 404)
  const calls: [string, string][] = [
    ['GET', '/tenants'],
    ['POST', '/tenants'],
    ['GET', '/tenants/' + tenantId],
    ['POST', '/tenants/' + tenantId + '/kyb/approve'],
    ['POST', '/tenants/' + tenantId + '/suspend'],
    ['POST', '/tenants/' + tenantId + '/resume'],
    ['POST', '/tenants/' + tenantId + '/api_keys'],
    ['PUT', '/tenants/' + tenantId + '/realtime'],
    ['DELETE', '/tenants/' + tenantId + '/rate_limit'],
    ['GET', '/programs'],
    ['POST', '/programs/' + programId + '/activate'],
    ['POST', '/programs/' + programId + '/resume'],
    ['GET', '/operators'],
    ['POST', '/operators'],
    ['DELETE', '/operators'],
  ]
  for (const [method, path] of calls) {
    for (const key of [keys.admin, api.live.keys.admin, keys.publishable, undefined]) {
      const answer = await api.call(method, '/operator/v1' + path, {
        ...(key !== undefined && { key }),
        ...(method === 'POST' && { body: REGULATOR }),
      })
      t.equal(answer.status, 404, method + ' ' + path)
      t.equal(withoutRequestId(answer), withoutRequestId(nowhere))
    }
  }
  const asOperator = await api.call('GET', '/v1/programs', { key: api.operator })
  t.match(asOperator.body.error, { code: 'invalid_credential' }, 'and an operator is no tenant')
})

test('an operator’s action stands in the log of the tenant it concerns', async (t) => {
  const api = await openInstallation()
  const { tenantId, programId, keys } = api.tenant
  const operatorId = (await api.operate('GET', '/operators?limit=1')).body.data[0].id
  await api.operate('POST', '/programs/' + programId + '/suspend', REGULATOR)
  await api.operate('POST', '/programs/' + programId + '/suspend', REGULATOR)
  await api.operate('POST', '/tenants/' + tenantId + '/kyb/approve', {})
  await keyOf(api, tenantId, 'live')
  const log = await api.call('GET', '/v1/audit_log', { key: keys.admin })
  t.match(log.body.data, [
    {
      actor: { type: 'operator', id: operatorId },
      action: 'POST /operator/v1/programs/:id/suspend',
      resource_id: programId,
      address: null,
    },
  ])
  t.equal(log.body.data.length, 1, 'what changed nothing tells nothing')
  const whole = await api.sql`
    select action from audit_log where tenant_id = ${tenantId} and environment = 'live' order by seq`
  t.same(
    whole.map((row) => row['action']),
    ['POST /operator/v1/tenants/:id/kyb/approve', 'POST /operator/v1/tenants/:id/api_keys'],
  )
  const own = await api.sql`
    select count(*) as calls from audit_log
    where tenant_id = 'installation' and actor_id = ${operatorId}`
  t.equal(own[0]?.['calls'], 4, 'and in the operators’ own')
})

test('the command line creates a tenant, moves it, and explains errors in a sentence', async (t) => {
  const api = await openInstallation()
  const SVC_DATA_DIR = t.testdir()
  const base = { SVC_DATA_DIR, SVC_API_PORT: String(api.port) }
  const settings = { ...base, SVC_OPERATOR_KEY: api.operator }
  const named = ['--name', 'Acme', '--legal-name', 'Acme GmbH', '--country', 'DE']
  const made = await runOperator(settings, 'tenants', 'create', ...named, '--json')
  t.equal(made.code, 0, made.problem)
  const { id } = JSON.parse(made.out)
  t.same((await api.operate('GET', '/tenants/' + id)).body, JSON.parse(made.out))
  const [approved, listed, key, help, wrongs] = await Promise.all([
    runOperator(settings, 'tenants', 'kyb', 'approve', id),
    runOperator(settings, 'tenants', 'list'),
    runOperator(settings, 'keys', 'issue', id, '--environment', 'sandbox'),
    runOperator(base, '--help'),
    Promise.all([
      runOperator(settings, 'tenants', 'suspend', id, '--reason', 'x'),
      runOperator(settings, 'tenants', 'resume'),
      runOperator(settings, 'tenants', 'sell', id),
      runOperator(settings, 'grant', 'rate-limit', id, '--factor', 'two', '--seconds', '1'),
      runOperator(settings, 'programs', 'activate', 'prog_none'),
      runOperator(base, 'tenants', 'list'),
      runOperator({ ...base, SVC_OPERATOR_KEY: newOperatorKey() }, 'tenants', 'list'),
      runOperator({ ...base, SVC_OPERATOR_KEY: api.tenant.keys.admin }, 'tenants', 'list'),
      runOperator(settings, 'tenants', 'list', '--api', 'http://127.0.0.1:1'),
    ]),
  ])
  t.match(approved.out, /^kyb_status +approved$/m)
  t.match(listed.out, /^ID +NAME +COUNTRY /)
  t.match(listed.out, new RegExp('^' + id + ' +Acme +DE ', 'm'))
  t.match(key.out, /shown this once:\nsvc_sk_sandbox_\w{49}\n$/)
  t.match(help.out, /programs suspend PROGRAM --suspended-by … --reason …/)
  t.same(
    wrongs.map(({ code }) => code),
    wrongs.map(() => 1),
  )
  for (const [index, sentence] of [
    /^tenants suspend needs --suspended-by: regulator, sponsor_bank or provider_risk\.\n$/,
    /^Give exactly one TENANT: /,
    /^There is no command "tenants sell/,
    /^--factor must be a whole number\.\n$/,
    /^resource_missing: /,
    /^Set SVC_OPERATOR_KEY /,
    /^The API does not know this operator/,
    /^SVC_OPERATOR_KEY must be the credential of an operator/,
    /^http:\/\/127\.0\.0\.1:1 does not answer: /,
  ].entries()) {
    t.match(wrongs[index]?.problem, sentence)
    t.equal(wrongs[index]?.out, '')
  }
})

test('the first operator is created in the database, once', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const settings = { SVC_DATA_DIR: t.testdir(), DATABASE_URL: url }
  const first = await runOperator(settings, 'bootstrap', '--name', 'Ada', '--json')
  t.equal(first.code, 0, first.problem)
  const { secret, name } = JSON.parse(first.out)
  t.same([parseApiKey(secret)?.role, name], ['operator', 'Ada'])
  t.same(
    [...(await sql`select hash from operators`)].map(({ hash }) => hash),
    [apiKeyHash(secret)],
  )
  const second = await runOperator(settings, 'bootstrap')
  t.match(second, { code: 1, problem: /^There is an operator already/ })
  const beside = await runOperator(settings, 'bootstrap', '--second', '--json')
  t.match(JSON.parse(beside.out), { name: 'Second operator', status: 'active' }, beside.problem)
  const third = await runOperator(settings, 'bootstrap', '--second')
  t.match(third, { code: 1, problem: /--second is for an installation with one operator/ })
  await sql`update operators set expires_at = 1 where name = 'Second operator'`
  t.equal((await runOperator(settings, 'bootstrap')).code, 1)
  const another = await runOperator(settings, 'bootstrap', '--second')
  t.equal(another.code, 0, 'an expired operator does not count: ' + another.problem)
  t.equal((await runOperator(settings, 'bootstrap', '--lost')).code, 0)
  await sql`update operators set expires_at = 1`
  const anew = await runOperator(settings, 'bootstrap')
  t.equal(anew.code, 0, 'the credentials of all have ended: ' + anew.problem)
  t.equal((await sql`select 1 from operators`).length, 5)
})

test('a network gets its key in the database, with the root of all keys', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const masterKey = newMasterKeyText()
  const settings = {
    ...{ SVC_DATA_DIR: t.testdir(), DATABASE_URL: url },
    ...{ SVC_MASTER_KEY: masterKey, SVC_ENVIRONMENT: 'live' },
  }
  const issue = (...words: string[]) => runOperator(settings, 'network-keys', 'issue', ...words)
  const first = await issue('--network', 'acquirer-1', '--environment', 'live', '--json')
  t.equal(first.code, 0, first.problem)
  const { id, secret } = JSON.parse(first.out)
  const keys = parseMasterKeys(masterKey, true)
  if (!keys.ok) throw new Error(keys.error)
  const [row] = await sql`select network, environment, sealed_secret from network_keys`
  t.match({ ...row }, { network: 'acquirer-1', environment: 'live' })
  const opened = unseal(keys.value, SEAL_CONTEXTS.networkSecret, row?.['sealed_secret'])
  t.equal(opened.ok && opened.value.toString(), secret)
  t.match(id, /^nkey_[0-9a-z]{26}$/)
  const [root] = await sql`select sealed from derivation_root`
  t.ok(unseal(keys.value, SEAL_CONTEXTS.root, root?.['sealed']).ok)
  const second = await issue('--network', 'acquirer-1', '--environment', 'live')
  t.match(second, { code: 0, out: /shown this once:\nnsec_/ })
  t.same([...(await sql`select sealed from derivation_root`)], [{ ...root }], 'the root stays')
  const refused = [
    await issue('--network', 'acquirer-1', '--environment', 'sandbox'),
    await issue('--network', 'Acquirer 1', '--environment', 'live'),
    await issue('--network', 'payments', '--environment', 'live'),
    await issue('--network', 'acquirer-2', '--environment', 'test'),
    await issue('--network', 'acquirer-2'),
    await runOperator(
      { ...settings, SVC_ENVIRONMENT: 'sandbox' },
      ...['network-keys', 'issue', '--network', 'acquirer-2', '--environment', 'live'],
    ),
    await runOperator(
      { ...settings, SVC_MASTER_KEY: newMasterKeyText() },
      ...['network-keys', 'issue', '--network', 'acquirer-2', '--environment', 'live'],
    ),
  ]
  for (const [index, sentence] of [
    /one of the other environment/,
    /--network must be a name/,
    /ours alone/,
    /--environment must be sandbox or live/,
    /needs --network and --environment/,
    /serves no live network/,
    /The master key does not open this database/,
  ].entries())
    t.match(refused[index], { code: 1, problem: sentence, out: '' })
  t.equal((await sql`select 1 from network_keys`).length, 2)
})
