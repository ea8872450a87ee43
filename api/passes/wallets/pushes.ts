// The common part of pushes to all wallets: the outcome, and the time of the retry.
import type { Clock, EpochMs } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { Sql } from '../../database/pool.ts'
import { type ClaimedPush, postponePush, strikePushes } from '../passes/index.ts'

const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 3_600_000
/**
 * Chosen: some hours. A device not reached by then asks by itself some day, or gets the next
 * change.
 */
const ATTEMPTS_MAX = 16
/** An error on the server's side: a person must fix it. */
const REFUSED_MS = 300_000

/** Outcome of a push. */
export type PushOutcome =
  | { kind: 'taken' }
  /** The device or wallet no longer wants the pass, or never did: the push is not repeated. */
  | { kind: 'gone' }
  /** The push reached no device: a retry follows, after `afterMs` if the service gave it. */
  | { kind: 'later'; reason: string; afterMs: number | null }
  /** Every retry would fail too: the server's side has an error. */
  | { kind: 'refused'; reason: string }

export function later(reason: string): PushOutcome {
  return { kind: 'later', reason, afterMs: null }
}

/**
 * Returns the header in milliseconds, from whole seconds, an hour at most; null without a value.
 */
export function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header)) return null
  return Math.min(Number(header) * 1000, RETRY_MS_MAX)
}

export interface Told {
  push: ClaimedPush
  outcomes: readonly PushOutcome[]
}

/** Deletes finished pushes, and postpones failed ones. */
export async function settlePushes(
  { sql, clock, log }: { sql: Sql; clock: Clock; log: Logger },
  platform: PassPlatform,
  told: readonly Told[],
): Promise<void> {
  const done: ClaimedPush[] = []
  const now = clock.nowMs()
  for (const { push, outcomes } of told) {
    const again = dueAgain(push.attempt, outcomes, now)
    if (again === null) done.push(push)
    else await postponePush(sql, platform, push, again)
  }
  await strikePushes(sql, platform, done)
  const problems = told.flatMap(({ outcomes }) =>
    outcomes.flatMap((outcome) => ('reason' in outcome ? [outcome.reason] : [])),
  )
  // One log entry per round: an outage would otherwise log every device.
  if (problems.length > 0)
    log.warn({ platform, count: problems.length, reason: problems[0] }, 'wallets could not be told')
}

/**
 * Returns the time of the retry, to all holders of the pass: current devices fetch nothing new.
 * Null: the push is done, or given up.
 */
export function dueAgain(
  attempt: number,
  outcomes: readonly PushOutcome[],
  now: EpochMs,
): { dueAt: EpochMs; error: string } | null {
  if (attempt >= ATTEMPTS_MAX) return null
  const backOffMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (attempt - 1))
  let dueAt: EpochMs | null = null
  let error = ''
  for (const outcome of outcomes) {
    if (outcome.kind === 'taken' || outcome.kind === 'gone') continue
    const askedMs = outcome.kind === 'refused' ? REFUSED_MS : (outcome.afterMs ?? 0)
    dueAt = Math.max(dueAt ?? 0, now + Math.max(backOffMs, askedMs))
    error = outcome.reason
  }
  return dueAt === null ? null : { dueAt, error }
}
