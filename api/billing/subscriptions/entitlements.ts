// Makes the entitlements of a tenant: in the transaction of their cause, and by a job where the
// cause is time. A moved sandbox clock, an override that ends and a stage of dunning are found by
// the job within a second or two.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import {
  type Entitled,
  removeEntitlements,
  saveEntitlements,
} from '../../platform/tenants/index.ts'
import { enabledAddons, listAddons } from '../addons/index.ts'
import type { AddonKey } from '../catalogue/index.ts'
import { entitlementsOf } from '../entitle.ts'
import type { BilledEnvironments } from '../require-billing.ts'
import { nextChangeAfter } from '../standing.ts'
import { findGrants, findSubscription } from './store.ts'
import { momentsOf, type SubscriptionRow, subscriptionStanding } from './view.ts'

const ENVIRONMENTS = ['sandbox', 'live'] as const
/** Chosen: an override that ended acts within two seconds. */
const JOB_MS = 1000

export interface Current {
  row: SubscriptionRow | null
  /** Add-ons that are enabled. */
  addons: readonly AddonKey[]
  entitled: Entitled
}

/** The subscription of the owner and what it allows at `now`, by the tenant's clock. */
export async function entitledNow(
  sql: SqlTag,
  { owner, billed, now }: { owner: Owner; billed: boolean; now: EpochMs },
): Promise<Current> {
  const row = await findSubscription(sql, owner)
  const addons = enabledAddons(await listAddons(sql, row?.id ?? null))
  const entitled = entitlementsOf({
    environment: owner.environment,
    billed,
    status: subscriptionStanding(row, now).status,
    terms: row?.terms ?? null,
    addons,
    ...(await findGrants(sql, owner)),
  })
  return { row, addons, entitled }
}

/** Makes the row of a billed environment anew; `now` by the tenant's clock. */
export async function renewEntitlements(sql: TxSql, owner: Owner, now: EpochMs): Promise<void> {
  const { row, entitled } = await entitledNow(sql, { owner, billed: true, now })
  const changesAt = row === null ? null : nextChangeAfter(momentsOf(row), now)
  await saveEntitlements(sql, owner, { ...entitled, changesAt })
}

/**
 * Makes rows anew whose moment has come, makes those of tenants that go live without a plan, and
 * removes them where an environment is no longer billed. Runs where the billed environments are
 * configured.
 */
export function entitlementsJob(billed: BilledEnvironments): Job {
  return {
    name: 'entitlements',
    every: JOB_MS,
    lease: 30_000,
    batch: 500,
    run: async (run) => {
      let done = await removeUnbilled(run, billed)
      for (const owner of await findDue(run, billed))
        if (!run.signal.aborted) done += await renewOne(run, owner)
      return done
    },
  }
}

interface Due extends Owner {
  /** Milliseconds the tenant's clock is ahead. */
  offsetMs: number
}

async function findDue({ sql, now, batch }: JobRun, billed: BilledEnvironments): Promise<Due[]> {
  const due = await sql<Due[]>`
    select tenant_id as "tenantId", environment,
      clock_offset(tenant_id, environment) as "offsetMs"
    from entitlements
    where changes_at <= ${now} + clock_offset(tenant_id, environment)
    order by changes_at limit ${batch}`
  if (!billed.live) return due
  const fresh = await sql<Due[]>`
    select t.id as "tenantId", 'live' as environment, 0 as "offsetMs"
    from tenants t
    where t.kyb_status = 'approved' and not t.billing_waived and not exists (
      select from entitlements e where e.tenant_id = t.id and e.environment = 'live'
    )
    limit ${batch}`
  return [...due, ...fresh]
}

/** Locks the tenant first, as every change of its billing does. */
async function renewOne({ sql, now }: JobRun, { offsetMs, ...owner }: Due): Promise<number> {
  return tx(sql, async (inner) => {
    const locked = await inner`
      select from tenants where id = ${owner.tenantId} for no key update skip locked`
    if (locked.length === 0) return 0
    await renewEntitlements(inner, owner, now + offsetMs)
    return 1
  })
}

async function removeUnbilled({ sql, batch }: JobRun, billed: BilledEnvironments): Promise<number> {
  const unbilled = ENVIRONMENTS.filter((environment) => !billed[environment])
  const owners = await sql<Owner[]>`
    select tenant_id as "tenantId", environment from entitlements
    where environment = any(${unbilled}) limit ${batch}`
  for (const owner of owners) await tx(sql, (inner) => removeEntitlements(inner, owner))
  return owners.length
}
