// Nodes of etcd on loopback, as `npm run cluster` and the tests run them: three by default, each a
// process with a directory of its own, with the settings that an operator is told to use.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface EtcdNodesOptions {
  binary: string
  /** Holds a directory per node. */
  directory: string
  /** Holds a log file per node; that directory too when absent. */
  logDirectory?: string
  /** Two ports per node: for clients, then for the other nodes. */
  ports: readonly number[]
  /** Bytes of a node's database; 2 GiB when absent. */
  quotaBytes?: number
}

export interface EtcdNode {
  name: string
  /** `host:port` for clients. */
  endpoint: string
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  /** Starts a node that ended, on its directory. */
  start(): void
  /** Ends the node and empties its directory: its disk was replaced. */
  loseDisk(): Promise<void>
  stop(): Promise<void>
}

const QUOTA_BYTES = 2 * 1024 * 1024 * 1024

/** Starts every node; they are ready once a call is answered. */
export function startEtcdNodes(options: EtcdNodesOptions): readonly EtcdNode[] {
  const { binary, directory, ports, quotaBytes = QUOTA_BYTES } = options
  const { logDirectory = directory } = options
  const count = ports.length / 2
  const peers = Array.from(
    { length: count },
    (_, index) => 'n' + index + '=http://127.0.0.1:' + ports[2 * index + 1],
  )
  return peers.map((_, index) => {
    const name = 'n' + index
    const client = 'http://127.0.0.1:' + ports[2 * index]
    const peer = 'http://127.0.0.1:' + ports[2 * index + 1]
    mkdirSync(join(directory, name), { recursive: true, mode: 0o700 })
    const flags = [
      ['name', name],
      ['data-dir', join(directory, name)],
      ['listen-client-urls', client],
      ['advertise-client-urls', client],
      ['listen-peer-urls', peer],
      ['initial-advertise-peer-urls', peer],
      ['initial-cluster', peers.join(',')],
      ['initial-cluster-token', 'svc'],
      ['heartbeat-interval', '50'],
      ['election-timeout', '300'],
      ['snapshot-count', '10000'],
      ['quota-backend-bytes', String(quotaBytes)],
      ['auto-compaction-mode', 'revision'],
      ['auto-compaction-retention', '100000'],
    ].map(([flag, value]) => '--' + flag + '=' + value)
    return new Node({
      name,
      endpoint: '127.0.0.1:' + ports[2 * index],
      dataDir: join(directory, name),
      begin: () => begin(binary, [...flags, '--pre-vote'], join(logDirectory, name + '.log')),
    })
  })
}

function begin(binary: string, flags: readonly string[], logPath: string): ChildProcess {
  const child = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'pipe'] })
  const keep = (bytes: Buffer): void => appendFileSync(logPath, bytes)
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return child
}

interface NodeOptions {
  name: string
  endpoint: string
  dataDir: string
  begin(): ChildProcess
}

class Node implements EtcdNode {
  readonly name: string
  readonly endpoint: string
  readonly #begin: () => ChildProcess
  readonly #dataDir: string
  #child: ChildProcess

  constructor(options: NodeOptions) {
    this.name = options.name
    this.#dataDir = options.dataDir
    this.endpoint = options.endpoint
    this.#begin = options.begin
    this.#child = options.begin()
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get #ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  start(): void {
    if (this.#ended) this.#child = this.#begin()
  }

  async loseDisk(): Promise<void> {
    await this.stop()
    rmSync(this.#dataDir, { recursive: true, force: true })
    mkdirSync(this.#dataDir, { mode: 0o700 })
  }

  async stop(): Promise<void> {
    if (this.#ended) return
    const ended = once(this.#child, 'exit')
    // A paused node takes no other signal.
    this.#child.kill('SIGKILL')
    await ended
  }
}
