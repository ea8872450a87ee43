// Brings a new version of a template to every issued pass, evenly and no faster than the events
// leave. One transaction holds a part's changes, events, wallet pushes and progress, so a killed
// process has done all of a part or nothing, and no pass has two events.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { lockDueFanout, type RunningFanout, saveFanout } from '../templates/index.ts'
import { nextVersion } from './change.ts'
import { lockBehind, saveTemplateVersion } from './fanout-store.ts'
import { IN_BULK, recordPassChanges } from './states.ts'
import { passView } from './view.ts'
import { pushToWallets } from './write-store.ts'

/**
 * Chosen: the number of bulk events that leave in a step (`delivery/pace.ts`). More would only
 * queue ahead of the tenant's other events and slow the API for all callers.
 */
const PART = 9
const STEP_MS = 100

/** The template with the longest wait continues first. `publicUrl`: address for holders. */
export function templateFollower(publicUrl: string): Job {
  return {
    name: 'pass_templates',
    every: 1000,
    lease: 60_000,
    // Chosen: parts of one step, over all templates.
    batch: 5,
    pace: STEP_MS,
    async run({ sql, now, batch }) {
      for (let done = 0; done < batch; done++) {
        const part = await bringPart(sql, { now, publicUrl })
        if (part === 'none') return done
        if (part === 'last') return done + 1
      }
      return batch
    },
  }
}

interface BringWorld {
  /** Installation time. */
  now: EpochMs
  /** Public address for holders. */
  publicUrl: string
}

/** Returns whether nothing was due, this part was the last, or more remain. */
async function bringPart(sql: Sql, world: BringWorld): Promise<'none' | 'last' | 'more'> {
  return tx(sql, async (inner) => {
    const fanout = await lockDueFanout(inner, world.now)
    if (fanout === null) return 'none'
    const dueAt = await bringOn(inner, fanout, world)
    const again = dueAt !== null && dueAt <= world.now
    return again || fanout.othersDue ? 'more' : 'last'
  })
}

/**
 * Changes the next passes by id that show an earlier version and are not revoked. Returns the time
 * of the next step; null: these passes were the last.
 */
async function bringOn(
  sql: TxSql,
  fanout: RunningFanout,
  { now: installationNow, publicUrl }: BringWorld,
): Promise<EpochMs | null> {
  const now = installationNow + fanout.clockOffsetMs
  const rows = await lockBehind(sql, fanout, PART)
  const moments = { now, installationNow, seen: true }
  const brought = rows.map((row) => nextVersion(row, { templateVersion: fanout.version }, moments))
  const changes = rows.map((row, index) => ({
    before: passView(row, publicUrl),
    after: passView(brought[index] ?? row, publicUrl),
  }))
  // The fanout makes up for one missed step, not for more.
  const stepAt = Math.max(fanout.dueAt, installationNow - STEP_MS) + STEP_MS
  const dueAt = rows.length < PART ? null : stepAt
  // The statements do not depend on each other's answers: they leave together, in this order.
  await Promise.all([
    saveTemplateVersion(sql, brought),
    pushToWallets(sql, brought, installationNow),
    saveFanout(sql, fanout, {
      done: rows.length,
      cursorId: rows.at(-1)?.id ?? fanout.cursorId,
      dueAt,
      now: installationNow,
    }),
    recordPassChanges(sql, { principal: fanout, now }, { lane: IN_BULK, changes }),
  ])
  return dueAt
}
