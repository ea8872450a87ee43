// The processes of the service and how each is run: its script, its environment, its log.
import { join } from 'node:path'
import type { Clock } from '../../shared/clock.ts'
import { nodeBehind } from '../../shared/node-release.ts'
import { FIRST_SHARD, shardDirectory } from '../../shared/shards.ts'
import type { Claim } from './claim.ts'
import type { Environment, StartConfig } from './config.ts'
import { configCacheGuard } from './engine-cache.ts'
import { followLogFile } from './log-file.ts'
import { runNodeProcess } from './node-process.ts'
import { assignPriority, type Priority, threadsApart } from './process-priority.ts'
import { type Run, type Supervised, supervise } from './supervise.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** The start itself says this once. */
const OLD_NODE = nodeBehind(process.version)

const SCRIPTS = {
  engine: 'engine/main.ts',
  door: 'engine/door/main.ts',
  api: 'api/main.ts',
  dispatcher: 'api/dispatcher.ts',
  settler: 'api/payments/settler/main.ts',
  'outside-parties': 'scripts/outside-parties/main.ts',
} as const

/**
 * The flags of V8 for the engine. The collector lets garbage stand up to the size of the heap, and
 * lasting data is kept outside of it: with a million cards and ten million answers this keeps the
 * engine below 1.2 GB.
 * --max-semi-space-size: the objects of a message wait for the disk. With room in the young
 * generation they die there and are never copied.
 * --heap-growing-percent: V8 marks a heap this small whenever it has grown by four tenths. This
 * lets it grow to two and a half times first.
 * --no-allocation-site-pretenuring: while the cards come in, most objects last. V8 would conclude
 * that objects from the same places always last, allocate parts of every message in the old
 * generation ever after, and take three times as long to collect the young one.
 * --no-memory-reducer: when messages become few, V8 would mark the whole heap once more to give
 * memory back, and the next message would wait tens of milliseconds.
 * --v8-pool-size: the collector's threads have the weight of the thread that decides and delay it
 * on few processors. One is enough for this heap.
 * `npm run engine` sets the same flags.
 */
export const ENGINE_HEAP: readonly string[] = [
  '--max-old-space-size=512',
  '--max-semi-space-size=32',
  '--heap-growing-percent=150',
  '--no-allocation-site-pretenuring',
  '--no-memory-reducer',
  '--v8-pool-size=1',
]

/**
 * Chosen: the engine's memory stands in pages of 2 MB where the system has them (glibc only). After
 * every system call a processor translates addresses anew; with large pages it finds a card's rows
 * in one step less. `npm run engine` sets the same; an operator's own setting stands.
 */
export const ENGINE_MEMORY: Environment = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }

/**
 * The flags of V8 for the API. The objects of a journal page live until the page is written; with
 * enough room they die young. The four default threads of the collector would take every processor
 * at once. `npm run api` sets the same flags.
 */
export const API_HEAP: readonly string[] = ['--max-semi-space-size=32', '--v8-pool-size=1']

/**
 * The flag of V8 for the processes of a sandbox beside the line: it keeps the young generation at a
 * megabyte and lets the old one grow in small steps. Measured when all modules are loaded: the api
 * 87 MB instead of 126, the dispatcher 64 instead of 102, in the same time. `npm start` sets it for
 * itself too; the single commands do not, because bursts of journal pages need the room.
 */
export const SANDBOX_HEAP: readonly string[] = ['--optimize-for-size']

/**
 * The priority of each process on few processors. The engine waits for the answer of the
 * sandbox's tenant, one of the outside parties.
 */
const TURNS: { readonly [Name in keyof typeof SCRIPTS]: Priority | 'between' } = {
  engine: 'first',
  door: 'first',
  api: 'back',
  dispatcher: 'last',
  settler: 'last',
  'outside-parties': 'between',
}

const MEMORY: { readonly [Name in keyof typeof SCRIPTS]?: Environment } = { engine: ENGINE_MEMORY }

const HEAPS: { readonly [Name in keyof typeof SCRIPTS]?: readonly string[] } = {
  engine: ENGINE_HEAP,
  api: API_HEAP,
}

type ScriptName = keyof typeof SCRIPTS
/** The engine of a shard beyond the first one carries its name. */
export type ProcessName = ScriptName | `engine-${string}`

function scriptOf(name: ProcessName): ScriptName {
  return name.startsWith('engine-') ? 'engine' : (name as ScriptName)
}

export interface ProcessWorld {
  config: StartConfig
  clock: Clock
  claim: Claim
  signal: AbortSignal
  say(line: string): void
}

/** The config cache of an engine. */
function cachePathOf(dataDir: string, engine: ProcessName): string {
  const shard = engine === 'engine' ? FIRST_SHARD : engine.slice('engine-'.length)
  return join(shardDirectory(dataDir, shard), 'facts')
}

/** Where a process writes its log. */
export function logPathOf(dataDir: string, name: string): string {
  return join(dataDir, 'logs', name + '.log')
}

interface Launch {
  name: ProcessName
  environment: Environment
  logPath: string
  /** Options of Node beside those that the process always has. */
  nodeOptions?: readonly string[]
  /** False: its threads run wherever the scheduler puts them. */
  threadsApart?: boolean
}

/** Runs one of the processes as a start does, at its priority, without supervision. */
export async function launchProcess(launch: Launch): Promise<Run> {
  const { environment, logPath, nodeOptions = [] } = launch
  const name = scriptOf(launch.name)
  const run = await runNodeProcess({
    script: join(ROOT, SCRIPTS[name]),
    nodeOptions: [...(HEAPS[name] ?? []), ...nodeOptions],
    arguments: [],
    environment: { ...MEMORY[name], ...environment },
    logPath,
  })
  const priority = TURNS[name]
  if (priority !== 'between') assignPriority(run.pid, priority)
  // A process that serves has begun its threads.
  if (priority === 'first' && launch.threadsApart !== false)
    void run.ready.then(() => threadsApart(run.pid, halfOf(launch.name)))
  return run
}

/** Engines of neighbouring shards decide on different processors. */
function halfOf(name: ProcessName): 'first' | 'second' {
  const shard = name.startsWith('engine-s') ? Number(name.slice('engine-s'.length)) : 1
  return shard % 2 === 1 ? 'first' : 'second'
}

/** Starts one of the processes and keeps it running; its warnings appear on the terminal. */
export function superviseProcess(
  world: ProcessWorld,
  name: ProcessName,
  additions: Environment,
): Supervised {
  const { config, claim } = world
  const logPath = logPathOf(config.dataDir, name)
  // While everything is being stopped, each part complains about the others: that is in the logs.
  const say = (line: string): void => {
    if (!world.signal.aborted) world.say(line)
  }
  const following = new AbortController()
  const repeat = (line: string): void => {
    if (OLD_NODE === null || !line.endsWith(OLD_NODE)) say(name + ' ' + line)
  }
  void followLogFile(logPath, repeat, following.signal)
  const supervised = supervise({
    name,
    clock: world.clock,
    logPath,
    launch: () =>
      launchProcess({
        name,
        environment: config.childEnvironment(additions),
        logPath,
        nodeOptions: TURNS[scriptOf(name)] === 'first' ? [] : SANDBOX_HEAP,
      }),
    onPid: (pid) => claim.remember(name, pid),
    say,
    ...(scriptOf(name) === 'engine'
      ? { onDeath: configCacheGuard(cachePathOf(config.dataDir, name), say) }
      : {}),
  })
  return {
    ...supervised,
    async stop() {
      await supervised.stop()
      following.abort()
    },
  }
}
