// The runbooks of the API's side, played on real processes: endpoints that were disabled, a bad
// sanctions list, keys that leaked.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { authorization } from '../faults/load.ts'
import { type Stack, startStack } from '../faults/stack.ts'
import { type Call, send } from '../harness/api.ts'
import { callApproved } from '../harness/person.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/ofac')
const LISTED =
  '999999,"LOVELACE, Ada","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n'

interface Answer {
  status: number
  body: { [name: string]: unknown; id: string; status: string }
}

async function call(stack: Stack, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(stack.apiUrl + path, {
    method,
    headers: {
      authorization: 'Bearer ' + stack.secrets.keys.admin,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': newId('idem', systemClock.nowMs()),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

function environmentOf(stack: Stack): { [name: string]: string } {
  return {
    SVC_DATA_DIR: stack.directory,
    DATABASE_URL: stack.postgres.url,
    SVC_API_PORT: new URL(stack.apiUrl).port,
    SVC_OPERATOR_KEY: stack.secrets.operator?.key ?? '',
  }
}

async function spend(stack: Stack): Promise<boolean> {
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  const { answer } = await network.send(authorization(stack.card('load_plain_1'), 100))
  network.close()
  return answer?.approved === true
}

test('webhooks disabled by mistake: the tenant enables its endpoint, held deliveries begin', async (t) => {
  const stack = await startStack(t, { dispatcher: true })
  const book = openRunbook('webhooks-disabled')
  const made = await call(stack, 'POST', '/v1/webhook_endpoints', {
    url: 'http://127.0.0.1:' + stack.tenant.port + '/webhooks',
  })
  t.equal(made.status, 201, JSON.stringify(made.body))
  const path = '/v1/webhook_endpoints/' + made.body.id
  t.equal((await call(stack, 'PATCH', path, { status: 'disabled' })).body.status, 'disabled')
  t.ok(await spend(stack))
  await stack.drained()
  const sent = (): Promise<{ count: number }[]> => stack.sql<{ count: number }[]>`
    select count(*)::int as count from delivery_attempts a join deliveries d on d.id = a.delivery_id
    where d.endpoint_id = ${made.body.id}`
  t.equal((await sent())[0]?.count, 0, 'nothing is sent to a disabled endpoint')
  book.tick('PATCH /v1/webhook_endpoints/{id}')
  t.equal((await call(stack, 'PATCH', path, { status: 'enabled' })).body.status, 'enabled')
  t.ok(await spend(stack))
  await until(async () => ((await sent())[0]?.count ?? 0) > 0)
  t.same(book.left(), [])
})

test('a bad sanctions list: the previous file is put back, alerts are dismissed, holders are free', async (t) => {
  const lists = join(t.testdir(), 'ofac')
  cpSync(FIXTURE, lists, { recursive: true })
  const stack = await startStack(t, {
    dispatcher: true,
    environment: { SVC_SCREENING_LISTS: 'ofac:' + lists },
  })
  const environment = environmentOf(stack)
  const book = openRunbook('sanctions-list')
  const holder = await call(stack, 'POST', '/v1/cardholders', {
    program_id: stack.secrets.programs['plain'],
    name: 'Ada Lovelace',
  })
  t.equal(holder.status, 201)
  const path = '/v1/cardholders/' + holder.body.id
  const good = readFileSync(join(lists, 'sdn.csv'))
  writeFileSync(join(lists, 'sdn.csv'), good + LISTED)
  await until(async () => (await call(stack, 'GET', path)).body['frozen'] === true)
  writeFileSync(join(lists, 'sdn.csv'), good)
  const listed = await book.run('npm run operator -- alerts list', { environment })
  t.equal(listed.code, 0, listed.output)
  const alert = /\b(\w+_[0-9a-z]{26})\b/.exec(listed.output)?.[1] ?? ''
  const dismissed = await book.run('npm run operator -- alerts dismiss ALERT', {
    values: { ALERT: alert },
    environment,
  })
  t.equal(dismissed.code, 0, dismissed.output)
  t.equal((await call(stack, 'GET', path)).body['frozen'], false)
  t.same(book.left(), [])
})

test('keys leaked: a tenant’s, an operator’s and the master key, each replaced', async (t) => {
  const stack = await startStack(t)
  const environment = environmentOf(stack)
  const book = openRunbook('key-leaked')
  const run = async (command: string, values = {}, more = {}): Promise<string> => {
    const ran = await book.run(command, { values, environment: { ...environment, ...more } })
    t.equal(ran.code, 0, command + '\n' + ran.output)
    return ran.output
  }
  const [key] = await stack.sql<{ id: string }[]>`
    select id from api_keys where scope = 'write' and role = 'secret'`
  const api = {
    sql: stack.sql,
    clock: { nowMs: systemClock.nowMs() },
    call: (method: string, path: string, options: Call = {}) =>
      send(stack.apiUrl + path, method, options),
  }
  const revoke = await callApproved(api, 'POST', '/v1/api_keys/' + key?.id + '/revoke', {
    key: stack.secrets.keys.admin,
  })
  book.tick('POST /v1/api_keys/{id}/revoke')
  t.equal(revoke.status, 200, JSON.stringify(revoke.body))
  const headers = { authorization: 'Bearer ' + stack.secrets.keys.write }
  await until(async () => (await fetch(stack.apiUrl + '/v1/cards', { headers })).status === 401)

  const created = await run('npm run operator -- bootstrap --second')
  const secret = /\b(svc_op_\w+)/.exec(created)?.[1] ?? ''
  const second = { SVC_OPERATOR_KEY: secret }
  await run(
    'npm run operator -- operators revoke OPERATOR',
    { OPERATOR: stack.secrets.operator?.id ?? '' },
    second,
  )
  await run('npm run operator -- operators create --name NAME', { NAME: 'Third' }, second)
  await run('npm run operator -- bootstrap --lost')

  const made = (await run('openssl rand -base64 32')).trim()
  const old = readFileSync(join(stack.directory, 'master.key'), 'utf8').trim()
  const both = { SVC_MASTER_KEY: 'knew:' + made + ',' + old }
  await restart(stack, both)
  await run('npm run rekey', {}, both)
  await restart(stack, { SVC_MASTER_KEY: 'knew:' + made })
  await until(() => stack.ready())
  const [sealed] = await stack.sql<{ sealed: string }[]>`select sealed from derivation_root`
  t.match(sealed?.sealed, /^s1:knew:/)
  t.ok(await spend(stack), 'the engine opens everything with the new key alone')
  await run(
    'npm run operator -- tenants suspend TENANT --suspended-by provider_risk --reason REASON',
    { TENANT: stack.secrets.tenant_id, REASON: 'leak' },
    second,
  )
  await run('npm run audit -- verify')
  t.same(book.left(), [])
})

async function restart(stack: Stack, keys: { [name: string]: string }): Promise<void> {
  await stack.apiProcess.stop()
  await stack.engineProcess.stop()
  await stack.engineProcess.start(keys)
  await stack.apiProcess.start(keys)
  await until(() => stack.ready())
}
