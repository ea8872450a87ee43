// Calls of operators that make credentials or reset factors need a second operator; credentials of
// operators have an end and addresses.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { purgeOperatorApprovals } from '../../../api/platform/operator-approvals/index.ts'
import { unlinkOperators } from '../../../api/platform/operators/index.ts'
import { ROUTES } from '../../../api/routes.ts'
import { apiKeyHash } from '../../../shared/api-key.ts'
import { type Answer, startTestApi } from '../../harness/api.ts'
import { type Installation, openInstallation, runOperator } from '../../harness/installation.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { seedPerson } from '../../harness/person.ts'

const DAY_MS = 86_400_000

/** An installation whose calls need two operators, and both of them. */
async function open() {
  await startTestApi({ twoOperators: true })
  const api = await openInstallation()
  const second = await seedOperator(api.sql)
  // The tests share an installation: each begins without persons of operators.
  await tx(api.sql, unlinkOperators)
  const by =
    (key: string) =>
    (method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}) =>
      api.call(method, '/operator/v1' + path, {
        key,
        headers,
        ...(body !== undefined && { body }),
      })
  return { api, first: by(api.operator), other: by(second), second }
}

async function idOf({ sql }: Pick<Installation, 'sql'>, key: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from operators where hash = ${apiKeyHash(key)}`
  return row?.id ?? ''
}

const waits = (answer: Answer): string => {
  if (answer.body?.error?.code !== 'second_operator_required') throw new Error(answer.text)
  return answer.body.error.resource_id
}

test('a key for a tenant is made once, after another operator approved exactly that call', async (t) => {
  const { api, first, other, second } = await open()
  const path = '/tenants/' + api.tenant.tenantId + '/api_keys'
  const body = { environment: 'sandbox', scope: 'read', name: 'Ledger' }
  const asked = await first('POST', path, body)
  t.equal(asked.status, 403, asked.text)
  t.match(asked.body.error.challenge_url, /\/operator\/approvals$/)
  const id = waits(asked)
  t.equal(waits(await first('POST', path, body)), id, 'the same call waits with the same request')

  const own = await first('POST', '/operator_approvals/' + id + '/approve')
  t.equal(own.status, 400, own.text)
  const shown = await other('GET', '/operator_approvals/' + id)
  t.match(shown.body, {
    object: 'operator_approval',
    status: 'pending',
    operator_id: await idOf(api, api.operator),
    operation: 'Give a tenant a secret key.',
    method: 'POST',
    path: '/operator/v1' + path,
    fields: [
      { name: 'environment', value: 'sandbox' },
      { name: 'scope', value: 'read' },
      { name: 'name', value: 'Ledger' },
    ],
    decided_by: null,
  })
  const approved = await other('POST', '/operator_approvals/' + id + '/approve')
  t.match(approved.body, { status: 'approved', decided_by: await idOf(api, second) }, approved.text)
  t.same((await other('POST', '/operator_approvals/' + id + '/approve')).body, approved.body)

  t.not(waits(await first('POST', path, { ...body, scope: 'admin' })), id, 'another call waits')
  t.not(waits(await other('POST', path, body)), id, 'the approval is of one operator')
  const headers = { 'idempotency-key': 'approved-once' }
  const made = await first('POST', path, body, headers)
  t.equal(made.status, 201, made.text)
  t.match(made.body, { scope: 'read', name: 'Ledger', secret: /^svc_/ })
  const repeated = await first('POST', path, body, headers)
  t.equal(repeated.text, made.text, 'a repeat under its key needs no other approval')
  t.not(waits(await first('POST', path, body)), id, 'an approval is used once')
  t.match((await first('GET', '/operator_approvals/' + id)).body, { status: 'used' })

  const [row] = await api.sql`
    select approved_by from audit_log where resource_id = ${made.body.id} and approved_by is not null`
  t.equal(row?.['approved_by'], await idOf(api, second))
})

test('an approval does nothing once it is denied, its day is over or its operator is revoked', async (t) => {
  const { api, first, other, second } = await open()
  const path = '/tenants/' + api.tenant.tenantId + '/people'
  const body = { email: 'ada@approvals.example', name: 'Ada' }
  const denied = waits(await first('POST', path, body))
  t.equal((await other('POST', '/operator_approvals/' + denied + '/deny')).body.status, 'denied')
  const refused = await other('POST', '/operator_approvals/' + denied + '/approve')
  t.match(refused.body.error, { code: 'invalid_state', current_status: 'denied' })

  const late = waits(await first('POST', path, body))
  t.not(late, denied)
  await other('POST', '/operator_approvals/' + late + '/approve')
  api.clock.nowMs += DAY_MS
  const ended = waits(await first('POST', path, body))
  t.not(ended, late)
  t.equal((await other('GET', '/operator_approvals/' + late)).body.status, 'expired')

  await other('POST', '/operator_approvals/' + ended + '/approve')
  const end = (at: number | null) =>
    api.sql`update operators set expires_at = ${at} where hash = ${apiKeyHash(second)}`
  await end(api.clock.nowMs)
  t.not(waits(await first('POST', path, body)), ended, 'the credential of the approver has ended')
  await end(null)
  await api.sql`update operators set state = 'revoked' where hash = ${apiKeyHash(second)}`
  t.not(waits(await first('POST', path, body)), ended)
  const [person] = await api.sql`select 1 from identities where email = ${body.email}`
  t.equal(person, undefined)

  await runJob(purgeOperatorApprovals, { sql: api.sql, now: api.clock.nowMs + 31 * DAY_MS })
  t.equal((await first('GET', '/operator_approvals/' + ended)).status, 404)
})

test('an approval can be taken back until a call has used it', async (t) => {
  const { api, first, other } = await open()
  const path = '/tenants/' + api.tenant.tenantId + '/api_keys'
  const body = { environment: 'sandbox', name: 'Taken back' }
  const decide = (id: string, verb: string) =>
    other('POST', '/operator_approvals/' + id + '/' + verb)
  const back = waits(await first('POST', path, body))
  t.equal((await decide(back, 'approve')).body.status, 'approved')
  const own = await first('POST', '/operator_approvals/' + back + '/deny')
  t.equal(own.status, 400, own.text)
  const denied = await decide(back, 'deny')
  t.equal(denied.body.status, 'denied', denied.text)
  const again = waits(await first('POST', path, body))
  t.not(again, back)
  await decide(again, 'approve')
  const made = await first('POST', path, body)
  t.equal(made.status, 201, made.text)
  const late = await decide(again, 'deny')
  t.match(late.body.error, {
    ...{ code: 'invalid_state', current_status: 'used' },
    allowed_from: ['pending', 'approved'],
  })
})

test('an approved request counts before a newer one that waits for the same call', async (t) => {
  const { api, first, other } = await open()
  const path = '/tenants/' + api.tenant.tenantId + '/api_keys'
  const body = { environment: 'sandbox', name: 'Twice' }
  const id = waits(await first('POST', path, body))
  // Two equal calls at once may both find no request.
  await api.sql`
    insert into operator_approvals (id, operator_id, operation, method, path, fields, fingerprint,
      request_id, created_at, expires_at)
    select ${id + 'z'}, operator_id, operation, method, path, fields, fingerprint,
      request_id, created_at, expires_at
    from operator_approvals where id = ${id}`
  await other('POST', '/operator_approvals/' + id + '/approve')
  const made = await first('POST', path, body)
  t.equal(made.status, 201, made.text)
})

test('each call that makes a credential or resets a factor needs two operators', async (t) => {
  const { api, first } = await open()
  const { tenantId } = api.tenant
  const person = await seedPerson(api.sql, tenantId, 'owner')
  const operatorId = await idOf(api, api.operator)
  const platform = {
    ...{ environment: 'sandbox', name: 'Ledger Co', kind: 'confidential' },
    ...{ redirect_uris: ['https://platform.example/back'], scopes: ['card:read'] },
  }
  const rates = {
    ...{ source: 'ECB', rate_at: '2026-11-20T00:00:00Z', confirm_large_changes: true },
    rates: [{ pair: 'EUR/USD', rate: '2' }],
  }
  const clientId = 'oac_' + person.id.slice(5)
  await api.sql`
    insert into oauth_clients (id, environment, name, kind, application_type, redirect_uris, scopes,
      created_at)
    values (${clientId}, 'sandbox', 'Pay Co', 'public', 'web', '{https://pay.example/}',
      '{card:read}', 0)`
  const calls: [method: string, path: string, id: string, body: unknown][] = [
    ['POST', '/tenants/:id/api_keys', tenantId, { environment: 'sandbox' }],
    ['POST', '/tenants/:id/people', tenantId, { email: 'e@approvals.example', name: 'Eve' }],
    ['PATCH', '/people/:id', person.id, { email: 'mallory@approvals.example' }],
    ['POST', '/people/:id/enable', person.id, {}],
    ['POST', '/people/:id/reset_factor', person.id, {}],
    ['POST', '/oauth_clients', '', platform],
    ['POST', '/oauth_clients', '', { ...platform, kind: 'public' }],
    ['PATCH', '/oauth_clients/:id', clientId, { redirect_uris: ['https://mallory.example/'] }],
    ['PATCH', '/oauth_clients/:id', clientId, { name: 'Pay Co', scopes: ['admin'] }],
    ['POST', '/oauth_clients/:id/rotate_secret', clientId, {}],
    ['POST', '/operators', '', { name: 'Mallory' }],
    ['PATCH', '/operators/:id', operatorId, { cidrs: [] }],
    ['POST', '/operators/:id/link', operatorId, { email: null }],
    ['POST', '/fx_tables', '', rates],
  ]
  for (const [method, path, id, body] of calls) {
    const asked = await first(method, path.replace(':id', id), body)
    // A credential alone never rotates the secret of a platform: nothing waits.
    if (path.endsWith('/rotate_secret')) t.equal(asked.body.error?.code, 'factor_required', path)
    else t.match(waits(asked), /^oap_/, path)
  }
  const declared = ROUTES.filter(({ secondOperator }) => secondOperator !== null)
  t.same(
    [...new Set(calls.map(([method, path]) => method + ' /operator/v1' + path))].sort(),
    declared.map(({ method, paths }) => method + ' ' + paths[0]).sort(),
    'every such route is called here',
  )
  const [row] = await api.sql`select email from identities where id = ${person.identityId}`
  t.equal(row?.['email'], person.email, 'the person keeps the address')
  for (const path of ['/people/' + person.id, '/oauth_clients/' + clientId]) {
    const named = await first('PATCH', path, { name: 'Ada' })
    t.equal(named.status, 200, 'another name needs one operator: ' + named.text)
  }
})

test('an operator who has a person calls and approves by passkey only', async (t) => {
  const { api, first, other } = await open()
  const path = '/tenants/' + api.tenant.tenantId + '/api_keys'
  const body = { environment: 'sandbox' }
  const person = await seedPerson(api.sql, api.other.tenantId, 'owner')
  await api.sql`
    update operators set identity_id = ${person.identityId} where hash = ${apiKeyHash(api.operator)}`
  const [linked, plain] = [first, other]
  const alone = await linked('POST', path, body)
  t.match(alone.body.error, { code: 'factor_required', challenge_url: /\/operator\/approvals$/ })
  const id = waits(await plain('POST', path, body))
  const approval = await linked('POST', '/operator_approvals/' + id + '/approve')
  t.equal(approval.body.error?.code, 'factor_required', approval.text)
  t.equal((await linked('POST', '/operator_approvals/' + id + '/deny')).status, 200)
})

test('the credential of an operator has an end and works from its addresses only', async (t) => {
  await startTestApi({ twoOperators: true })
  const api = await openInstallation()
  const id = await idOf(api, api.operator)
  const ask = () => api.operate('GET', '/operators?limit=100')
  const shown = async () =>
    (await ask()).body.data.find((operator: { id: string }) => operator.id === id)
  const end = api.clock.nowMs + 60_000
  await api.sql`update operators set expires_at = ${end} where id = ${id}`
  t.equal((await shown()).expires_at, end / 1000)
  api.clock.nowMs = end - 1
  t.equal((await ask()).status, 200)
  api.clock.nowMs = end
  t.equal((await ask()).body.error.code, 'route_not_found')
  await api.sql`
    update operators set expires_at = null, cidrs = '{203.0.113.0/24}' where id = ${id}`
  t.equal((await ask()).body.error.code, 'route_not_found')
  await api.sql`update operators set cidrs = '{127.0.0.0/8}' where id = ${id}`
  t.same((await shown()).cidrs, ['127.0.0.0/8'])
})

test('an operator is made with an end, a year ahead where none is named', async (t) => {
  const { first, other, api } = await open()
  const create = async (body: object) => {
    const asked = await first('POST', '/operators', body)
    if (asked.body?.error?.code === 'second_operator_required')
      await other('POST', '/operator_approvals/' + waits(asked) + '/approve')
    return first('POST', '/operators', body)
  }
  const usual = await create({ name: 'Usual' })
  t.equal(usual.body.expires_at, Math.floor((api.clock.nowMs + 365 * DAY_MS) / 1000), usual.text)
  const seconds = Math.floor(api.clock.nowMs / 1000)
  const bound = await create({ name: 'Bound', expires_at: seconds + 60, cidrs: ['10.0.0.0/8'] })
  t.match(bound.body, { expires_at: seconds + 60, cidrs: ['10.0.0.0/8'] }, bound.text)
  for (const expiresAt of [seconds - 1, seconds + 3 * 365 * 86_400]) {
    const refused = await create({ name: 'Wrong', expires_at: expiresAt })
    t.match(refused.body.error, { code: 'parameter_invalid', param: 'expires_at' }, refused.text)
  }
  const wrong = await create({ name: 'Wrong', cidrs: ['10.0.0.0/99'] })
  t.match(wrong.body.error, { code: 'parameter_invalid', param: '/cidrs/0' }, wrong.text)
})

test('the command line repeats an end in days with the same body on the same day', async (t) => {
  const { api, first, second } = await open()
  const as = (key: string, ...words: string[]) =>
    runOperator({ SVC_DATA_DIR: t.testdir(), SVC_OPERATOR_KEY: key }, ...words, '--api', api.url)
  api.clock.nowMs = Date.now()
  const id = await idOf(api, second)
  for (const words of [
    ['create', '--name', 'Dated', '--days', '730'],
    ['bound', id, '--days', '30'],
  ]) {
    const asked = await as(api.operator, 'operators', ...words)
    const [approval = ''] = /oap_[0-9a-z]{26}/.exec(asked.problem) ?? []
    const approved = await as(second, 'approvals', 'approve', approval)
    t.equal(approved.code, 0, approved.problem)
    const made = await as(api.operator, 'operators', ...words)
    t.equal(made.code, 0, made.problem)
  }
  const { data } = (await first('GET', '/operators?limit=100')).body
  const of = (name: string) => data.find((one: { id: string; name: string }) => one.name === name)
  t.equal(of('Dated').expires_at % 86_400, 0)
  const bound = data.find((one: { id: string }) => one.id === id)
  t.equal(bound.expires_at % 86_400, 0, 'the end of a UTC day')
})

test('two operators make a key by the command line', async (t) => {
  const { api, second } = await open()
  const as = (key: string, ...words: string[]) =>
    runOperator({ SVC_DATA_DIR: t.testdir(), SVC_OPERATOR_KEY: key }, ...words, '--api', api.url)
  const issue = ['keys', 'issue', api.tenant.tenantId, '--environment', 'sandbox']
  const waits = await as(api.operator, ...issue)
  t.equal(waits.code, 1, waits.out)
  t.match(waits.problem, /^second_operator_required: .*resource_id oap_/)
  const [id = ''] = /oap_[0-9a-z]{26}/.exec(waits.problem) ?? []
  const shown = await as(second, 'approvals', 'show', id)
  t.match(shown.out, 'Give a tenant a secret key.', shown.problem)
  const approved = await as(second, 'approvals', 'approve', id)
  t.equal(approved.code, 0, approved.problem)
  const made = await as(api.operator, ...issue)
  t.match(made.out, /svc_sk_sandbox_\w+/, made.problem)
  const listed = await as(second, 'approvals', 'list', '--json')
  const row = JSON.parse(listed.out).data.find((one: { id: string }) => one.id === id)
  t.equal(row?.status, 'used')
})
