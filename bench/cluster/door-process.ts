// A front door under measurement, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../shared/clock.ts'
import { cpuUsOf, freePort } from '../server-process.ts'

const DOOR = new URL('../../engine/door/main.ts', import.meta.url).pathname
const LOOK_MS = 20
const KIB = 1024

/** Bytes of memory that a process has: of its own, and of files that it maps. */
export interface Memory {
  own: number
  mapped: number
}

export interface Door {
  port: number
  /** Processor time since the start, in microseconds. */
  cpuUs(): number
  memory(): Memory
  /** Resolves once it answers messages and reaches the owner of so many shards. */
  ready(shards: number): Promise<void>
  end(): Promise<void>
}

/** Starts a door on a data directory; resolves once it listens. */
export async function startDoor(
  dataDir: string,
  environment: { readonly [name: string]: string },
): Promise<Door> {
  const port = await freePort()
  const log = openSync(join(dataDir, 'door.log'), 'a')
  const child = spawn(process.execPath, [DOOR], {
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: dataDir,
      SVC_DOOR_PORT: String(port),
      ...environment,
    },
  })
  const pid = child.pid ?? 0
  const failed = once(child, 'exit').then(() => {
    throw new Error('the front door ended: ' + readFileSync(join(dataDir, 'door.log'), 'utf8'))
  })
  failed.catch(() => undefined)
  await Promise.race([once(child, 'message'), failed])
  return {
    port,
    cpuUs: () => cpuUsOf(pid),
    memory: () => memoryOf(pid),
    async ready(shards) {
      while (!(await isReady(port, shards))) await sleep(LOOK_MS)
    },
    end: () => ended(child),
  }
}

async function isReady(port: number, shards: number): Promise<boolean> {
  const page = await (await fetch('http://127.0.0.1:' + port + '/metrics')).text()
  const reached = page.match(/^svc_door_reached(\{.*\})? 1$/gm)?.length ?? 0
  return reached >= shards && /^svc_ready 1$/m.test(page)
}

/** Memory of a process, in bytes. */
export function memoryOf(pid: number): Memory {
  const status = readFileSync('/proc/' + pid + '/status', 'utf8')
  const bytes = (field: string): number =>
    Number(new RegExp('^' + field + ':\\s*(\\d+) kB$', 'm').exec(status)?.[1] ?? 0) * KIB
  return { own: bytes('RssAnon'), mapped: bytes('RssFile') }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
