// A server under measurement: a process of its own, and how much processor time it has used.

import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { loopbackPort } from '../scripts/start/ports.ts'
import { assignPriority, type Priority } from '../scripts/start/process-priority.ts'

export interface Server {
  name: string
  port: number
  pid: number
  /** Microseconds of processor time, all its threads, since it started. */
  cpuUs(): number
  stop(): Promise<void>
}

const READY_MS_MAX = 60_000
/** Linux counts in hundredths of a second, whatever the clock of the kernel. */
const TICK_US = 10_000

/** Starts `file`, which reports to its parent when it serves; its log goes to `logFile`. */
export async function startServer(options: {
  name: string
  file: string
  logFile: string
  port: number
  environment: { readonly [name: string]: string }
  /** Absent: the process keeps its priority. */
  priority?: Priority
}): Promise<Server> {
  const { name, file, logFile, port, environment, priority } = options
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', log, 'inherit', 'ipc'],
    // The process leads a session of its own, as in `npm start`.
    detached: priority !== undefined,
  })
  if (priority !== undefined && child.pid !== undefined) assignPriority(child.pid, priority)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await ready(child, name)
  return {
    name,
    port,
    pid: child.pid ?? 0,
    cpuUs: () => cpuUsOf(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * Node's options for a measured process: BENCH_PROFILE names a directory for its processor profile.
 */
export function profiled(): readonly string[] {
  const directory = process.env['BENCH_PROFILE']
  return directory === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir=' + directory]
}

function ready(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(name + ' does not start')), READY_MS_MAX)
    child.once('exit', (code) => reject(new Error(name + ' ended with ' + code)))
    child.once('message', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Microseconds of processor time of all threads since the start; on request with those of children
 * that ended.
 */
export function cpuUsOf(pid: number, { waitedFor = false } = {}): number {
  const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
  // The name in parentheses may hold any character. User and system time are the twelfth and
  // thirteenth field after it, those of the children the next two.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, waitedFor ? 15 : 13)
  return ticks.reduce((sum, field) => sum + Number(field), 0) * TICK_US
}

/** Microseconds of a process, of the children it waited for, and of its living children. */
export function treeCpuUs(pid: number): number {
  let sum = cpuUsOf(pid, { waitedFor: true })
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync('/proc/' + name + '/stat', 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      if (parent === pid) sum += cpuUsOf(Number(name))
    } catch {
      // The process ended meanwhile; its parent has its time.
    }
  }
  return sum
}

/** One that no outgoing call gets. */
export function freePort(): Promise<number> {
  return loopbackPort(null)
}
