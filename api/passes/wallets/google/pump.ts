// Sends changed passes to Google's wallet: claims some that are due, uploads them, and deletes the
// entries, or postpones them. The dispatcher runs it; several may run it at once.
import type { Clock } from '../../../../shared/clock.ts'
import type { Logger } from '../../../../shared/log.ts'
import type { Sql } from '../../../database/pool.ts'
import type { Job, OpenJob } from '../../../jobs/job.ts'
import { claimPushes } from '../../passes/index.ts'
import { settlePushes } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { type GoogleShow, openShow } from './show.ts'
import { openWalletApi } from './wallet-api.ts'

const ROUND_MS = 1000
/** Longer than the calls of a round take; then other dispatchers may claim the passes. */
const LEASE_MS = 300_000
/** A change is sent this much later at the latest, and within a second while others are. */
const IDLE_MS = 500

export interface GooglePushWorld {
  sql: Sql
  clock: Clock
  log: Logger
  google: GoogleShow
  /** Google answers 429 to calls beyond its rate limit, and those passes are sent later. */
  ratePerS: number
}

/** Runs one round. Returns the number of passes. */
export async function googleRound(world: GooglePushWorld): Promise<number> {
  const { sql, clock, log, google, ratePerS } = world
  const now = clock.nowMs()
  const claim = { platform: 'google' as const, now, leaseUntil: now + LEASE_MS, most: ratePerS }
  const claimed = await claimPushes(sql, claim)
  if (claimed.length === 0) return 0
  const told = await Promise.all(
    claimed.map(async (push) => ({ push, outcomes: [await google.show(push.passId)] })),
  )
  await settlePushes({ sql, clock, log }, 'google', told)
  return claimed.length
}

/** Sends to Google's wallet while the dispatcher runs: a round each second, so the rate is kept. */
export function googlePushJob(
  issuer: GoogleIssuer,
  { sql, clock, publicUrl }: { sql: Sql; clock: Clock; publicUrl: string },
): OpenJob {
  const { ratePerS } = issuer
  const api = openWalletApi(issuer, clock)
  const google = openShow({ sql, clock, issuer, api, publicUrl })
  const job: Job = {
    name: 'google_pushes',
    every: IDLE_MS,
    lease: LEASE_MS,
    batch: ratePerS,
    pace: ROUND_MS,
    run: ({ log }) => googleRound({ sql, clock, log, google, ratePerS }),
  }
  return { job, close: api.close }
}
