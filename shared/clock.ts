// The only caller of the system clock and of timers. Everything else takes a Clock or a moment as an argument.

/** Milliseconds since the Unix epoch. */
export type EpochMs = number

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** The moment, in milliseconds since the epoch. */
  nowMs(): EpochMs
  /** For durations only: never goes back, origin undefined, nanoseconds as a safe number. */
  monotonicNs(): number
  /** Runs `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Timer
}

const NS_PER_MS = 1e6

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // Not hrtime: its big integers would be garbage several times a message.
  monotonicNs: () => Math.round(performance.now() * NS_PER_MS),
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs)
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `delayMs`, or at once when the signal aborts; never rejects. */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(handle)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const handle = setTimeout(done, delayMs)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** Unix seconds of a moment. Spec 2.7 wants `created` so; Chosen: everywhere. */
export function unixSeconds(moment: EpochMs): number {
  return Math.floor(moment / 1000)
}

/** RFC 3339 in UTC with milliseconds. */
export function isoInstant(moment: EpochMs): string {
  return new Date(moment).toISOString()
}

/** A moment from RFC 3339 text, or null where the text is not one. A zone is required. */
export function parseInstant(text: string): EpochMs | null {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text))
    return null
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? null : moment
}
