// Screens everybody again when the lists have changed, and everybody not screened yet. Several
// dispatchers share the work.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import type { Lists } from '../sanctions/lists.ts'
import type { Screener } from '../sanctions/screener.ts'
import { hitsOf, subjectOf, useLists } from '../screening/index.ts'
import { recordAlert } from './event.ts'
import { screenCardholder } from './screen.ts'
import { lockUnscreened, markScreened } from './screening-store.ts'
import { findOwner, lockCardholder } from './store.ts'
import { cardholderView } from './view.ts'

/** The lists that everybody is screened against at present. */
interface Under {
  screener: Screener
  number: number
  /** The installation's time. */
  now: EpochMs
  most: number
}

/** Screens by the sanctions lists of this process. */
export function rescreenJob(lists: Lists): Job {
  return {
    name: 'screening',
    every: 1000,
    lease: 60_000,
    // Locked cardholders wait for a batch at most, usually 0.5 ms per person.
    batch: 50,
    async run({ sql, now, batch: most }) {
      const screener = lists.current()
      const { version, size } = screener
      const number = await useLists(sql, { version, size, changedAt: lists.changedAt() }, now)
      if (number === null) return 0
      const { screened, hits } = await screenBatch(sql, { screener, number, now, most })
      for (const cardholderId of hits) await screenAgain(sql, cardholderId, { lists, now })
      return screened
    },
  }
}

/** Persons without a hit share one transaction; each other person gets one of their own. */
async function screenBatch(
  sql: Sql,
  { screener, number, now, most }: Under,
): Promise<{ screened: number; hits: readonly string[] }> {
  return tx(sql, async (inner) => {
    const batch = await lockUnscreened(inner, { number, most })
    const hits: string[] = []
    const clear: string[] = []
    for (const { id, name, details } of batch) {
      const found = hitsOf(screener, subjectOf(name, details))
      if (found.length === 0) clear.push(id)
      else hits.push(id)
      // Deliveries continue between two people.
      await nextTurn()
    }
    if (clear.length > 0)
      await markScreened(inner, clear, { version: screener.version, number, now })
    return { screened: batch.length, hits }
  })
}

/**
 * Screens the person's present data: this transaction locks the event sequence of one tenant only,
 * and waits for no other tenant.
 */
async function screenAgain(
  sql: Sql,
  cardholderId: string,
  { lists, now }: { lists: Lists; now: EpochMs },
): Promise<void> {
  await tx(sql, async (inner) => {
    const owner = await findOwner(inner, cardholderId, now)
    const cardholder = owner === null ? null : await lockCardholder(inner, owner, cardholderId)
    if (owner === null || cardholder === null || cardholder.erasedAt !== null) return
    const asking = { lists, alertId: newId('alert', now), now: owner.now }
    const screened = await screenCardholder(inner, owner, cardholder, asking)
    if (screened.alerted)
      await recordAlert(inner, owner, cardholderView(screened.cardholder), owner.now)
  })
}
