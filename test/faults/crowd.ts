// Two kinds of load on one listener of an engine that gets only a share of one core: as many
// messages as it can take, and more. The loads alternate, so that other work on the machine affects
// both alike. The test compares decisions per second of processor time of the decision thread,
// which does not depend on the share of the machine.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build as buildHistogram, type Histogram } from 'hdr-histogram-js'
import { sleep, systemClock } from '../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import type { Teardown } from '../harness/postgres.ts'
import type { Stack } from './stack.ts'

const BEAT_MS = 2
/** The engine runs for the first span, then rests for the second. */
const [RUNS_MS, RESTS_MS] = [4, 12]

/** The outcome of one message: a decision, a refusal because of overload, or a problem. */
export interface Came {
  as: 'answer' | 'refusal' | { problem: string }
  tookMs: number
}

/** A connection to one listener of the engine. */
export interface CrowdedListener {
  /** Sends a purchase of one cent; `number` chooses the card. */
  send(number: number): Promise<Came>
  /**
   * The network stops sending beyond this number of open messages, given the engine's rate per
   * second.
   */
  underWayMax(perS: number): number
  close(): void
}

/** The result of one kind of load. */
export interface Phase {
  /** Decided within the budget, counted from the time of sending. */
  decided: number
  late: number
  refused: Histogram
  answered: Histogram
  /** Messages that the network held back itself. */
  unsent: number
  wallMs: number
  /** Milliseconds in which the decision thread ran, or wanted to run. */
  ranMs: number
  wantedMs: number
  problems: Set<string>
}

/** The result of a load that has not begun. */
export function newPhase(): Phase {
  const [refused, answered] = [buildHistogram(), buildHistogram()]
  const counted = { decided: 0, late: 0, unsent: 0, wallMs: 0, ranMs: 0, wantedMs: 0 }
  return { ...counted, refused, answered, problems: new Set() }
}

/**
 * Stops and continues a process in short turns. The throttle is its own process, so that one client
 * is enough for it.
 */
export function throttle(t: Teardown, pid: number): () => Promise<void> {
  const script = `
    const cell = new Int32Array(new SharedArrayBuffer(4))
    const wait = (ms) => Atomics.wait(cell, 0, 0, ms)
    for (;;) {
      process.kill(${pid}, 'SIGCONT')
      wait(${RUNS_MS})
      if (process.ppid === 1) process.exit()
      process.kill(${pid}, 'SIGSTOP')
      wait(${RESTS_MS})
    }`
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const release = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    // A stopped process continues, if it still exists.
    spawnSync('kill', ['-CONT', String(pid)])
  }
  t.teardown(release)
  return release
}

/** Runs `senders` loops, each of which waits for its answer before it sends again. */
export async function closedLoop(
  listener: CrowdedListener,
  phase: Phase,
  { senders, ms }: { senders: number; ms: number },
): Promise<void> {
  const untilMs = systemClock.nowMs() + ms
  await Promise.all(
    Array.from({ length: senders }, async (_, number) => {
      while (systemClock.nowMs() < untilMs) count(phase, await listener.send(number))
    }),
  )
}

/** Sends at the given rate, whatever the answers are, as long as the network sends at all. */
export async function openLoop(
  listener: CrowdedListener,
  phase: Phase,
  { perS, fits, ms }: { perS: number; fits: number; ms: number },
): Promise<void> {
  const underWayMax = listener.underWayMax(fits)
  const beganMs = systemClock.nowMs()
  const underWay = new Set<Promise<void>>()
  for (let sent = 0; ; ) {
    const passedMs = systemClock.nowMs() - beganMs
    if (passedMs >= ms) break
    for (; sent < (passedMs * perS) / 1000; sent++) {
      if (underWay.size >= underWayMax) {
        phase.unsent += 1
        continue
      }
      const one = listener.send(sent).then((came) => count(phase, came))
      underWay.add(one)
      void one.then(() => underWay.delete(one))
    }
    await sleep(BEAT_MS)
  }
  await Promise.all(underWay)
}

function count(phase: Phase, { as, tookMs }: Came): void {
  if (as === 'answer') {
    phase.answered.recordValue(Math.round(tookMs))
    if (tookMs <= AUTH_BUDGET_MS) phase.decided += 1
    else phase.late += 1
  } else if (as === 'refusal') phase.refused.recordValue(Math.round(tookMs))
  else phase.problems.add(as.problem + ' instead of an answer')
}

/** Measures a load: by the clock, and by the kernel's account of the decision thread. */
export async function measured(
  stack: Stack,
  phase: Phase,
  load: () => Promise<void>,
): Promise<void> {
  const [wallMs, thread] = [systemClock.nowMs(), threadMs(stack)]
  await load()
  const after = threadMs(stack)
  phase.wallMs += systemClock.nowMs() - wallMs
  phase.ranMs += after.ran - thread.ran
  phase.wantedMs += after.ran - thread.ran + after.waited - thread.waited
}

/** Milliseconds in which the decision thread ran and in which it waited for a core. */
function threadMs({ engineProcess: { pid } }: Stack): { ran: number; waited: number } {
  const text = readFileSync('/proc/' + pid + '/task/' + pid + '/schedstat', 'utf8')
  const [ran = 0, waited = 0] = text.split(' ').map((ns) => Number(ns) / 1e6)
  return { ran, waited }
}
