// When each message of an open-loop load is meant to leave. The schedule never looks at answers: a
// slow service meets the same stream as a fast one, and a message that had to wait is charged for
// its wait.

const NS_PER_S = 1e9

export interface Schedule {
  /** Messages in all. */
  readonly count: number
  /** Nanoseconds after the start at which message `index` (from 0) is meant to leave. */
  intendedNs(index: number): number
  /** How many messages are meant to have left once `elapsedNs` have passed. */
  dueBy(elapsedNs: number): number
}

/** Evenly spaced: message i leaves at i / rate. */
export function evenSchedule(load: { ratePerS: number; seconds: number }): Schedule {
  const { ratePerS } = load
  const count = Math.floor(ratePerS * load.seconds)
  const intendedNs = (index: number): number => Math.floor((index * NS_PER_S) / ratePerS)
  return {
    count,
    intendedNs,
    dueBy(elapsedNs) {
      if (elapsedNs < 0) return 0
      let due = Math.floor((elapsedNs * ratePerS) / NS_PER_S) + 1
      // Rounding may be off by one message either way; the schedule itself decides.
      if (intendedNs(due) <= elapsedNs) due++
      else if (intendedNs(due - 1) > elapsedNs) due--
      return Math.min(due, count)
    },
  }
}

/**
 * True for the messages that go to a card whose tenant is asked: `share` of them, evenly spread,
 * the same every run.
 */
export function asksTenant(index: number, share: number): boolean {
  return Math.floor((index + 1) * share) > Math.floor(index * share)
}
