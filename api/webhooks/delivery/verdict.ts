// Outcome of an attempt → next state of its delivery. Pure: time, schedule and randomness are
// arguments.
import type { EpochMs } from '../../../shared/clock.ts'
import { ATTEMPTS_MAX, type AttemptOutcome } from './delivery.ts'

/**
 * Chosen: jitter adds up to a fifth and subtracts nothing, so no retry comes earlier than
 * documented.
 */
const JITTER_SHARE = 0.2
const ASKED_SHARE_MAX = 2
const ASKED_MS_MAX = 6 * 3_600_000

export type Verdict =
  | { kind: 'succeeded' }
  | { kind: 'retry'; dueAt: EpochMs }
  /** The last attempt of the cycle failed. */
  | { kind: 'exhausted' }

export interface RetrySchedule {
  /**
   * Delay before each of the five attempts, from the previous failure. SVC_WEBHOOK_RETRY_DELAYS.
   */
  delaysMs: readonly number[]
  /** A fraction in [0, 1). */
  random: () => number
}

/**
 * Chosen: success is any 2xx; a redirect or a "permanent" 4xx is a failed attempt like every other
 * answer.
 */
export function answeredWell(status: number): boolean {
  return status >= 200 && status <= 299
}

/**
 * `attempt` is the number of the attempt that just ended, 1 to ATTEMPTS_MAX; `now` is the moment of
 * its end.
 */
export function judgeAttempt(
  attempt: number,
  outcome: Pick<AttemptOutcome, 'errorClass' | 'retryAfterMs'>,
  now: EpochMs,
  schedule: RetrySchedule,
): Verdict {
  if (outcome.errorClass === null) return { kind: 'succeeded' }
  if (attempt >= ATTEMPTS_MAX) return { kind: 'exhausted' }
  const asked = now + askedDelayMs(outcome.retryAfterMs, schedule.delaysMs[attempt] ?? 0)
  return { kind: 'retry', dueAt: Math.max(asked, dueAt(attempt + 1, now, schedule)) }
}

/**
 * Chosen: Retry-After may only lengthen a delay, at most to twice the delay and never beyond six
 * hours.
 */
function askedDelayMs(retryAfterMs: number | null, delayMs: number): number {
  return Math.min(retryAfterMs ?? 0, ASKED_SHARE_MAX * delayMs, ASKED_MS_MAX)
}

/** When attempt number `attempt` may start, counted from `from`. */
export function dueAt(attempt: number, from: EpochMs, schedule: RetrySchedule): EpochMs {
  const delayMs = schedule.delaysMs[attempt - 1] ?? 0
  return from + Math.round(delayMs * (1 + JITTER_SHARE * schedule.random()))
}
