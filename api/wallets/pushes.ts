// What tells wallets of changed passes has in common, whichever wallet it is: what became of it, and when it is tried again.
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { PassPlatform } from '../../shared/schemas/pass.ts'
import type { Sql } from '../database/pool.ts'
import { type ClaimedPush, postponePush, strikePushes } from '../resources/passes/index.ts'

const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 3_600_000
/** Chosen: some hours. Who has not been told by then asks by itself some day, or is told of the next change. */
const ATTEMPTS_MAX = 16
/** Something of ours is wrong: that takes a person. */
const REFUSED_MS = 300_000

/** What became of telling. */
export type PushOutcome =
  | { kind: 'taken' }
  /** Whom it was for does not want it any more, or never did: it is not asked again. */
  | { kind: 'gone' }
  /** Nobody was told: another time, after `afterMs` where the service said so. */
  | { kind: 'later'; reason: string; afterMs: number | null }
  /** Nobody will be told however often it is tried: something of ours is wrong. */
  | { kind: 'refused'; reason: string }

export function later(reason: string): PushOutcome {
  return { kind: 'later', reason, afterMs: null }
}

/** The header in whole seconds, an hour at most; null where it says none. */
export function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header)) return null
  return Math.min(Number(header) * 1000, RETRY_MS_MAX)
}

export interface Told {
  push: ClaimedPush
  outcomes: readonly PushOutcome[]
}

/** Strikes out what was told, and puts off what could not be. */
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
  // One line of a round: an outage would say it for every device.
  if (problems.length > 0)
    log.warn({ platform, count: problems.length, reason: problems[0] }, 'wallets could not be told')
}

/** When a pass is told of again, to all who have it: those that know fetch nothing new. Null: it is done, or given up. */
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
