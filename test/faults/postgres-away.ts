// Rows 13, 14, 15 and 19: PostgreSQL down, hung, cut while it commits, and replaced by another.
import { readdirSync, readFileSync } from 'node:fs'
import { openPool } from '../../api/database/pool.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { type CommitCutter, openCommitCutter } from '../fakes/commit-cutter.ts'
import { startMigratedPostgres } from '../harness/migrated-postgres.ts'
import { happens } from '../harness/until.ts'
import { changeConfig, coveredAfter } from './config-change.ts'
import { boundMs, type FaultRun, type Findings } from './fault.ts'
import { openProxy, type Relay, throughProxy } from './proxy.ts'
import { type Stack, seedStack, startStack } from './stack.ts'
import { openWitness, type Witness } from './witness.ts'

const SENDERS = 8
const PAUSE_MS = 5
/**
 * Measured from PostgreSQL's return: the time to reconnect, and the backlog at the slowest
 * acceptable pace while the load goes on. A bound without the backlog would measure the machine and
 * not the drain.
 */
const BACK_MS_MAX = 30_000
const DRAIN_PER_S_MIN = 500
const ANSWER_MS_MAX = 1000

function gentle(stack: Stack): Witness {
  const cards = ['load_plain_1', 'load_realtime_1', 'limited_plain'].map(stack.card)
  return openWitness(stack, cards, { senders: SENDERS, pauseMs: PAUSE_MS })
}

/** A problem if nothing was answered while the database was away, or too slowly. */
function silence({ effort }: FaultRun, witness: Witness, before: number, what: string): string[] {
  const p99 = witness.took.getValueAtPercentile(99)
  return [
    ...(witness.answered === before ? ['nothing was answered ' + what] : []),
    ...(p99 > boundMs(effort, ANSWER_MS_MAX) ? ['p99 ' + p99 + ' ms ' + what] : []),
  ]
}

/** Checks that the decisions until now reach PostgreSQL in time; the load goes on meanwhile. */
async function drainedSoon(t: FaultRun, stack: Stack): Promise<string[]> {
  const { synced_seq: target, drained_seq: from } = await stack.engine.status()
  const backlog = target - from
  const aloneMs = BACK_MS_MAX + Math.ceil((backlog / DRAIN_PER_S_MIN) * 1000)
  const msMax = boundMs(t.effort, aloneMs)
  const beganMs = systemClock.nowMs()
  let reached = from
  const drained = await happens(async () => {
    reached = (await stack.engine.status()).drained_seq
    return reached >= target
  }, msMax)
  const ms = systemClock.nowMs() - beganMs
  const told =
    reached - from + ' of ' + backlog + ' entries drained ' + ms + ' ms after PostgreSQL was back'
  t.say(told)
  return drained ? [] : [told + ', bound ' + msMax]
}

/** Row 13: PostgreSQL is down while engine and api start, and goes away under load. */
export async function postgresDown(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  const witness = gentle(stack)
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  await sleep(500)
  await stack.killPostgres(async () => {
    const before = witness.answered
    await sleep(t.effort.downSeconds * 500)
    problems.push(...silence(t, witness, before, 'while PostgreSQL was down'))
    // Both start without PostgreSQL: the cache and the journal are enough to decide.
    await stack.apiProcess.kill()
    await stack.killEngine()
    if (!(await happens(() => stack.ready(), boundMs(t.effort, 5000))))
      problems.push('an engine that knew its database is not ready without it')
    const exit = await stack.apiProcess.tryStart()
    if (exit !== null) problems.push('the api does not start without PostgreSQL: ' + exit.lastWords)
    const restarted = witness.answered
    await sleep(t.effort.downSeconds * 500)
    problems.push(...silence(t, witness, restarted, 'after a start without PostgreSQL'))
  })
  problems.push(...(await drainedSoon(t, stack)))
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const injected =
    t.effort.downSeconds + ' s without PostgreSQL under ' + witness.answered + ' answers'
  return { injected: injected + ', engine and api restarted in them', problems }
}

/** Row 14: PostgreSQL and its sessions hang. Authorizations do not wait for them. */
export async function postgresHung(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  const witness = gentle(stack)
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  await sleep(500)
  const pids = [stack.postgres.pid, ...childrenOf(stack.postgres.pid)]
  const before = witness.answered
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const hungS = Math.max(5, Math.min(45, t.effort.downSeconds))
  await sleep(hungS * 1000)
  const answered = witness.answered - before
  problems.push(...silence(t, witness, before, 'while PostgreSQL hung'))
  for (const pid of pids) process.kill(pid, 'SIGCONT')
  problems.push(...(await drainedSoon(t, stack)))
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const injected = pids.length + ' processes of PostgreSQL hung for ' + hungS + ' s, '
  return { injected: injected + answered + ' answered meanwhile', problems }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync('/proc/' + name + '/stat', 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Row 15: connections cut after the server has committed and before the client learns it. */
export async function commitUnknown(t: FaultRun): Promise<Findings> {
  let cutter: CommitCutter | null = null
  const stack = await startStack(t, {
    async databaseFor(url) {
      cutter = await openCommitCutter(t, url)
      return cutter.url
    },
  })
  const between = cutter as CommitCutter | null
  if (between === null) throw new Error('no proxy')
  const witness = gentle(stack)
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  const cuts = 5 * t.effort.seconds
  for (let cut = 0; cut < cuts; cut++) {
    between.cuts = 1
    if (!(await happens(() => between.cuts === 0, 10_000)))
      problems.push('no commit came to be cut')
    await sleep(50)
  }
  end.abort()
  await running
  problems.push(...(await drainedSoon(t, stack)))
  problems.push(...(await witness.compare()))
  return { injected: cuts + ' commits cut under ' + witness.answered + ' answers', problems }
}

/**
 * Row 19: another server behind the same address. It is refused until the engine restarts, and then
 * gets everything.
 */
export async function anotherPostgres(t: FaultRun): Promise<Findings> {
  let proxy: Relay | null = null
  const stack = await startStack(t, {
    async databaseFor(url) {
      const { hostname, port } = new URL(url)
      proxy = await openProxy(t, { host: hostname, port: Number(port) })
      return throughProxy(url, proxy)
    },
  })
  const between = proxy as Relay | null
  if (between === null) throw new Error('no proxy')
  const witness = gentle(stack)
  await witness.runFor(t.effort.seconds * 1000)
  await stack.drained()
  const problems = [...(await witness.compare())]

  const other = await startMigratedPostgres(t)
  const sql = openPool(other.url, { max: 2, applicationName: 'svc-faults' })
  t.teardown(() => sql.end({ timeout: 1 }))
  const [firstUrl, otherUrl] = [new URL(stack.postgres.url), new URL(other.url)]
  // The same name and password, like those of a restored server.
  await sql.unsafe(
    "alter role current_user password '" + decodeURIComponent(firstUrl.password) + "'",
  )
  await seedStack(sql, stack.directory, stack.tenant.port)
  between.target = { host: otherUrl.hostname, port: other.port }
  between.cut()
  const refused = await happens(
    async () => /another database|has never taken/.test((await stack.engine.status()).reason ?? ''),
    10_000,
  )
  if (!refused || (await stack.ready())) problems.push('the engine serves two databases')
  await stack.killEngine()
  if (!(await happens(() => stack.ready(), 10_000))) problems.push('a new start does not serve it')
  const xid = await changeConfig({ sql }, (inner) => inner`update cards set status = status`)
  if ((await coveredAfter(stack, xid, 5000)) === null)
    problems.push('its configuration is not there')
  await stack.drained().catch((error: unknown) => problems.push(String(error)))
  const [drained] = await sql<{ seq: number; quarantined: number }[]>`
    select seq, (select count(*)::int from drain_quarantine) as quarantined from journal_cursor`
  const { synced_seq: synced } = await stack.engine.status()
  if (drained?.seq !== synced) problems.push('it has entry ' + drained?.seq + ' of ' + synced)
  const injected = 'another server behind the address, after ' + witness.answered + ' answers; '
  // The second database does not know the tenants of the first: their entries are quarantined, not
  // lost.
  return { injected: injected + drained?.quarantined + ' of them set aside there', problems }
}
