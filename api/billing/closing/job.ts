// The job that passes boundaries and closes months. A month is closed once all of it is counted:
// first the drain must have seen the engine's journal beyond the moment at which the boundary was
// found due, then the count must have passed every event that was recorded until then.
import { newId } from '../../../shared/id.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import type { BillingMoment } from '../require-billing.ts'
import { lockOwner } from '../require-billing.ts'
import { rollNext } from '../subscriptions/index.ts'
import { closeInvoice } from './close.ts'
import { awaitCount, closesDue, ownersToResume, ownersToRoll } from './store.ts'

const EVERY_MS = 1000
const LEASE_MS = 60_000
const BATCH = 500
/**
 * One lane computes while the other waits for its commit. Chosen: two, because all jobs share four
 * connections.
 */
const LANES = { count: 2, failed: 'a period cannot be closed' }
/**
 * Chosen: a month is closed this long after its end was seen, whatever is still on its way; what
 * arrives later is billed as late usage. By the installation's clock: a moved sandbox clock forces
 * nothing.
 */
const WAIT_MS_MAX = 72 * 3_600_000

export const closeJob: Job = {
  name: 'billing_close',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: BATCH,
  run: closeDue,
}

/** Returns the number of boundaries passed and of drafts that went on. */
async function closeDue(run: JobRun): Promise<number> {
  const { sql, now, batch, signal } = run
  const owners = [
    ...(await ownersToRoll(sql, now, batch)),
    ...(await ownersToResume(sql, now, batch)),
  ]
  const rolled = await inLanes(owners, run, {
    ...LANES,
    work: (owner) => tx(sql, (inner) => rollOne(inner, owner, run), { safeToRepeat: true }),
  })
  const awaited = signal.aborted ? 0 : await tx(sql, awaitCount, { safeToRepeat: true })
  const drafts = await closesDue(sql, { forcedBefore: now - WAIT_MS_MAX, limit: batch })
  const closed = await inLanes(drafts, run, {
    ...LANES,
    work: (due) => {
      const close = async (inner: TxSql): Promise<boolean> =>
        closeInvoice(inner, due, await tenantTime(inner, due, now))
      return tx(sql, close, { safeToRepeat: true })
    },
  })
  return awaited + doneOf(rolled, closed)
}

/** Passes the oldest boundary that is due; a clock that was moved far has many. */
async function rollOne(sql: TxSql, owner: Owner, { now }: JobRun): Promise<boolean> {
  await lockOwner(sql, owner)
  const moment: BillingMoment = {
    now: await tenantTime(sql, owner, now),
    installationNow: now,
    newId: (prefix) => newId(prefix, now),
  }
  return rollNext(sql, owner, moment)
}
