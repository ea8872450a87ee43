// Work that time brings about: what expires, runs out or has to be tried again. The dispatcher runs every timer; each room
// exports its own, and several dispatchers may run them at once.
import type { Clock, EpochMs } from '../shared/clock.ts'
import type { Unseal } from '../shared/keyring.ts'
import type { Logger } from '../shared/log.ts'
import type { Sql } from './database/pool.ts'
import { type TxSql, tx } from './database/transaction.ts'
import type { IdentityProvider } from './partners/identity/provider.ts'
import type { Lists } from './partners/sanctions/lists.ts'

export interface TimerWorld {
  sql: Sql
  /** The installation's time. A tenant's own is `clock_offset(tenant_id, environment)` ahead. */
  now: EpochMs
  clock: Clock
  unseal: Unseal
  log: Logger
  /** Who verifies identities; null or absent where nobody is configured, and then the questions wait. */
  identity?: IdentityProvider | null
  /** Whom cardholders may not be; absent: nobody is screened again. */
  lists?: Lists
  /** Where holders of passes reach us, without a slash at its end; absent: nobody changes passes. */
  publicUrl?: string
  /** How long events are kept, in milliseconds; absent: for ever. */
  retentionMs?: number
}

export interface Timer {
  /** For the log. */
  name: string
  /** Absent: work that was found is looked for again at once. Else so much later, in a loop of its own: it goes on evenly. */
  pauseMs?: number
  /** Does what is due, a bounded part of it at a time, skipping rows that somebody else has locked. How much was done. */
  run(world: TimerWorld): Promise<number>
}

const ROUND_MAX = 100

/**
 * A timer that does its work row by row, each in a transaction of its own: it takes the sequences of one tenant only, and waits
 * for nobody with another one's. `doOne` says whether there was one.
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
