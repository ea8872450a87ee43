// A front door in a process of its own before a cluster of a test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Cluster } from './cluster.ts'
import { COMPILED } from './compiled.ts'
import { MASTER_KEY_TEXT } from './engine.ts'
import { freePorts } from './free-ports.ts'
import type { Teardown } from './postgres.ts'
import { newDataDir } from './start.ts'

const DOOR_SCRIPT = new URL('../../engine/door/main.ts', import.meta.url).pathname

export interface TestDoor {
  port: number
  child: ChildProcess
  output(): string
  /** Its metrics page. */
  metrics(): Promise<string>
}

/** A door before the members of a cluster. */
export function startDoor(t: Teardown, { nodes }: Pick<Cluster, 'nodes'>): Promise<TestDoor> {
  const endpoints = nodes.map(({ endpoint }) => endpoint)
  return startDoorWith(t, { SVC_DATA_DIR: newDataDir(t), SVC_ETCD: endpoints.join(',') })
}

/** A door with settings of the test's own. */
export async function startDoorWith(
  t: Teardown,
  environment: { readonly [name: string]: string },
): Promise<TestDoor> {
  const [port = 0] = await freePorts(1)
  const child = spawn(process.execPath, [DOOR_SCRIPT], {
    env: {
      ...COMPILED,
      SVC_DOOR_PORT: String(port),
      SVC_MASTER_KEY: MASTER_KEY_TEXT,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      output += bytes
    })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const ready = once(child, 'message')
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(output)))
  ended.catch(() => undefined)
  await Promise.race([ready, ended])
  return {
    port,
    child,
    output: () => output,
    metrics: async () => (await fetch('http://127.0.0.1:' + port + '/metrics')).text(),
  }
}
