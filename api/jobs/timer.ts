// Timed work: expiries and retries. The dispatcher runs every timer; each module exports its own,
// and several dispatchers may run them at once.
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { Unseal } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import type { IdentityProvider } from '../issuing/identity/provider.ts'
import type { Lists } from '../issuing/sanctions/lists.ts'

export interface TimerWorld {
  sql: Sql
  /** Installation time. Tenant time is `clock_offset(tenant_id, environment)` ahead. */
  now: EpochMs
  clock: Clock
  unseal: Unseal
  log: Logger
  /** The identity provider; null or absent if none is configured, and then verifications wait. */
  identity?: IdentityProvider | null
  /** The sanctions lists; absent: cardholders are not screened again. */
  lists?: Lists
  /**
   * Public address for holders of passes, without a slash at its end; absent: passes do not change.
   */
  publicUrl?: string
  /** Retention of events in milliseconds; absent: unlimited. */
  retentionMs?: number
}

export interface Timer {
  /** Name in the log. */
  name: string
  /**
   * Absent: after finding work the timer runs again at once. Otherwise it pauses this long, in a
   * worker loop of its own, for an even pace.
   */
  pauseMs?: number
  /**
   * Does due work, a bounded part at a time, and skips rows locked by another transaction. Returns
   * the amount of work.
   */
  run(world: TimerWorld): Promise<number>
}

const ROUND_MAX = 100

/**
 * A timer that works row by row, each in a transaction of its own: a transaction takes the
 * sequences of one tenant only, and never waits for another tenant's. `doOne` returns whether a row
 * was due.
 */
export function rowByRow(
  name: string,
  doOne: (sql: TxSql, now: EpochMs) => Promise<boolean>,
): Timer {
  return {
    name,
    async run({ sql, now }) {
      let done = 0
      while (done < ROUND_MAX && (await tx(sql, (inner) => doOne(inner, now)))) done += 1
      return done
    },
  }
}
