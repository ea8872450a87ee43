// On one machine the authorization line goes first: the engine at a higher priority where we may, everything beside it at a lower
// one, so that drained rows and webhooks wait for answers and not the other way round.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Clock, Timer } from '../../shared/clock.ts'

/** Chosen: half way down. The engine preempts at once; the others still get what it leaves. */
const NICE = 10
/** Chosen: of whole sessions less. Where the line takes everything, the API still answers. */
const SESSION_NICE = 5
/** Chosen: a third of the API's part. A webhook may wait for whoever waits for an answer, and bursts of many do not delay one. */
const LAST_SESSION_NICE = 10
/** Chosen: some ten times the part of anybody else, which it takes only while it decides. */
const FIRST_SESSION_NICE = -10
const LOOK_MS = 1000

/** Raises the session of the process that decides, where we may: the system lets only root. */
export function goFirst(pid: number): void {
  setSession(pid, FIRST_SESSION_NICE)
}

/** Lowers a process, its threads and its present children; later ones inherit. Quietly does what it may. */
export function standBack(pid: number): void {
  lower(pid, SESSION_NICE)
}

/** Lowers it further than what stands back, in the same way. */
export function standLast(pid: number): void {
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
 * Stands back, and every child that it starts later too, in a session of its own as PostgreSQL's are. Until the returned function
 * is called.
 */
export function keepBack(pid: number, clock: Clock): () => void {
  standBack(pid)
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
 * Linux gives sessions equal parts of a processor, where it groups them, and compares priorities within one only. False where
 * nothing was changed: it is our own session, there are no groups, or the system wants to be asked later.
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
