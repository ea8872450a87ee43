// Sends changed passes to Google's wallet: claims some that are due, uploads them, and deletes the
// entries, or postpones them. The dispatcher runs it; several may run it at once.
import type { Clock } from '../../../../shared/clock.ts'
import type { Logger } from '../../../../shared/log.ts'
import type { Sql } from '../../../database/pool.ts'
import { claimPushes } from '../../passes/index.ts'
import { settlePushes } from '../pushes.ts'
import { type Pushing, startRounds } from '../rounds.ts'
import type { GoogleIssuer } from './account.ts'
import { type GoogleShow, openShow } from './show.ts'
import { openWalletApi } from './wallet-api.ts'

const ROUND_MS = 1000
/** Longer than the calls of a round take; then other dispatchers may claim the passes. */
const LEASE_MS = 300_000
/** Pause without work: a change is sent this much later at the latest. */
const IDLE_MS = 500

export interface GooglePushWorld {
  sql: Sql
  clock: Clock
  log: Logger
  google: GoogleShow
  /** Google answers 429 to calls beyond its rate limit, and those passes are sent later. */
  ratePerS: number
}

/** Runs one round. Returns the milliseconds until the next. */
export async function googleRound(world: GooglePushWorld): Promise<number> {
  const { sql, clock, log, google, ratePerS } = world
  const [now, begunNs] = [clock.nowMs(), clock.monotonicNs()]
  const claim = { platform: 'google' as const, now, leaseUntil: now + LEASE_MS, most: ratePerS }
  const claimed = await claimPushes(sql, claim)
  if (claimed.length === 0) return IDLE_MS
  const told = await Promise.all(
    claimed.map(async (push) => ({ push, outcomes: [await google.show(push.passId)] })),
  )
  await settlePushes({ sql, clock, log }, 'google', told)
  if (claimed.length < ratePerS) return IDLE_MS
  return Math.max(1, ROUND_MS - (clock.monotonicNs() - begunNs) / 1e6)
}

/** Runs until stopped. */
export function startGooglePushing(
  issuer: GoogleIssuer,
  world: { sql: Sql; clock: Clock; log: Logger; publicUrl: string },
): Pushing {
  const { sql, clock, log, publicUrl } = world
  const api = openWalletApi(issuer, clock)
  const google = openShow({ sql, clock, issuer, api, publicUrl })
  return startRounds('google push', log, {
    step: () => googleRound({ sql, clock, log, google, ratePerS: issuer.ratePerS }),
    close: api.close,
  })
}
