// Describes the machine of a run. A figure without its machine says nothing.
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { rounded } from './figures.ts'

/** Load of the machine, per processor, above which other programs are working on it. */
const QUIET_LOAD_MAX = 0.25
const SERVERS_END_S = 15
const BLOCK_BYTES = 4096
const SYNCS = 400
/** Values of linux/magic.h. */
const MEMORY_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
])

export interface SyncTime {
  /** Microseconds of one synced write of 4 KiB into a file that is there already. */
  p50_us: number
  p99_us: number
  file_system: string
}

export interface Machine {
  cpu: string
  processors: number
  memory_gb: number
  kernel: string
  node: string
  commit: string
  /** True where the sources are not those of the commit. */
  changed: boolean
  /** Load average of the last minute before the run. */
  load: number
  quiet: boolean
  /** Sync time in the directory that holds journals and databases of a run. */
  sync: SyncTime
  command: string
  date: string
}

/**
 * Where a run puts its journals and databases: BENCH_DIR, else the system's temporary directory.
 */
export function benchDirectory(): string {
  return process.env['BENCH_DIR'] ?? tmpdir()
}

/**
 * A fresh directory for one stand, gone with us at the latest; throws a sentence where it would not
 * lie on a disk.
 */
export function newDirectory(): string {
  const problem = memoryProblem(benchDirectory())
  if (problem !== null) throw new Error(problem)
  const directory = mkdtempSync(join(benchDirectory(), 'svc-bench-'))
  process.once('exit', () => remove(directory))
  return directory
}

/** Servers that are ending with us may still write into it for a while: it goes when they have. */
function remove(directory: string): void {
  if (!existsSync(directory)) return
  const script = 'rm -rf -- "$0" || true; sleep ' + SERVERS_END_S + '; rm -rf -- "$0"'
  spawn('/bin/sh', ['-c', script, directory], { detached: true, stdio: 'ignore' }).unref()
}

/** Why nothing durable can be measured in a directory, or null. */
export function memoryProblem(
  directory: string,
  typeOf: (path: string) => number = (path) => statfsSync(path).type,
): string | null {
  const name = MEMORY_FILE_SYSTEMS.get(typeOf(directory))
  if (name === undefined) return null
  return (
    directory +
    ' is ' +
    name +
    ', which keeps nothing: a journal there is synced to no device. ' +
    'Name a directory on a disk: BENCH_DIR=/var/tmp npm run bench'
  )
}

/** Measures how long the device of a directory takes to sync 4 KiB. */
export function measureSync(directory: string): SyncTime {
  const own = mkdtempSync(join(directory, 'svc-bench-sync-'))
  const path = join(own, 'blocks')
  const block = Buffer.alloc(BLOCK_BYTES, 1)
  try {
    const prepared = openSync(path, 'w')
    for (let at = 0; at < SYNCS; at++) writeSync(prepared, block)
    closeSync(prepared)
    const file = openSync(path, constants.O_WRONLY | constants.O_DSYNC)
    const times = Array.from({ length: SYNCS }, (_, at) => {
      const startedAt = performance.now()
      writeSync(file, block, 0, BLOCK_BYTES, at * BLOCK_BYTES)
      return (performance.now() - startedAt) * 1000
    }).sort((a, b) => a - b)
    closeSync(file)
    const at = (part: number): number => Math.round(times[Math.floor(SYNCS * part)] ?? 0)
    return { p50_us: at(0.5), p99_us: at(0.99), file_system: fileSystemOf(directory) }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

function fileSystemOf(directory: string): string {
  return run('stat', '-f', '-c', '%T', directory)
}

export function describeMachine(command: string): Machine {
  const load = rounded(loadavg()[0] ?? 0)
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: run('git', 'rev-parse', '--short', 'HEAD'),
    changed: run('git', 'status', '--porcelain', '--', 'api', 'engine', 'shared', 'bench') !== '',
    load,
    quiet: load / cpus().length <= QUIET_LOAD_MAX,
    sync: measureSync(benchDirectory()),
    command,
    date: new Date().toISOString(),
  }
}

/** The machine in one line. */
export function machineSentence(machine: Machine): string {
  const state = machine.quiet ? '' : '; others are working on it: believe ratios only'
  const { p50_us: p50, p99_us: p99, file_system: kind } = machine.sync
  return (
    [
      machine.processors + ' × ' + machine.cpu,
      machine.memory_gb + ' GB',
      'Linux ' + machine.kernel,
      'Node ' + machine.node,
      machine.commit + (machine.changed ? ' with changes' : ''),
      'a sync to ' + kind + ' ' + p50 + ' µs, p99 ' + p99 + ' µs',
    ].join(', ') + state
  )
}

function run(program: string, ...words: string[]): string {
  try {
    return execFileSync(program, words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}
