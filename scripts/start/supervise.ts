// Keeps one process running: starts it again when it dies, waits longer after each early death, and
// reports it.
import type { Clock } from '../../shared/clock.ts'
import { sleep } from '../../shared/clock.ts'
import { StartProblem } from './start-problem.ts'

/**
 * A process that lived this long after it was ready was healthy: its next restart is immediate
 * again.
 */
const HEALTHY_MS = 1000
/** Delay before the first restart; doubles with every death in a row. */
const RESTART_DELAY_MS = 100
const RESTART_DELAY_MS_MAX = 5000
/** The longest delay before the next run of a process that was ready before it died. */
const READY_RESTART_DELAY_MS_MAX = 800
/** From this many deaths in a row on, the sentence reports that the process keeps dying. */
const DEATHS_IN_A_ROW = 5
/** A process that was never ready gets this many attempts before the start fails. */
const FIRST_ATTEMPTS_MAX = 3

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last line of its log; null without one. */
  lastWords: string | null
}

/** One run of a process. `ready` resolves when it serves and stays pending when it dies first. */
export interface Run {
  readonly pid: number
  readonly ready: Promise<void>
  readonly exited: Promise<Exit>
  /** Asks it to end, and ends it by force after a deadline. */
  stop(): Promise<void>
}

export interface Supervision {
  name: string
  clock: Clock
  launch(): Promise<Run>
  /** Called between a death and the next run. */
  onDeath?(exit: Exit, livedMs: number): Promise<void>
  /** The pid that runs now, null while none does. */
  onPid?(pid: number | null): void
  say(line: string): void
  /** Where its log is, for the sentences. */
  logPath: string
}

export interface Supervised {
  readonly name: string
  /**
   * Resolves when it is ready for the first time; rejects with a StartProblem when it cannot become
   * so.
   */
  readonly firstReady: Promise<void>
  stop(): Promise<void>
}

interface Life {
  exit: Exit
  livedMs: number
  ready: boolean
  healthy: boolean
}

/** Starts the process and keeps it running until `stop`. */
export function supervise(supervision: Supervision): Supervised {
  const { name, clock, say } = supervision
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  // A caller that waits sees the rejection. Without a caller it must not crash the supervisor.
  first.promise.catch(() => undefined)
  let run: Run | null = null
  let served = false

  /** After the first success, not even being able to launch is a death like any other. */
  async function launchOrDie(): Promise<Run> {
    try {
      return await supervision.launch()
    } catch (error) {
      if (!served) throw error
      const lastWords = error instanceof Error ? error.message : String(error)
      const exit: Exit = { code: null, signal: null, lastWords }
      return {
        pid: 0,
        ready: new Promise(() => undefined),
        exited: Promise.resolve(exit),
        stop: async () => undefined,
      }
    }
  }

  async function liveOnce(): Promise<Life> {
    const startedNs = clock.monotonicNs()
    const current = await launchOrDie()
    run = current
    supervision.onPid?.(current.pid === 0 ? null : current.pid)
    if (stopping.signal.aborted) await current.stop()
    let readyNs = 0
    void current.ready.then(() => {
      readyNs = clock.monotonicNs()
      served = true
      first.resolve()
    })
    const exit = await current.exited
    run = null
    supervision.onPid?.(null)
    const nowNs = clock.monotonicNs()
    return {
      exit,
      livedMs: (nowNs - startedNs) / 1e6,
      ready: readyNs > 0,
      healthy: readyNs > 0 && (nowNs - readyNs) / 1e6 >= HEALTHY_MS,
    }
  }

  async function keepRunning(): Promise<void> {
    let deaths = 0
    while (!stopping.signal.aborted) {
      const { exit, livedMs, ready, healthy } = await liveOnce()
      if (stopping.signal.aborted) return
      deaths = healthy ? 1 : deaths + 1
      await supervision.onDeath?.(exit, livedMs)
      if (!served && deaths >= FIRST_ATTEMPTS_MAX) {
        throw new StartProblem(
          name + ' cannot start: ' + describeExit(exit) + '. Log: ' + supervision.logPath,
        )
      }
      const delayMs = restartDelayMs(deaths, ready)
      if (served) say(deathSentence(supervision, exit, deaths, delayMs))
      await sleep(delayMs, stopping.signal)
    }
  }

  const ended = keepRunning().catch((error: unknown) => {
    const problem =
      error instanceof Error ? error : new StartProblem(name + ' cannot start: ' + String(error))
    if (served) say(name + ' is no longer supervised: ' + problem.message)
    first.reject(problem)
  })

  return {
    name,
    firstReady: first.promise,
    async stop() {
      stopping.abort()
      await run?.stop()
      await ended
      first.reject(new StartProblem(name + ' was stopped before it was ready'))
    },
  }
}

/**
 * Milliseconds before the next run after so many deaths in a row (from 1); `ready`: the last run
 * was.
 */
export function restartDelayMs(deaths: number, ready: boolean): number {
  const delayMs = RESTART_DELAY_MS * 2 ** (deaths - 1)
  return Math.min(delayMs, ready ? READY_RESTART_DELAY_MS_MAX : RESTART_DELAY_MS_MAX)
}

function deathSentence(
  supervision: Supervision,
  exit: Exit,
  deaths: number,
  delayMs: number,
): string {
  const { name, logPath } = supervision
  if (deaths < DEATHS_IN_A_ROW)
    return name + ' died (' + describeExit(exit) + '), starting it again'
  return (
    name +
    ' keeps dying: ' +
    deaths +
    ' times in a row, last ' +
    describeExit(exit) +
    '. Next attempt in ' +
    delayMs / 1000 +
    ' s. Log: ' +
    logPath
  )
}

/** `exit code 70: cannot open the journal`. */
function describeExit(exit: Exit): string {
  const how = exit.signal ?? (exit.code === null ? 'ended' : 'exit code ' + exit.code)
  return exit.lastWords === null ? how : how + ': ' + exit.lastWords
}
