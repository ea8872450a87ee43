// `npm run soak -- --minutes N`: real processes, faults drawn from a seed, a network that remembers
// everything, and at the end a comparison of its history with the journal, PostgreSQL and the
// windows.
import { parseArgs } from 'node:util'
import { sleep, systemClock } from '../../shared/clock.ts'
import { type CommitCutter, openCommitCutter } from '../fakes/commit-cutter.ts'
import { until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'
import { type Cleaner, cleaned } from './cleaner.ts'
import { changeConfig } from './config-change.ts'
import { buildShim, NO_COMPILER, type Shim } from './disk/shim.ts'
import { growthLine, sampleUntil } from './growth.ts'
import { openProxy, type Relay, throughProxy } from './proxy.ts'
import { type Stack, startStack } from './stack.ts'
import { approvedCents, openWitness } from './witness.ts'

const MS_PER_MINUTE = 60_000
const MINUTES_DEFAULT = '60'
const SEEDS = 1_000_000
/** Pause between two faults. */
const [CALM_MS_MIN, CALM_MS_MAX] = [2000, 12_000]
const SAMPLE_MS = 1000
const SENDERS = 8
const PAUSE_MS = 25
const LIMIT_CENTS = 50_000
const PROBLEMS_SHOWN_MAX = 50

interface World {
  stack: Stack
  random: Random
  shim: Shim | null
  database: Relay
  cutter: CommitCutter
}

type SoakFault = (world: World) => Promise<void>

const FAULTS: { readonly [name: string]: SoakFault } = {
  'engine killed': async ({ stack }) => stack.engineProcess.signal('SIGKILL'),
  'engine stopped in order': async ({ stack }) => stack.engineProcess.stop(),
  'engine asleep': async ({ stack, random }) => {
    stack.engineProcess.signal('SIGSTOP')
    await sleep(200 + random.below(4000))
    stack.engineProcess.signal('SIGCONT')
  },
  'api killed': async ({ stack }) => stack.apiProcess.signal('SIGKILL'),
  'PostgreSQL killed': ({ stack, random }) =>
    stack.killPostgres(() => sleep(100 + random.below(4000))),
  'PostgreSQL asleep': async ({ stack, random }) => {
    process.kill(stack.postgres.pid, 'SIGSTOP')
    await sleep(200 + random.below(3000))
    process.kill(stack.postgres.pid, 'SIGCONT')
  },
  'database line cut': async ({ database }) => database.cut(),
  'database line slow': async ({ database, random }) => {
    database.line.delayMs = 5 + random.below(50)
    await sleep(2000)
    database.line.delayMs = 0
  },
  'database line silent': async ({ database, random }) => {
    database.line.silent = true
    await sleep(200 + random.below(3000))
    database.cut()
    database.line.silent = false
  },
  'commit cut': async ({ cutter, random }) => {
    cutter.cuts = 1 + random.below(3)
  },
  'disk slow': async ({ shim, random }) => {
    shim?.slow(1000 * (1 + random.below(100)))
    await sleep(1000)
    shim?.slow(0)
  },
  'disk failing': async ({ shim }) => shim?.fail(1),
  'configuration changed': async ({ stack, random }) => {
    const card = stack.card('load_plain_' + (10 + random.below(20)))
    const status = random.below(2) === 0 ? 'suspended' : 'active'
    await changeConfig(
      stack,
      (sql) => sql`update cards set status = ${status} where id = ${card.id}`,
    )
  },
}

export async function main(): Promise<number> {
  const invocation = readInvocation()
  if (typeof invocation === 'string') {
    process.stdout.write(invocation)
    return 2
  }
  const { minutes, seed } = invocation
  say('seed ' + seed + ', ' + minutes + ' minutes')
  const problems = await cleaned((cleaner) =>
    soak(cleaner, minutes * MS_PER_MINUTE, new Random(seed)),
  )
  for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX)) say('PROBLEM ' + problem)
  say((problems.length === 0 ? 'nothing' : problems.length + ' problems') + ' found, seed ' + seed)
  return problems.length === 0 ? 0 : 1
}

function readInvocation(): { minutes: number; seed: number } | string {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: MINUTES_DEFAULT },
        seed: { type: 'string' },
      },
    })
    const minutes = Number(values.minutes)
    const seed = Number(values.seed ?? systemClock.nowMs() % SEEDS)
    if (!(minutes > 0) || !Number.isSafeInteger(seed))
      return 'Give numbers; --help explains them.\n'
    return { minutes, seed }
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)) + '\n'
  }
}

async function soak(t: Cleaner, lastsMs: number, random: Random): Promise<string[]> {
  const shim = buildShim(t)
  if (shim === null) say('disk faults skipped: ' + NO_COMPILER)
  const world = await openWorld(t, random, shim)
  const { stack } = world
  const limited = stack.card('limited_plain')
  const cards = [limited, ...['load_plain_1', 'load_plain_2', 'load_realtime_1'].map(stack.card)]
  const witness = openWitness(stack, cards, {
    senders: SENDERS,
    pauseMs: PAUSE_MS,
    purchasesOnly: [limited],
  })
  const end = new AbortController()
  const running = witness.run(end.signal)
  const watching = [stack.engineProcess, stack.apiProcess].map((part) =>
    keepRunning(part, end.signal),
  )
  const sampling = [stack.engineProcess, stack.apiProcess].map((part) =>
    sampleUntil(end.signal, () => part.pid, SAMPLE_MS),
  )
  const counts = await injectFaults(world, lastsMs, () => witness.answered)
  const problems: string[] = []
  await until(() => stack.ready(), MS_PER_MINUTE).catch(() =>
    problems.push('not ready a minute later'),
  )
  end.abort()
  await Promise.all([running, ...watching])
  const [engine = [], api = []] = await Promise.all(sampling)
  say([...counts].map(([name, count]) => name + ' ' + count).join(', '))
  say(witness.answered + ' answered; refused: ' + ([...witness.refusals].join(', ') || 'never'))
  say(growthLine('engine', engine))
  say(growthLine('api', api))
  problems.push(...(await witness.compare()))
  const spent = await approvedCents(stack, limited.id)
  if (spent > LIMIT_CENTS) problems.push('the limited card spent ' + spent + ' of ' + LIMIT_CENTS)
  return problems
}

async function openWorld(t: Cleaner, random: Random, shim: Shim | null): Promise<World> {
  let database: Relay | null = null
  let cutter: CommitCutter | null = null
  // A generator of its own for the tenant: the number of requests to it must not change the faults.
  const moods = new Random(random.below(SEEDS))
  const stack = await startStack(t, {
    dispatcher: true,
    behave: () => ({
      kind: 'reply',
      body: moods.below(4) === 0 ? '{"approve":false}' : '{"approve":true}',
      afterMs: moods.below(10) === 0 ? 1400 + moods.below(400) : moods.below(100),
    }),
    environment: {
      SVC_SNAPSHOT_ENTRIES: '5000',
      SVC_JOURNAL_SEGMENT_BYTES: String(4 * 1024 * 1024),
    },
    engineEnvironment: (directory) => shim?.environment(directory + '/journal') ?? {},
    async databaseFor(url) {
      cutter = await openCommitCutter(t, url)
      const { hostname, port } = new URL(cutter.url)
      database = await openProxy(t, { host: hostname, port: Number(port) })
      return throughProxy(cutter.url, database)
    },
  })
  if (database === null || cutter === null) throw new Error('no proxy')
  return { stack, random, shim, database, cutter }
}

/** Injects one fault after the other until the time is over; returns the number of each. */
async function injectFaults(
  world: World,
  lastsMs: number,
  answered: () => number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const names = Object.keys(FAULTS)
  const endMs = systemClock.nowMs() + lastsMs
  while (systemClock.nowMs() < endMs) {
    await sleep(CALM_MS_MIN + world.random.below(CALM_MS_MAX - CALM_MS_MIN))
    const name = names[world.random.below(names.length)] ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
    // A process that is starting, or a database that is down, makes a fault moot, not the run.
    await FAULTS[name]?.(world).catch((error: unknown) =>
      say(name + ' did not happen: ' + String(error)),
    )
    say(name + ', ' + answered() + ' answered')
  }
  return counts
}

const RESTART_MS = 100

/** Restarts a process that ended, like the supervisor. */
async function keepRunning(part: Stack['engineProcess'], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const exit = await Promise.race([part.exited, sleep(RESTART_MS)])
    if (exit === undefined) continue
    await part.tryStart()
  }
}

function say(line: string): void {
  process.stdout.write(line + '\n')
}
