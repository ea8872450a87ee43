// On one machine the authorization line goes first: the engine at a higher priority where we may,
// everything beside it at a lower one, so that drained rows and webhooks wait for answers and not
// the other way round.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Clock, Timer } from '../../shared/clock.ts'

/**
 * Chosen: half of the range. The engine preempts at once; the others still get the time it leaves.
 */
const NICE = 10
/**
 * Chosen: half of the above for whole sessions. When the line takes every processor, the API still
 * answers.
 */
const SESSION_NICE = 5
/**
 * Chosen: a third of the API's share. A webhook may wait for callers of the API, and bursts of
 * webhooks do not delay an answer.
 */
const LAST_SESSION_NICE = 10
/**
 * Chosen: some ten times the share of any other process, which the engine uses only while it
 * decides.
 */
const FIRST_SESSION_NICE = -10
const LOOK_MS = 1000
/** Ahead of every thread without a real-time priority. */
const LOWEST_REAL_TIME = '1'
/** As libuv calls the threads of its pool. */
const WRITER_NAME = 'libuv-worker'

/** The place of a process: `first` decides, `back` waits for it, `last` waits for both. */
export type Priority = 'first' | 'back' | 'last'

/** Sets the priority of a process, if we may. */
export function assignPriority(pid: number, priority: Priority): void {
  if (priority === 'first') raisePriority(pid)
  else if (priority === 'back') lowerPriority(pid)
  else lowestPriority(pid)
}

/** Raises the session of the process that decides, where we may: the system lets only root. */
export function raisePriority(pid: number): void {
  setSession(pid, FIRST_SESSION_NICE)
}

/**
 * Lets the writing threads of a process run the moment they are woken (`chrt`, if we may), and
 * moves all of its threads away from the processors of the deciding thread (`taskset`, with two
 * processors or more).
 * Writing threads use some hundredths of a processor, but a sync wakes them up to three times. Each
 * time Linux lets the running thread go on for up to some milliseconds, whatever the priorities:
 * many times the duration of the write. Linux also runs them where they ran last, on the processor
 * of the deciding thread, although another is idle. Collecting and compiling threads would take
 * half of the deciding processor, a tenth of a second at a time.
 * `half`: the processors on which it decides. Engines of several shards decide on both by turns.
 */
export function threadsApart(pid: number, half: 'first' | 'second' = 'first'): void {
  const threads = listed('/proc/' + pid + '/task')
  const writers = threads.filter((id) => nameOf(pid, id) === WRITER_NAME)
  for (const writer of writers) run('chrt', ['--fifo', '--pid', LOWEST_REAL_TIME, String(writer)])
  const [low, high] = halvesOf(pid)
  const [deciding, others] = half === 'first' ? [low, high] : [high, low]
  moveTo(deciding, pid)
  for (const thread of threads) if (thread !== pid) moveTo(others, thread)
}

/**
 * Keeps a process that has begun its threads off the deciding processors of `threadsApart`, with
 * two processors or more and `taskset`: a process that stands for another machine must take nothing
 * there.
 */
export function keepOff(pid: number): void {
  const [, others] = halvesOf(pid)
  for (const thread of listed('/proc/' + pid + '/task')) moveTo(others, thread)
}

/**
 * The processors of a process: those of the deciding thread, and those of all others; both empty
 * with a single processor.
 */
function halvesOf(pid: number): [deciding: number[], others: number[]] {
  const processors = processorsOf(pid)
  if (processors.length < 2) return [[], []]
  const half = Math.ceil(processors.length / 2)
  return [processors.slice(0, half), processors.slice(half)]
}

/** On Linux the first thread of a process has its number. */
function moveTo(processors: readonly number[], thread: number): void {
  if (processors.length === 0) return
  run('taskset', ['-p', '-c', processors.join(), String(thread)])
}

function run(command: string, args: readonly string[]): void {
  spawn(command, args, { stdio: 'ignore' }).on('error', () => undefined)
}

/** The processors that it may use, by number; none if the system does not report them. */
function processorsOf(pid: number): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(statusOf(pid))?.[1]
  return (list?.split(',') ?? []).flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

function statusOf(pid: number): string {
  try {
    return readFileSync('/proc/' + pid + '/status', 'utf8')
  } catch {
    return ''
  }
}

/**
 * Lowers a process, its threads and its present children; later ones inherit it. Ignores what the
 * system forbids.
 */
export function lowerPriority(pid: number): void {
  lower(pid, SESSION_NICE)
}

/** Lowers it further than `lowerPriority`, in the same way. */
export function lowestPriority(pid: number): void {
  lower(pid, LAST_SESSION_NICE)
}

function lower(pid: number, sessionNice: number): void {
  for (const id of [pid, ...listed('/proc/' + pid + '/task'), ...childrenOf(pid)]) {
    try {
      setPriority(id, NICE)
    } catch {
      // Gone already, or a system without such ids: priority is a courtesy, not a need.
    }
  }
  setSession(pid, sessionNice)
}

/**
 * Stands back, and every child that it starts later too, in a session of its own as PostgreSQL's
 * are. Until the returned function is called.
 */
export function keepPriorityLow(pid: number, clock: Clock): () => void {
  lowerPriority(pid)
  let lowered = new Set<number>()
  let timer: Timer | null = null
  const look = (): void => {
    const children = childrenOf(pid)
    lowered = new Set(
      children.filter((child) => lowered.has(child) || setSession(child, SESSION_NICE)),
    )
    timer = clock.after(LOOK_MS, look)
  }
  look()
  return () => timer?.cancel()
}

/**
 * Linux gives sessions equal parts of a processor, where it groups them, and compares priorities
 * within one only. False where nothing was changed: it is our own session, there are no groups, or
 * the system wants to be asked later.
 */
function setSession(pid: number, nice: number): boolean {
  const path = '/proc/' + pid + '/autogroup'
  try {
    if (groupIn(path) === groupIn('/proc/self/autogroup')) return false
    writeFileSync(path, String(nice))
    return true
  } catch {
    return false
  }
}

/** `/autogroup-12 nice 0` → the name. */
function groupIn(path: string): string {
  return readFileSync(path, 'utf8').split(' ')[0] ?? ''
}

function nameOf(pid: number, thread: number): string {
  try {
    return readFileSync('/proc/' + pid + '/task/' + thread + '/comm', 'utf8').trim()
  } catch {
    return ''
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8')
    return text
      .split(' ')
      .filter((id) => id !== '')
      .map(Number)
  } catch {
    return []
  }
}

function listed(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number)
  } catch {
    return []
  }
}
