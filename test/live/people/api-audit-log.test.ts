import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { verifyLog } from '../../../api/platform/audit/index.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { seedOperator } from '../../harness/operator.ts'
import { callApproved } from '../../harness/person.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

async function freeze(api: TestApi, verb = 'freeze'): Promise<Answer> {
  const { cardholderId, keys } = api.tenant
  return api.call('POST', '/v1/cardholders/' + cardholderId + '/' + verb, { key: keys.write })
}

async function logOf(api: TestApi, query = ''): Promise<Answer['body'][]> {
  const answer = await api.call('GET', '/v1/audit_log' + query, { key: api.tenant.keys.admin })
  return answer.body.data
}

async function verified(api: TestApi, query = ''): Promise<Answer['body']> {
  const path = '/v1/audit_log/verify' + query
  return (await api.call('GET', path, { key: api.tenant.keys.admin })).body
}

/** Changes the table as only a person with rights of the database itself could. */
async function tamper(api: TestApi, work: (sql: TestApi['sql']) => Promise<unknown>) {
  await api.sql`alter table audit_log disable trigger user`
  await work(api.sql)
  await api.sql`alter table audit_log enable trigger user`
}

test('every change has its audit row with actor, action, resource, address and request', async (t) => {
  const api = await startTestApi()
  t.same(await logOf(api), [], 'reading leaves no row')
  const done = await freeze(api)
  t.equal(done.status, 200)
  const [row, ...others] = await logOf(api)
  t.same(others, [])
  const [key] = await api.sql`
    select id from api_keys where tenant_id = ${api.tenant.tenantId} and role = 'secret' and scope = 'write'`
  t.match(row, {
    id: /^aud_[0-9a-z]{26}$/,
    object: 'audit_log_entry',
    created: SEEDED_AT_MS / 1000 + 60,
    livemode: false,
    seq: 1,
    actor: { type: 'api_key', id: key?.['id'] },
    action: 'POST /v1/cardholders/:id/freeze',
    resource_id: api.tenant.cardholderId,
    request_id: done.headers.get('request-id'),
    address: '127.0.0.1',
    previous_hash: '0'.repeat(64),
  })
  const refused = await api.call('POST', '/v1/cardholders/ch_none/freeze', {
    key: api.tenant.keys.write,
  })
  t.equal(refused.status, 404)
  t.equal((await logOf(api)).length, 1, 'what was refused changed nothing')
})

test('a row is hashed over the one before it, in a documented form', async (t) => {
  const api = await startTestApi()
  await freeze(api)
  await freeze(api, 'unfreeze')
  const [second, first] = await logOf(api)
  t.equal(second.previous_hash, first.hash)
  const text = JSON.stringify([
    1,
    api.tenant.tenantId,
    'sandbox',
    2,
    second.id,
    SEEDED_AT_MS + 60_000,
    'api_key',
    second.actor.id,
    second.action,
    second.resource_id,
    second.request_id,
    second.address,
    null,
  ])
  t.equal(
    second.hash,
    hash('sha256', Buffer.concat([Buffer.from(first.hash, 'hex'), Buffer.from(text)])),
  )
  t.same(await verified(api), {
    object: 'audit_log_verification',
    valid: true,
    rows: 2,
    broken: null,
    head: { seq: 2, hash: second.hash },
    next_from: null,
  })
})

test('rows are numbered without gaps, also under contention, and the chain holds', async (t) => {
  const api = await startTestApi()
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => freeze(api, index % 2 === 0 ? 'freeze' : 'unfreeze')),
  )
  t.ok(answers.every(({ status }) => status === 200))
  const rows = await logOf(api, '?limit=100&order=asc')
  t.same(
    rows.map(({ seq }) => seq),
    answers.map((_, index) => index + 1),
  )
  t.match(await verified(api), { valid: true, rows: 30 })
  t.match(await verified(api, '?from=20'), { valid: true, rows: 11 })
  t.match(await verified(api, '?from=31'), { valid: true, rows: 0 })
  const beyond = await api.call('GET', '/v1/audit_log/verify?from=32', {
    key: api.tenant.keys.admin,
  })
  t.match(beyond.body.error, { code: 'parameter_invalid', param: 'from' })
})

test('a log is checked in parts, each of which names the start of the next', async (t) => {
  const api = await startTestApi()
  for (const verb of ['freeze', 'unfreeze', 'freeze']) await freeze(api, verb)
  const owner = { tenantId: api.tenant.tenantId, environment: 'sandbox' as const }
  const part = (from: number) => verifyLog(api.sql, owner, { from, rowsMax: 2 })
  t.match(await part(1), { valid: true, rows: 2, next_from: 3 })
  t.match(await part(3), { valid: true, rows: 1, next_from: null })
})

test('no row of the log can be changed or removed', async (t) => {
  const api = await startTestApi()
  await freeze(api)
  const refused = /a row of audit_log never changes/
  await t.rejects(api.sql`update audit_log set action = 'x'`, refused)
  await t.rejects(api.sql`delete from audit_log`, refused)
  await t.rejects(api.sql`truncate audit_log`, refused)
})

const TAMPERINGS: {
  [what: string]: { change: (api: TestApi) => Promise<unknown>; broken: object }
} = {
  'a field that was changed': {
    change: (api) =>
      tamper(
        api,
        (sql) => sql`update audit_log set address = '10.0.0.1'
        where tenant_id = ${api.tenant.tenantId} and seq = 2`,
      ),
    broken: { seq: 2, problem: 'it was changed' },
  },
  'a row that was taken out': {
    change: (api) =>
      tamper(
        api,
        (sql) => sql`delete from audit_log
        where tenant_id = ${api.tenant.tenantId} and seq = 2`,
      ),
    broken: { seq: 2, id: null, problem: 'the row is missing' },
  },
  'the newest rows cut off': {
    change: (api) =>
      tamper(
        api,
        (sql) => sql`delete from audit_log
        where tenant_id = ${api.tenant.tenantId} and seq > 2`,
      ),
    broken: { seq: 3, id: null, problem: 'the row is missing' },
  },
  'the newest rows cut off with the number of rows': {
    change: async (api) => {
      const { tenantId } = api.tenant
      await tamper(
        api,
        (sql) => sql`delete from audit_log where tenant_id = ${tenantId} and seq > 2`,
      )
      await api.sql`update audit_heads set seq = 2 where tenant_id = ${tenantId}`
    },
    broken: { seq: 2, problem: 'the log ends with another row' },
  },
  'a row that was made afresh, with a hash that fits': {
    change: (api) =>
      tamper(
        api,
        (sql) => sql`update audit_log set hash = decode(repeat('ab', 32), 'hex')
        where tenant_id = ${api.tenant.tenantId} and seq = 1`,
      ),
    broken: { seq: 1, problem: 'it was changed' },
  },
  'another beginning': {
    change: (api) =>
      tamper(
        api,
        (sql) => sql`update audit_log set previous_hash = decode(repeat('ab', 32), 'hex')
        where tenant_id = ${api.tenant.tenantId} and seq = 3`,
      ),
    broken: { seq: 3, problem: 'it does not hang on the row before it' },
  },
  'a head that was removed': {
    change: (api) => api.sql`delete from audit_heads where tenant_id = ${api.tenant.tenantId}`,
    broken: { seq: 1, problem: 'the log has no head' },
  },
}

for (const [what, { change, broken }] of Object.entries(TAMPERINGS)) {
  test('the check finds ' + what, async (t) => {
    const api = await startTestApi()
    for (const verb of ['freeze', 'unfreeze', 'freeze']) await freeze(api, verb)
    t.match(await verified(api), { valid: true, rows: 3 })
    await change(api)
    t.match(await verified(api), { valid: false, broken, next_from: null })
  })
}

test('the log is listed by action, actor, resource and time, page by page', async (t) => {
  const api = await startTestApi()
  for (const verb of ['freeze', 'unfreeze', 'freeze']) await freeze(api, verb)
  const [newest, middle, oldest] = await logOf(api)
  const ids = async (query: string) => (await logOf(api, query)).map(({ id }) => id)
  const action = encodeURIComponent('POST /v1/cardholders/:id/unfreeze')
  t.same(await ids('?action=' + action), [middle.id])
  t.equal((await ids('?actor=' + newest.actor.id)).length, 3)
  t.same(await ids('?actor=key_none'), [])
  t.equal((await ids('?resource_id=' + api.tenant.cardholderId)).length, 3)
  t.same(await ids('?created_after=2026-11-21'), [])
  t.same(await ids('?limit=1&starting_after=' + newest.id), [middle.id])
  t.same(await ids('?ending_before=' + middle.id), [newest.id])
  t.same(await ids('?order=asc&limit=1'), [oldest.id])
})

test('only admins read the log, and only their own', async (t) => {
  const api = await startTestApi()
  await freeze(api)
  for (const path of ['/v1/audit_log', '/v1/audit_log/verify']) {
    const narrow = await api.call('GET', path, { key: api.tenant.keys.write })
    t.match(narrow.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
  }
  const other = await api.call('GET', '/v1/audit_log', { key: api.other.keys.admin })
  t.same(other.body.data, [])
  const checked = await api.call('GET', '/v1/audit_log/verify', { key: api.other.keys.admin })
  t.match(checked.body, { valid: true, rows: 0, head: null })
})

test('an operator’s action stands in the log of the installation, which operators read', async (t) => {
  const api = await startTestApi()
  const key = await seedOperator(api.sql)
  const [operator] =
    await api.sql`select id from operators order by created_at desc, id desc limit 1`
  const made = await api.call('POST', '/operator/v1/operators', { key, body: { name: 'Second' } })
  t.equal(made.status, 201)
  const list = await api.call('GET', '/operator/v1/audit_log', { key })
  t.match(list.body.data[0], {
    actor: { type: 'operator', id: operator?.['id'] },
    action: 'POST /operator/v1/operators',
    resource_id: made.body.id,
    livemode: true,
  })
  const checked = await api.call('GET', '/operator/v1/audit_log/verify', { key })
  t.match(checked.body, { valid: true, rows: list.body.data.length })
  for (const path of ['/operator/v1/audit_log', '/operator/v1/audit_log/verify'])
    t.equal((await api.call('GET', path, { key: api.tenant.keys.admin })).status, 404)
  t.same(await logOf(api), [])
})

test('a row names the approver of the call, and the chain covers it', async (t) => {
  const api = await startTestApi()
  const { keys } = api.tenant
  const body = { name: 'Server', role: 'secret', scope: 'read' }
  const made = await callApproved(api, 'POST', '/v1/api_keys', { key: keys.admin, body })
  const [row] = await logOf(api)
  t.match(row, { resource_id: made.body.id, approved_by: /^user_/ })
  t.notMatch(JSON.stringify(row), made.body.secret)
  await tamper(
    api,
    (sql) => sql`update audit_log set approved_by = null where tenant_id = ${api.tenant.tenantId}`,
  )
  t.match(await verified(api), { valid: false, broken: { seq: 1, problem: 'it was changed' } })
})

const SCRIPT = fileURLToPath(new URL('../../../scripts/audit.ts', import.meta.url))

function script(databaseUrl: string, ...words: string[]): { status: number | null; text: string } {
  const ran = spawnSync(process.execPath, [SCRIPT, ...words], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    encoding: 'utf8',
  })
  return { status: ran.status, text: ran.stdout + ran.stderr }
}

test('the command checks every log, or those of one tenant, and names the broken row', async (t) => {
  const api = await startTestApi()
  for (const verb of ['freeze', 'unfreeze', 'freeze']) await freeze(api, verb)
  const { tenantId } = api.tenant
  const { host, port, database, user, pass } = api.sql.options
  const password = typeof pass === 'string' ? ':' + encodeURIComponent(pass) : ''
  const url = 'postgres://' + user + password + '@' + host[0] + ':' + port[0] + '/' + database
  const whole = script(url, 'verify', '--tenant', tenantId)
  const [newest] = await logOf(api)
  t.match(whole, { status: 0, text: tenantId + ' sandbox: 3 rows hold, up to ' + newest.hash })
  await tamper(
    api,
    (sql) => sql`update audit_log set actor_id = 'key_x' where tenant_id = ${tenantId} and seq = 2`,
  )
  const broken = script(url, 'verify')
  t.equal(broken.status, 1)
  t.match(
    broken.text,
    new RegExp(tenantId + ' sandbox: broken at row 2 \\(aud_\\w+\\): it was changed'),
  )
  t.match(script(url, 'verify', '--tenant', 'ten_none'), { status: 1, text: /no such audit log/ })
  t.match(script(url), { status: 1, text: /npm run audit -- verify/ })
  t.match(script(url, '--help'), { status: 0, text: /--tenant ID/ })
})
