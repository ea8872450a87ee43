// One machine of a cluster: an engine for each shard and an api, with a directory of their own,
// kept running, and what can happen to them.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../shared/clock.ts'
import { FIRST_SHARD, shardDirectory, shardNames } from '../../shared/shards.ts'
import { runNodeProcess } from '../start/node-process.ts'
import { API_HEAP, ENGINE_HEAP } from '../start/processes.ts'
import { type Supervised, supervise } from '../start/supervise.ts'
import { childEnvironment } from './config.ts'
import {
  type EngineLayout,
  endpointsOf,
  type Layout,
  type MachineLayout,
  shardsOf,
} from './layout.ts'

const ROOT = join(import.meta.dirname, '..', '..')

type Environment = { readonly [name: string]: string | undefined }

interface Script {
  name: string
  script: string
  directory: string
  heap: readonly string[]
  environment: Environment
  onPid?(pid: number | null): void
}

/** Keeps a process of the cluster running, with its log in the directory. */
export function keepRunning(script: Script, say: (line: string) => void): Supervised {
  const { name, directory, heap, environment } = script
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const logPath = join(directory, name.split(' ')[0] + '.log')
  return supervise({
    name,
    clock: systemClock,
    logPath,
    launch: () =>
      runNodeProcess({
        script: join(ROOT, script.script),
        nodeOptions: heap,
        arguments: [],
        environment: { ...childEnvironment(), ...environment },
        logPath,
      }),
    say,
    ...(script.onPid === undefined ? {} : { onPid: script.onPid }),
  })
}

/** One engine of a machine: a member of one shard. */
export class ShardEngine {
  readonly shard: string
  readonly linkAddress: string
  readonly #script: Omit<Script, 'onPid'>
  readonly #say: (line: string) => void
  #engine: Supervised | null = null
  #pid: number | null = null

  constructor(shard: string, at: EngineLayout, { machine, environment, say }: EngineOptions) {
    this.shard = shard
    this.linkAddress = '127.0.0.1:' + at.linkPort
    this.#say = say
    this.#script = {
      name: (shard === FIRST_SHARD ? 'engine ' : 'engine-' + shard + ' ') + machine.name,
      script: 'engine/main.ts',
      directory: machine.directory,
      heap: ENGINE_HEAP,
      environment: {
        ...environment,
        SVC_SHARD: shard,
        SVC_ENGINE_PORT: String(at.enginePort),
        SVC_MEMBER_ADDRESS: this.linkAddress,
      },
    }
  }

  /** The engine's process now; null while none runs. */
  get pid(): number | null {
    return this.#pid
  }

  /** The journal of this member. */
  get journalDir(): string {
    return join(shardDirectory(this.#script.directory, this.shard), 'journal')
  }

  async start(): Promise<void> {
    const onPid = (pid: number | null): void => {
      this.#pid = pid
    }
    this.#engine = keepRunning({ ...this.#script, onPid }, this.#say)
    await this.#engine.firstReady
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT')
    await this.#engine?.stop()
  }

  /** Sends the engine a signal; false where it does not run. */
  signal(signal: NodeJS.Signals): boolean {
    if (this.#pid === null) return false
    process.kill(this.#pid, signal)
    return true
  }

  /** The journal's disk is replaced by an empty one. */
  async loseDisk(): Promise<void> {
    this.signal('SIGKILL')
    await this.#engine?.stop()
    rmSync(this.journalDir, { recursive: true, force: true })
    await this.start()
  }
}

interface EngineOptions {
  machine: { name: string; directory: string }
  environment: Environment
  say(line: string): void
}

export class Machine {
  readonly at: MachineLayout
  /** One per shard, the first one first. */
  readonly engines: readonly ShardEngine[]
  readonly #layout: Layout
  readonly #directory: string
  readonly #databaseUrl: string
  readonly #say: (line: string) => void
  #api: Supervised | null = null

  constructor(
    layout: Layout,
    at: MachineLayout,
    { databaseUrl, say }: { databaseUrl: string; say(line: string): void },
  ) {
    this.#layout = layout
    this.at = at
    this.#directory = join(layout.directory, at.name)
    this.#databaseUrl = databaseUrl
    this.#say = say
    const machine = { name: at.name, directory: this.#directory }
    const names = shardNames(at.engines.length)
    this.engines = at.engines.map((engine, index) => {
      const options = { machine, environment: this.#environment(), say }
      return new ShardEngine(names[index] ?? '', engine, options)
    })
  }

  async start(): Promise<void> {
    this.#api = keepRunning(
      {
        name: 'api ' + this.at.name,
        script: 'api/main.ts',
        directory: this.#directory,
        heap: API_HEAP,
        environment: {
          ...this.#environment(),
          SVC_API_PORT: String(this.at.apiPort),
          // Messages that a tenant simulates take the way of every network.
          SVC_ENGINE_PORT: String(this.#layout.doorPort),
          ...(shardsOf(this.#layout) > 1 && { SVC_DOOR_SOCKET: doorSocketOf(this.#layout) }),
          DATABASE_URL: this.#databaseUrl,
        },
      },
      this.#say,
    )
    const engines = this.engines.map((engine) => engine.start())
    await Promise.all([...engines, this.#api.firstReady])
  }

  async stop(): Promise<void> {
    await Promise.all([...this.engines.map((engine) => engine.stop()), this.#api?.stop()])
  }

  /** The member of a shard on this machine. */
  engine(shard: string): ShardEngine {
    const found = this.engines.find((engine) => engine.shard === shard)
    if (found === undefined) throw new Error('The cluster has no shard ' + shard + '.')
    return found
  }

  #environment(): Environment {
    return {
      SVC_DATA_DIR: this.#directory,
      SVC_MASTER_KEY: this.#layout.masterKey,
      SVC_ETCD: endpointsOf(this.#layout).join(','),
      SVC_SHARDS: String(this.at.engines.length),
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }
  }
}

/** The socket on which the front door takes config records from the apis. */
export function doorSocketOf(layout: Layout): string {
  return join(layout.directory, 'door', 'door.sock')
}
