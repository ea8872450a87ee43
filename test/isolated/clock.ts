// A clock moved by hand. Timers that came due on the way run once, at the destination: a timer of
// every second does not run a million times because a month went by. Durations pass with the clock,
// except the short pauses in which a machine works: a disk does not wait for a story.
import { type Clock, systemClock, type Timer } from '../../shared/clock.ts'

/** Shorter than any wait of a story: deadlines, holds, the looks for expired holds. */
const PAUSE_MS_MAX = 500

export interface OwnClock extends Clock {
  /** Moves on to a moment, never back, and runs the timers that are due by then, earliest first. */
  moveTo(moment: number): void
}

interface Due {
  atMs: number
  task: () => void
}

/** Stands at a moment until it is moved. */
export function ownClock(startMs: number): OwnClock {
  let nowMs = startMs
  const timers = new Set<Due>()
  return {
    nowMs: () => nowMs,
    monotonicNs: () => (nowMs - startMs) * 1e6,
    after(delayMs, task): Timer {
      if (delayMs <= PAUSE_MS_MAX) return systemClock.after(delayMs, task)
      const timer: Due = { atMs: nowMs + delayMs, task }
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
    moveTo(moment) {
      nowMs = Math.max(nowMs, moment)
      const due = [...timers].filter(({ atMs }) => atMs <= nowMs)
      for (const timer of due.sort((one, two) => one.atMs - two.atMs)) {
        if (timers.delete(timer)) timer.task()
      }
    },
  }
}
