// Rows 16, 17 and 18: slow, dripping, silent and cut connections; lost notifications; configuration
// that commits out of order.
import { openPool } from '../../api/database/pool.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'
import { changeConfig, coveredAfter } from './config-change.ts'
import { boundMs, type FaultRun, type Findings } from './fault.ts'
import { authorization } from './load.ts'
import { openProxy, type Relay, throughProxy, withoutNotifications } from './proxy.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

/** The poll behind NOTIFY runs every 200 ms. */
const COVERED_MS_MAX = 2000
const SESSION_BACK_MS_MAX = 15_000

interface Lined {
  stack: Stack
  /** The proxy between the api and PostgreSQL. */
  database: Relay
}

/** A stack whose api reaches PostgreSQL over a line that a fault makes bad. */
export async function linedStack(t: Teardown, options: StackOptions = {}): Promise<Lined> {
  let database: Relay | null = null
  const stack = await startStack(t, {
    ...options,
    async databaseFor(url) {
      const { hostname, port } = new URL(url)
      database = await openProxy(t, { host: hostname, port: Number(port) })
      return throughProxy(url, database)
    },
  })
  if (database === null) throw new Error('no proxy')
  return { stack, database }
}

const LINES: readonly {
  name: string
  /** Seconds: only a deadline detects a connection that hangs. */
  endure: (relay: Relay, seconds: number) => Promise<void>
}[] = [
  {
    name: '30 ms each way',
    async endure({ line }, seconds) {
      line.delayMs = 30
      await sleep(seconds * 1000)
      line.delayMs = 0
    },
  },
  {
    name: 'a byte at a time',
    async endure({ line }, seconds) {
      line.dripping = true
      await sleep(seconds * 1000)
      line.dripping = false
    },
  },
  {
    name: 'reset 10 times',
    async endure(relay, seconds) {
      for (let cut = 0; cut < 10; cut++) {
        relay.cut()
        await sleep(seconds * 100)
      }
    },
  },
  {
    name: 'silent, then reset',
    async endure(relay, seconds) {
      relay.line.silent = true
      await sleep(seconds * 1000)
      // Without a reset the swallowed bytes would be a hole in the stream; no real connection
      // recovers from silence that way.
      relay.cut()
      relay.line.silent = false
    },
  },
]

/** Row 16: bad lines between the network and the engine, and between the api and PostgreSQL. */
export async function badLines(t: FaultRun): Promise<Findings> {
  const { stack, database } = await linedStack(t)
  const engine = new URL(stack.engineUrl)
  const listener = await openProxy(t, { host: engine.hostname, port: Number(engine.port) })
  const cards = ['load_plain_1', 'load_realtime_1'].map(stack.card)
  const options = { senders: 12, pauseMs: 5 }
  const outside = openWitness(stack, cards, {
    ...options,
    engineUrl: 'http://127.0.0.1:' + listener.port,
  })
  const inside = openWitness(stack, [stack.card('load_plain_2')], { ...options, senders: 4 })
  const end = new AbortController()
  const running = [outside.run(end.signal), inside.run(end.signal)]
  const problems: string[] = []
  for (const { name, endure } of LINES) {
    const before = inside.answered
    await Promise.all([endure(listener, t.effort.seconds), endure(database, t.effort.seconds)])
    if (inside.answered === before) problems.push('a line that was ' + name + ' held up another')
    t.say(name + ': ' + outside.answered + ' answered over the bad line')
  }
  end.abort()
  await Promise.all(running)
  const p99 = inside.took.getValueAtPercentile(99)
  if (p99 > boundMs(t.effort, COVERED_MS_MAX)) problems.push('p99 of the good line ' + p99 + ' ms')
  problems.push(...inside.problems, ...(await outside.compare()))
  const injected =
    LINES.map(({ name }) => name).join(', ') + ' under ' + outside.answered + ' answers'
  return { injected, problems }
}

/** Sessions of the api that listen for changes of the configuration. */
function listeners({ sql }: Stack) {
  return sql`where application_name like 'svc-link%' and query ilike 'listen%'`
}

/** Waits for the next session to listen: the poll finds changes before it is there. */
function listening(stack: Stack): Promise<void> {
  return until(async () => {
    const found = await stack.sql`select from pg_stat_activity ${listeners(stack)}`
    return found.length > 0
  }, SESSION_BACK_MS_MAX)
}

/**
 * Row 17: the listener's session ends, and then notifications are lost on the way. The poll behind
 * them finds the change.
 */
export async function notifyLost(
  t: FaultRun,
  started: Promise<Lined> = linedStack(t),
): Promise<Findings> {
  const { stack, database } = await started
  const problems: string[] = []
  const waits: number[] = []
  const change = async (msMax: number): Promise<void> => {
    const xid = await changeConfig(
      stack,
      (sql) => sql`update cards set status = status where id = ${stack.card('load_plain_1').id}`,
    )
    const waited = await coveredAfter(stack, xid, msMax)
    if (waited === null) problems.push('a change was not there within ' + msMax + ' ms')
    else waits.push(Math.round(waited))
  }
  const rounds = 5 * t.effort.seconds
  for (let round = 0; round < rounds; round++) {
    await listening(stack)
    await stack.sql`select pg_terminate_backend(pid) from pg_stat_activity ${listeners(stack)}`
    await change(SESSION_BACK_MS_MAX)
  }
  const afterLoss = Math.max(...waits.splice(0))
  await listening(stack)
  const { filter, dropped } = withoutNotifications()
  database.line.filter = filter
  for (let round = 0; round < rounds; round++) await change(boundMs(t.effort, COVERED_MS_MAX))
  database.line.filter = null
  if (dropped() === 0) problems.push('no notification was dropped')
  const injected = rounds + ' listeners ended (slowest ' + afterLoss + ' ms), ' + dropped()
  return {
    injected: injected + ' notifications dropped (slowest ' + Math.max(...waits) + ' ms)',
    problems,
  }
}

const HELD_MS = 3000

/**
 * Row 18: one transaction stays open for seconds and one stays prepared for ever, while later ones
 * commit: the engine neither waits for them nor misses one.
 */
export async function outOfOrder(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  await stack.sql.unsafe('alter system set max_prepared_transactions = 4')
  await stack.killPostgres(async () => {})
  await stack.drained()
  const problems: string[] = []
  const cards = Array.from({ length: 30 }, (_, at) => stack.card('load_plain_' + (at + 1)))
  const [held, ...others] = cards
  if (held === undefined) throw new Error('no cards')
  // A change of configuration cannot be prepared because it notifies, but any prepared transaction
  // holds a transaction id open.
  const alone = openPool(stack.postgres.url, { max: 1, applicationName: 'svc-faults' })
  await alone`begin`
  await alone`update tenants set name = name || '.'`
  await alone`prepare transaction 'svc_faults'`
  await alone.end()
  let open = true
  const opened = changeConfig(stack, async (sql) => {
    await sql`update cards set status = 'suspended' where id = ${held.id}`
    await sleep(HELD_MS)
  }).finally(() => {
    open = false
  })
  const waits: number[] = []
  let beside = 0
  for (const { id } of others) {
    const xid = await changeConfig(
      stack,
      (sql) => sql`update cards set status = 'suspended' where id = ${id}`,
    )
    const waited = await coveredAfter(stack, xid, boundMs(t.effort, COVERED_MS_MAX))
    if (waited === null) problems.push(id + ' waited for a transaction that is not its own')
    else waits.push(Math.round(waited))
    if (open) beside += 1
    await sleep(20)
  }
  if ((await coveredAfter(stack, await opened, boundMs(t.effort, COVERED_MS_MAX))) === null)
    problems.push('the transaction that was held open is missing')
  await stack.sql.unsafe("rollback prepared 'svc_faults'")
  for (const card of cards) {
    const reason = await reasonFor(stack, card)
    if (reason !== 'card_suspended') problems.push(card.id + ' is not suspended: ' + reason)
  }
  const injected = beside + ' changes beside a transaction of ' + HELD_MS + ' ms and a prepared one'
  return { injected: injected + ' (slowest ' + Math.max(...waits) + ' ms)', problems }
}

/** The engine's decline reason for an authorization on the card; null: approved. */
async function reasonFor(stack: Stack, card: SandboxCard): Promise<string | null> {
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  const { answer } = await network.send(authorization(card, 100))
  network.close()
  return answer === null ? 'no answer' : answer.decline_reason
}
