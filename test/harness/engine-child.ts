// An engine in a process of its own, as it is started in production: its log and its exit can be
// looked at. Config records come over its control socket, as in test/harness/engine.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { systemClock } from '../../shared/clock.ts'
import { FIRST_SHARD, shardSocket } from '../../shared/shards.ts'
import { COMPILED } from './compiled.ts'
import { MASTER_KEY_TEXT } from './engine.ts'
import { freePorts } from './free-ports.ts'
import { exchange, messageText, requestOf } from './raw-http.ts'
import { SEGMENT_BYTES } from './segment-bytes.ts'
import { newDataDir } from './start.ts'
import { happens } from './until.ts'

export const ENGINE_SCRIPT = new URL('../../engine/main.ts', import.meta.url).pathname

export interface EngineChild {
  url: string
  port: number
  directory: string
  child: ChildProcess
  client: EngineClient
  /** Everything it wrote to standard output and error. */
  output(): string
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>
}

export function engineEnvironment(directory: string, port: number): { [name: string]: string } {
  return {
    SVC_DATA_DIR: directory,
    SVC_ENGINE_PORT: String(port),
    SVC_MASTER_KEY: MASTER_KEY_TEXT,
    SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  }
}

/** Resolves when it listens and has its journal attached; it has no config records yet. */
export async function startEngineChild(
  t: { teardown(task: () => unknown): void },
  kept: {
    directory?: string
    port?: number
    environment?: { [name: string]: string }
    arguments?: readonly string[]
    /** The script of another version. */
    script?: string
    /** One of several shards, which a real link attaches to its own database. */
    shard?: string
    /** Called with its whole output so far, whenever it wrote more. */
    onOutput?: (output: string) => void
  } = {},
): Promise<EngineChild> {
  const directory = kept.directory ?? newDataDir(t)
  const port = kept.port ?? (await freePorts(1))[0] ?? 0
  const child = spawn(process.execPath, [kept.script ?? ENGINE_SCRIPT, ...(kept.arguments ?? [])], {
    env: { ...COMPILED, ...engineEnvironment(directory, port), ...kept.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes) => {
      output += bytes
      kept.onOutput?.(output)
    })
  }
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  )
  const client = createEngineClient({
    socketPath: shardSocket(join(directory, 'engine.sock'), kept.shard ?? FIRST_SHARD),
    clock: systemClock,
  })
  t.teardown(async () => {
    await client.close()
    child.kill('SIGKILL')
    await exited
  })
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  await Promise.race([ready, exited.then(() => Promise.reject(new Error(output)))])
  if (kept.shard === undefined) await client.attach({ database_id: 'test', journal: null })
  return {
    url: 'http://127.0.0.1:' + port,
    port,
    directory,
    child,
    client,
    output: () => output,
    exited,
  }
}

/** True if it runs and approves an ordinary message. */
export async function approvesStill(engine: EngineChild): Promise<boolean> {
  const approved = async (): Promise<boolean> => {
    const { text } = await exchange(engine.port, requestOf(messageText(), 'Connection: close\r\n'))
    return text.includes('"approved":true')
  }
  return engine.child.exitCode === null && (await happens(approved))
}

/** The files below its directory in which the text stands. */
export function filesWith(engine: EngineChild, text: string): string[] {
  return readdirSync(engine.directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
}
