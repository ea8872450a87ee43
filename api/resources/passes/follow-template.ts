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
    let done = 0
    while (done < PARTS_MAX && (await bringPart(sql, { now, publicUrl }))) done += 1
    return done
  },
}

interface BringWorld {
  /** The installation's. */
  now: EpochMs
  /** Where holders reach us. */
  publicUrl: string
}

/** False where nothing is due. */
async function bringPart(sql: Sql, world: BringWorld): Promise<boolean> {
  return tx(sql, async (inner) => {
    const fanout = await lockDueFanout(inner, world.now)
    if (fanout === null) return false
    await bringOn(inner, fanout, world)
    return true
  })
}

/** The next passes by id, which were issued from an earlier version and are not revoked. */
async function bringOn(
  sql: TxSql,
  fanout: RunningFanout,
  { now: installationNow, publicUrl }: BringWorld,
): Promise<void> {
  const now = installationNow + fanout.clockOffsetMs
  const rows = await lockBehind(sql, fanout, PART)
  const moments = { now, installationNow, seen: true }
  const brought = rows.map((row) => nextVersion(row, { templateVersion: fanout.version }, moments))
  await saveTemplateVersion(sql, brought)
  await pushToWallets(sql, brought, installationNow)
  const changes = rows.map((row, index) => ({
    before: passView(row, publicUrl),
    after: passView(brought[index] ?? row, publicUrl),
  }))
  await recordPassChanges(sql, { principal: fanout, now }, { lane: IN_BULK, changes })
  // A step that was missed is made up for, more are not.
  const dueAt = Math.max(fanout.dueAt, installationNow - STEP_MS) + STEP_MS
  await saveFanout(sql, fanout, {
    done: rows.length,
    cursorId: rows.at(-1)?.id ?? fanout.cursorId,
    dueAt: rows.length < PART ? null : dueAt,
    now: installationNow,
  })
}
