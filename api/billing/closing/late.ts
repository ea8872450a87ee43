// Usage and corrections that come after the last invoice of a subscription: no boundary follows
// that would bill them, hence they get a draft of their own, which is closed like that of a month.
import { assert } from '../../../shared/assert.ts'
import { newId } from '../../../shared/id.ts'
import { tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { countInvoices, insertInvoice } from '../invoices/index.ts'
import { lockOwner } from '../require-billing.ts'
import { lockAnySubscription } from '../subscriptions/index.ts'
import { findUnbilled, isUnbilled, type Unbilled } from './store.ts'

/** Chosen: late usage is looked for once a minute. */
const EVERY_MS = 60_000
const LEASE_MS = 60_000
const BATCH = 100

export const lateJob: Job = {
  name: 'billing_late',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: BATCH,
  async run(run) {
    const unbilled = await findUnbilled(run.sql, run.batch)
    const failed = 'late usage cannot be billed'
    const work = (one: Unbilled): Promise<boolean> => openDraft(run, one)
    return doneOf(await inLanes(unbilled, run, { count: 1, failed, work }))
  },
}

/** Returns false where another process made the draft first, or the periods run again. */
function openDraft({ sql, now: installationNow }: JobRun, one: Unbilled): Promise<boolean> {
  const open = async (inner: Parameters<typeof lockOwner>[0]): Promise<boolean> => {
    await lockOwner(inner, one)
    const held = await lockAnySubscription(inner, one, one.subscriptionId)
    if (held === null || !(await isUnbilled(inner, held.id))) return false
    const now = await tenantTime(inner, one, installationNow)
    const { id: subscriptionId, currency } = held
    const ordinal = await countInvoices(inner, { subscriptionId, kind: 'change' })
    const draft = await insertInvoice(inner, one, {
      ...{ id: newId('inv', installationNow), subscriptionId, kind: 'change' as const, ordinal },
      ...{ currency, at: now, seenDueAt: installationNow, createdAt: now },
    })
    assert(draft !== null, 'changes of a locked subscription are numbered')
    return true
  }
  return tx(sql, open, { safeToRepeat: true })
}
