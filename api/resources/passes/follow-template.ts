// Brings a new version of a template to every pass issued from it, evenly and no faster than their events leave. Each pass is
// changed, told of and put in line for its wallets in one transaction with the progress, so that whoever is killed in between has
// done all of a part or nothing, and no pass is told of twice.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { lockDueFanout, type RunningFanout, saveFanout } from '../pass-templates/index.ts'
import { nextVersion } from './change.ts'
import { IN_BULK, recordPassChanges } from './event.ts'
import { lockBehind, saveTemplateVersion } from './fanout-store.ts'
import { passView } from './view.ts'
import { pushToWallets } from './write-store.ts'

/**
 * Chosen: as many as bulk events leave in a step (`delivery/pace.ts`). Faster, they would only stand in line before what the tenant
 * does meanwhile, and whoever else asks the API would feel it.
 */
const PART = 9
const STEP_MS = 100
/** Chosen: parts of one step, over all templates. */
const PARTS_MAX = 5

/** The template that has waited longest goes on first. */
export const templateFollower: Timer = {
  name: 'pass templates',
  pauseMs: STEP_MS,
  async run({ sql, now, publicUrl }) {
    assert(publicUrl !== undefined, 'who changes passes knows where they are shown')
    for (let done = 0; done < PARTS_MAX; done++) {
      const part = await bringPart(sql, { now, publicUrl })
      if (part === 'none') return done
      if (part === 'last') return done + 1
    }
    return PARTS_MAX
  },
}

interface BringWorld {
  /** The installation's. */
  now: EpochMs
  /** Where holders reach us. */
  publicUrl: string
}

/** Whether nothing was due, this was all of it, or there is more. */
async function bringPart(sql: Sql, world: BringWorld): Promise<'none' | 'last' | 'more'> {
  return tx(sql, async (inner) => {
    const fanout = await lockDueFanout(inner, world.now)
    if (fanout === null) return 'none'
    const dueAt = await bringOn(inner, fanout, world)
    const again = dueAt !== null && dueAt <= world.now
    return again || fanout.othersDue ? 'more' : 'last'
  })
}

/** The next passes by id, which were issued from an earlier version and are not revoked. When it goes on; null: these were the last. */
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
  // A step that was missed is made up for, more are not.
  const stepAt = Math.max(fanout.dueAt, installationNow - STEP_MS) + STEP_MS
  const dueAt = rows.length < PART ? null : stepAt
  // None waits for what another one answers: they leave together, in this order.
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
