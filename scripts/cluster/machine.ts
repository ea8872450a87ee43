// One machine of a cluster: an engine and an api with a directory of their own, kept running, and
// what can happen to them.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../shared/clock.ts'
import { runNodeProcess } from '../start/node-process.ts'
import { API_HEAP, ENGINE_HEAP } from '../start/processes.ts'
import { type Supervised, supervise } from '../start/supervise.ts'
import { childEnvironment } from './config.ts'
import { endpointsOf, type Layout, type MachineLayout } from './layout.ts'

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

export class Machine {
  readonly at: MachineLayout
  readonly directory: string
  readonly #layout: Layout
  readonly #databaseUrl: string
  readonly #say: (line: string) => void
  #engine: Supervised | null = null
  #api: Supervised | null = null
  #pid: number | null = null

  constructor(
    layout: Layout,
    at: MachineLayout,
    { databaseUrl, say }: { databaseUrl: string; say(line: string): void },
  ) {
    this.#layout = layout
    this.at = at
    this.directory = join(layout.directory, at.name)
    this.#databaseUrl = databaseUrl
    this.#say = say
  }

  get linkAddress(): string {
    return '127.0.0.1:' + this.at.linkPort
  }

  /** The engine's process now; null while none runs. */
  get pid(): number | null {
    return this.#pid
  }

  async start(): Promise<void> {
    this.#startEngine()
    this.#api = keepRunning(
      {
        name: 'api ' + this.at.name,
        script: 'api/main.ts',
        directory: this.directory,
        heap: API_HEAP,
        environment: {
          ...this.#environment(),
          SVC_API_PORT: String(this.at.apiPort),
          DATABASE_URL: this.#databaseUrl,
        },
      },
      this.#say,
    )
    await Promise.all([this.#engine?.firstReady, this.#api.firstReady])
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT')
    await Promise.all([this.#engine?.stop(), this.#api?.stop()])
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
    rmSync(join(this.directory, 'journal'), { recursive: true, force: true })
    this.#startEngine()
    await this.#engine?.firstReady
  }

  #startEngine(): void {
    this.#engine = keepRunning(
      {
        name: 'engine ' + this.at.name,
        script: 'engine/main.ts',
        directory: this.directory,
        heap: ENGINE_HEAP,
        environment: { ...this.#environment(), SVC_MEMBER_ADDRESS: this.linkAddress },
        onPid: (pid) => {
          this.#pid = pid
        },
      },
      this.#say,
    )
  }

  #environment(): Environment {
    return {
      SVC_DATA_DIR: this.directory,
      SVC_ENGINE_PORT: String(this.at.enginePort),
      SVC_MASTER_KEY: this.#layout.masterKey,
      SVC_ETCD: endpointsOf(this.#layout).join(','),
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }
  }
}
