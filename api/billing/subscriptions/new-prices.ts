// Tells tenants with a running subscription of a newer catalogue, at its date: it reaches them at
// the first boundary of their base price 30 days later.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { doneOf, inLanes, type WorkedThrough } from '../../jobs/lanes.ts'
import { lockTenant, tenantTime } from '../../platform/tenants/index.ts'
import { type NewerTerms, newerTerms } from '../catalogue/index.ts'
import { recordNotice } from '../notices/index.ts'

const EVERY_MS = 60_000
const LEASE_MS = 60_000
const BATCH = 500

export const newPricesJob: Job = {
  name: 'billing_new_prices',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: BATCH,
  async run(run) {
    const { sql, now, batch: most } = run
    const worked: WorkedThrough[] = []
    for (const newer of newerTerms()) {
      const untold = await findUntold(sql, newer, { now, most })
      const work = async (one: Untold): Promise<boolean> => {
        await tell(sql, one, { version: newer.version, now })
        return true
      }
      const failed = 'a subscription cannot be told of newer prices'
      worked.push(await inLanes(untold, run, { count: 1, failed, work }))
    }
    return doneOf(...worked)
  },
}

interface Untold extends Owner {
  subscriptionId: string
}

/** A subscription that ends with its period hears of no prices that it never pays. */
function findUntold(
  sql: SqlTag,
  { plan, version, from }: NewerTerms,
  { now, most }: { now: EpochMs; most: number },
): Promise<Untold[]> {
  return sql<Untold[]>`
    select id as "subscriptionId", tenant_id as "tenantId", environment
    from billing_subscriptions held
    where ended_at is null and rolls_at is not null and not cancel_at_period_end
      and terms ->> 'plan' = ${plan} and terms ->> 'version' < ${version}
      and ${from} <= ${now}::bigint + clock_offset(tenant_id, environment)
      and not exists (
        select from billing_notices told
        where told.subscription_id = held.id and told.kind = 'new_prices' and told.subject = ${version}
      )
    order by id limit ${most}`
}

async function tell(
  sql: Sql,
  { subscriptionId, ...owner }: Untold,
  { version, now }: { version: string; now: EpochMs },
): Promise<void> {
  await tx(
    sql,
    async (inner) => {
      await lockTenant(inner, owner.tenantId)
      await recordNotice(inner, owner, {
        ...{ subscriptionId, kind: 'new_prices' as const, subject: version, invoiceId: null },
        ...{ now: await tenantTime(inner, owner, now), installationNow: now },
      })
    },
    { safeToRepeat: true },
  )
}
