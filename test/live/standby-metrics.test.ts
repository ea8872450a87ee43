// The lag of PostgreSQL's standbys on the metrics page of an api that runs with the rights of its
// own role: two physical standbys, one of which stops replaying, is killed, and is promoted.
import { type Test, test } from 'tap'
import { startProcess } from '../harness/api-process.ts'
import { freePorts } from '../harness/free-ports.ts'
import { type Family, parseMetrics } from '../harness/metrics-page.ts'
import { as, giveRoles } from '../harness/roles.ts'
import { type Replicated, type Server, startReplicated } from '../harness/standbys.ts'
import { until } from '../harness/until.ts'

const BYTES = 'svc_standby_replay_lag_bytes'
const SECONDS = 'svc_standby_replay_lag_seconds'

/** Starts an api as svc_api; the result reads a sample of its page, undefined where absent. */
async function startApi(t: Test, { servers, url }: Replicated) {
  const [first] = servers
  if (first === undefined) throw new Error('no server')
  await giveRoles(first.url)
  const [port, metricsPort] = await freePorts(2)
  const hosts = /@([^/]+)\//.exec(url)?.[1] ?? ''
  const api = startProcess(t, {
    SVC_API_PORT: String(port),
    SVC_API_METRICS_PORT: String(metricsPort),
    DATABASE_URL: as(first.url, 'svc_api').replace(/@[^/]+\//, '@' + hosts + '/'),
  })
  t.equal(await api.ready, true)
  return async (name: string, standby?: string): Promise<number | undefined> => {
    const page = await fetch('http://127.0.0.1:' + metricsPort + '/metrics')
    const families: Map<string, Family> = parseMetrics(await page.text())
    const labels = standby === undefined ? '' : '{standby="' + standby + '"}'
    return families.get(name)?.samples.get(name + labels)
  }
}

/** Makes a primary write half a megabyte of log. */
function write(primary: Server): Promise<void> {
  return primary.ask(async (sql) => {
    await sql`create table if not exists filler (bytes text)`
    await sql`insert into filler select repeat(md5(n::text), 30) from generate_series(1, 500) as n`
  })
}

test('the api tells how far each standby is behind, and since when, where it may know', async (t) => {
  const replicated = await startReplicated(t, { synchronous: true })
  const sample = await startApi(t, replicated)
  const [first, second, third] = replicated.servers
  if (first === undefined || second === undefined || third === undefined) throw new Error('three')
  await until(async () => (await sample('svc_standbys')) === 2)
  const timeline = (await sample('svc_database_timeline')) ?? 0
  t.ok(timeline >= 1)
  for (const name of ['b', 'c']) {
    await until(async () => (await sample(BYTES, name)) === 0)
    await until(async () => (await sample(SECONDS, name)) !== undefined)
  }

  await first.ask((sql) => sql`revoke pg_read_all_stats from svc_api`)
  await until(async () => (await sample('svc_standbys')) === undefined)
  t.type(await sample('svc_database_timeline'), 'number', 'no standby is told of, and not none')
  t.type(await sample('svc_database_connections'), 'number')
  await first.ask((sql) => sql`grant pg_read_all_stats to svc_api`)
  await until(async () => (await sample('svc_standbys')) === 2)

  await second.ask((sql) => sql`select pg_wal_replay_pause()`)
  await write(first)
  await until(async () => ((await sample(BYTES, 'b')) ?? 0) > 100_000)
  await until(async () => (await sample(BYTES, 'c')) === 0)
  const behind = (await sample(SECONDS, 'b')) ?? 0
  await write(first)
  await until(async () => ((await sample(SECONDS, 'b')) ?? 0) > behind)
  await second.ask((sql) => sql`select pg_wal_replay_resume()`)
  await until(async () => (await sample(BYTES, 'b')) === 0)

  await third.kill()
  await until(async () => (await sample('svc_standbys')) === 1)
  t.equal(await sample(BYTES, 'c'), undefined)
  await first.kill()
  await until(async () => (await sample('svc_standbys')) === undefined)
  t.equal(await sample('svc_database_timeline'), undefined, 'nothing is told without a primary')
  await second.promote()
  await until(async () => (await sample('svc_database_timeline')) === timeline + 1)
  t.equal(await sample('svc_standbys'), 0)
})
