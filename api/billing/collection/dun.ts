// Dunning that the passage of time causes: invoices that were not paid by their due date, notices
// of each stage, and the end of what nobody will pay. The status itself is computed (standing.ts).
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Owner } from '../../context.ts'
import { dueByTenant } from '../../database/due.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import { lockTenant, tenantTime } from '../../platform/tenants/index.ts'
import { type NewNotice, recordNotice } from '../notices/index.ts'
import { DUNNING_STAGES } from '../standing.ts'
import { lockAnySubscription, renewOverdue } from '../subscriptions/index.ts'

const EVERY_MS = 2000
const LEASE_MS = 60_000
const BATCH = 100
const DAY_MS = 86_400_000
/** Chosen: a notice comes this long before a stage. */
const AHEAD_MS = 3 * DAY_MS

interface Staged {
  kind: NewNotice['kind']
  from: 'overdue_since' | 'trial_ends_at'
  afterMs: number
  /** The notice tells of a moment that is so far ahead. */
  aheadMs: number
}

const STAGE_KINDS = {
  restricted: ['restriction_ahead', 'restricted'],
  suspended: ['suspension_ahead', 'suspended'],
  canceled: ['cancellation_ahead', 'canceled'],
} as const

const OVERDUE = { from: 'overdue_since' } as const

/** Notices by the moments that cause them. */
const STAGED: readonly Staged[] = [
  { kind: 'trial_ending', from: 'trial_ends_at', afterMs: -AHEAD_MS, aheadMs: AHEAD_MS },
  ...DUNNING_STAGES.flatMap(({ status, afterMs }) => {
    if (status === 'past_due') return []
    const [ahead, at] = STAGE_KINDS[status]
    return [
      { kind: ahead, ...OVERDUE, afterMs: afterMs - AHEAD_MS, aheadMs: AHEAD_MS },
      { kind: at, ...OVERDUE, afterMs, aheadMs: 0 },
    ]
  }),
]

export const dunSubscriptions: Job = {
  name: 'billing_dun',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: BATCH,
  async run(run) {
    const { sql, now, batch: most } = run
    const worked = []
    const late = await findLate(sql, { now, most })
    const dun = { count: 1, failed: 'a subscription cannot be dunned' }
    const work = async (one: Due): Promise<boolean> => {
      await saveLate(sql, one, now)
      return true
    }
    worked.push(await inLanes(late, run, { ...dun, work }))
    for (const staged of STAGED) {
      const due = await findStaged(sql, staged, { now, most })
      const notice = async (one: Due): Promise<boolean> => {
        await noticeStage(sql, one, { staged, now })
        return true
      }
      worked.push(await inLanes(due, run, { ...dun, work: notice }))
    }
    return doneOf(...worked)
  },
}

interface Due extends Owner {
  id: string
}

/** Subscriptions with a sent invoice whose due date passed while they are not overdue yet. */
function findLate(sql: SqlTag, { now, most }: { now: EpochMs; most: number }): Promise<Due[]> {
  return sql<Due[]>`
    select distinct subscription_id as id, tenant_id as "tenantId", environment
    from billing_invoices
    where status = 'open' and ${dueByTenant(sql, 'due_at', now)}
      and exists (select from billing_subscriptions held
        where held.id = subscription_id
          and (held.overdue_since is null or held.overdue_since > billing_invoices.due_at))
    limit ${most}`
}

async function saveLate(sql: Sql, due: Due, now: EpochMs): Promise<void> {
  await onSubscription(sql, due, now, async (inner, tenantNow) => {
    const subscription = await lockAnySubscription(inner, due, due.id)
    if (subscription === null) return
    const moment = {
      now: tenantNow,
      installationNow: now,
      newId: (prefix: string) => newId(prefix, now),
    }
    await renewOverdue(inner, subscription, moment)
  })
}

/**
 * Subscriptions at a stage without its notice. An override that holds replaces the stage, which
 * comes with its end.
 */
function findStaged(
  sql: SqlTag,
  { kind, from, afterMs, aheadMs }: Staged,
  { now, most }: { now: EpochMs; most: number },
): Promise<Due[]> {
  return sql<Due[]>`
    select id, tenant_id as "tenantId", environment from billing_subscriptions
    where ended_at is null and ${dueByTenant(sql, from, now - afterMs)}
      and ${
        from === 'trial_ends_at'
          ? sql`active_from is null`
          : sql`(override_expires_at is null
              or ${dueByTenant(sql, 'override_expires_at', now + aheadMs)})`
      }
      and not exists (select from billing_notices told
        where told.subscription_id = billing_subscriptions.id and told.kind = ${kind}
          and told.subject = ${sql(from)}::text)
    limit ${most}`
}

async function noticeStage(
  sql: Sql,
  due: Due,
  { staged, now }: { staged: Staged; now: EpochMs },
): Promise<void> {
  const { kind, from, aheadMs } = staged
  await onSubscription(sql, due, now, async (inner, tenantNow) => {
    const held = await lockAnySubscription(inner, due, due.id)
    const since = from === 'overdue_since' ? held?.overdueSince : held?.trialEndsAt
    const isOverridden = (held?.overrideExpiresAt ?? 0) > tenantNow + aheadMs
    if (since === null || since === undefined) return
    if (from === 'overdue_since' && isOverridden) return
    const named = { subscriptionId: due.id, kind, subject: String(since), invoiceId: null }
    await recordNotice(inner, due, { ...named, now: tenantNow, installationNow: now })
    if (kind === 'canceled') await giveUpInvoices(inner, due.id)
  })
}

/** At the last stage nobody will pay: no attempt is made any more. */
async function giveUpInvoices(sql: TxSql, subscriptionId: string): Promise<void> {
  await sql`
    update billing_invoices set status = 'uncollectible', next_attempt_at = null
    where subscription_id = ${subscriptionId} and status = 'open'`
}

async function onSubscription(
  sql: Sql,
  due: Due,
  now: EpochMs,
  work: (sql: TxSql, tenantNow: EpochMs) => Promise<void>,
): Promise<void> {
  await tx(
    sql,
    async (inner) => {
      await lockTenant(inner, due.tenantId)
      await work(inner, await tenantTime(inner, due, now))
    },
    { safeToRepeat: true },
  )
}
