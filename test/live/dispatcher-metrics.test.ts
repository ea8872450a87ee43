// A dispatcher's metrics on its port: the size and age of the backlog, the outcomes of attempts,
// and the time of each stage. The process is real, and so is its receiver.
import { createServer, type Server } from 'node:net'
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { JobRunner } from '../../api/jobs/run-jobs.ts'
import { Dispatch } from '../../api/webhooks/delivery/dispatch.ts'
import { openMetricsListener } from '../../api/webhooks/delivery/metrics.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { openWebhookReceiver } from '../fakes/webhook-receiver.ts'
import {
  addEndpoint,
  addTenant,
  type DispatcherProcess,
  killDispatcher,
  recordEvents,
  startDispatcher,
} from '../harness/dispatcher-process.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { freePorts } from '../harness/free-ports.ts'
import { parseMetrics } from '../harness/metrics-page.ts'
import { file } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const { sql, url: databaseUrl } = await openTestDatabase(file)
const receiver = await openWebhookReceiver()
file.teardown(() => receiver.close())

/** A dispatcher with a port of its own. */
async function open(): Promise<{ dispatcher: DispatcherProcess; url: string }> {
  const [port] = await freePorts(1)
  const dispatcher = await startDispatcher(databaseUrl, { SVC_DISPATCHER_PORT: String(port) })
  file.teardown(() => killDispatcher(dispatcher))
  return { dispatcher, url: 'http://127.0.0.1:' + port }
}

const { url } = await open()

async function get(path: string, method = 'GET') {
  const response = await fetch(url + path, { method })
  const { status, headers } = response
  return { status, type: headers.get('content-type'), text: await response.text() }
}

/** The value of one line of the page, 0 if it is missing. */
function valueIn(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(name + ' '))
  return Number(line?.slice(name.length + 1) ?? 0)
}

async function metric(name: string): Promise<number> {
  return valueIn((await get('/metrics')).text, name)
}

const SUCCEEDED = 'svc_attempts_total{outcome="succeeded",error="none"}'

function stage(name: string): string {
  return 'svc_delivery_stage_seconds_count{stage="' + name + '"}'
}

test('the page shows each stage of a delivery, the outcomes, and the rounds of the loops', async (t) => {
  const tenantId = await addTenant(sql)
  await addEndpoint(sql, { tenantId, url: receiver.url + '/well' })
  receiver.reply('/ill', () => ({ status: 500 }))
  await addEndpoint(sql, { tenantId, url: receiver.url + '/ill' })
  await recordEvents(sql, { tenantId, count: 3 })
  await until(async () => (await metric(SUCCEEDED)) >= 3)
  await until(
    async () => (await metric('svc_attempts_total{outcome="exhausted",error="http"}')) > 0,
  )
  t.ok((await metric('svc_attempts_total{outcome="retry",error="http"}')) >= 4)
  await until(async () => (await metric(stage('write'))) >= 8)
  for (const name of ['fan_out', 'claim', 'hand_over', 'exchange', 'return'])
    t.ok((await metric(stage(name))) >= 6, name)
  // Both values come from one page, because the notice about the disabled endpoint is still on its
  // way.
  const { text } = await get('/metrics')
  t.ok(parseMetrics(text).has('svc_permit_allowance_seconds'))
  const whole = valueIn(text, stage('whole'))
  t.equal(whole, valueIn(text, SUCCEEDED))
  t.equal(valueIn(text, 'svc_delivery_stage_seconds_bucket{stage="whole",le="+Inf"}'), whole)
  const seconds = await metric('svc_delivery_stage_seconds_sum{stage="whole"}')
  t.ok(seconds > 0 && seconds < 300, 'of the event’s own record: ' + seconds)
  for (const loop of ['address', 'catch up', 'scan', 'claim', 'settle', 'exhaust', 'life'])
    t.ok((await metric('svc_delivery_round_seconds_count{loop="' + loop + '"}')) > 0, loop)
  t.match(await get('/metrics'), { status: 200, type: 'text/plain; version=0.0.4' })
  t.equal(await metric('svc_log_lines_dropped_total'), 0)
})

test('the page shows the backlog with its age, and the deliveries under way', async (t) => {
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: receiver.url + '/hang' })
  receiver.reply('/hang', () => 'hang')
  await recordEvents(sql, { tenantId, count: 30 })
  await until(async () => (await metric('svc_deliveries_in_flight')) === 16)
  await until(async () => (await metric('svc_oldest_due_seconds')) > 0.2)
  await until(async () => (await metric('svc_waiting_events')) === 0)
  t.ok((await metric('svc_open_deliveries')) >= 30)
  t.equal(await metric('svc_fan_out_lag_seconds'), 0)
  // An event of an hour ago without fan-out: another transaction holds its pace row.
  await tx(sql, async (inner) => {
    await inner`select from fan_out_pace where tenant_id = ${tenantId} for update`
    await sql`
      insert into event_outbox (event_id, tenant_id, environment, seq)
      values (${newId('evt', systemClock.nowMs() - 3_600_000)}, ${tenantId}, 'sandbox', 999)`
    t.equal(await metric('svc_waiting_events'), 1)
    const lag = await metric('svc_fan_out_lag_seconds')
    t.ok(lag >= 3600 && lag < 3900, String(lag))
  })
  await sql`update webhook_endpoints set status = 'disabled' where id = ${endpointId}`
  await until(async () => (await metric('svc_oldest_due_seconds')) === 0)
})

test('the port answers health checks like the engine’s, and no other path', async (t) => {
  t.match(await get('/health/live'), { status: 200, text: '{"live":true}' })
  t.match(await get('/health/ready?now'), { status: 200, text: '{"ready":true}', type: /json/ })
  t.equal(await metric('svc_ready'), 1)
  t.match(await get('/'), { status: 404, text: /"route_not_found"/ })
  t.match(await get('/metrics', 'POST'), { status: 405, text: /"method_not_allowed"/ })
})

test('without a database the page says so, and shows the process’s own numbers', async (t) => {
  const [port = 0, away = 0] = await freePorts(2)
  const sql = openPool('postgres://svc:x@127.0.0.1:' + away + '/svc', {
    max: 1,
    applicationName: 'test',
  })
  const dispatch = new Dispatch({
    sql,
    send: () => never(),
    unseal: () => never(),
    schedule: { delaysMs: [0, 0, 0, 0, 0], random: () => 0 },
    clock: systemClock,
    log: silentLog,
    owner: 'dsp_away',
  })
  const jobs = new JobRunner(systemClock)
  const listener = await openMetricsListener({
    at: { host: '127.0.0.1', port },
    sql,
    clock: systemClock,
    dispatch,
    jobs,
  })
  if (!listener.ok) throw new Error(listener.error)
  t.teardown(() => listener.value.closeAllConnections())
  t.teardown(() => listener.value.close())
  const page = (path: string) => fetch('http://127.0.0.1:' + port + path)
  t.equal((await page('/health/live')).status, 200)
  const ready = await page('/health/ready')
  t.equal(ready.status, 503)
  t.strictSame(await ready.json(), { ready: false, reason: 'the database does not answer' })
  const text = await (await page('/metrics')).text()
  t.match(text, /^svc_ready 0$/m)
  t.match(text, /^svc_deliveries_in_flight 0$/m)
  t.notMatch(text, /svc_waiting_events/)
})

test('a port in use ends it with a sentence', async (t) => {
  const server: Server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  t.teardown(() => server.close())
  const starting = startDispatcher(databaseUrl, { SVC_DISPATCHER_PORT: String(port) })
  await t.rejects(starting, { message: /port 127\.0\.0\.1:\d+ cannot be opened: EADDRINUSE/ })
})

function never(): never {
  throw new Error('nothing is sent')
}
