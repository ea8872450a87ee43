// The testbed of the billing bench: PostgreSQL, one process of the API, and tenants whose month of
// usage is over. Subscriptions are made by the product and copied; their events are the bench's.

import { termsAt } from '../../api/billing/catalogue/index.ts'
import { closeJob } from '../../api/billing/closing/index.ts'
import { openSegment } from '../../api/billing/metering/index.ts'
import { boundary } from '../../api/billing/periods.ts'
import { insertSubscription } from '../../api/billing/subscriptions/store.ts'
import type { Owner } from '../../api/context.ts'
import { tx } from '../../api/database/transaction.ts'
import type { Job } from '../../api/jobs/job.ts'
import { runOnce } from '../../api/jobs/job.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { createLog } from '../../shared/log.ts'
import { seedTenant, type TestTenant } from '../../test/harness/tenant.ts'
import { type ApiTestbed, openApiTestbed } from '../api-stand.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const LIMIT_FACTOR = 1000
const NEVER_MS = 4_000_000_000_000
const LOG = createLog({ name: 'bench', level: 'silent' })

export interface BillingTestbed extends ApiTestbed {
  tenant: TestTenant
  /** Port of the API. */
  port: number
}

export async function openBillingTestbed(): Promise<BillingTestbed> {
  const stand = await openApiTestbed()
  try {
    const tenant = await seedTenant(stand.sql, 'sandbox')
    await stand.sql`
      insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
      values (${tenant.tenantId}, 'sandbox', ${LIMIT_FACTOR}, ${NEVER_MS})`
    const { port } = await stand.startApi()
    return { ...stand, tenant, port }
  } catch (error) {
    await stand.close()
    throw error
  }
}

/** Runs a job once, now; returns the amount of work. */
export function runNow({ sql }: Pick<ApiTestbed, 'sql'>, job: Job): Promise<number> {
  return runOnce(job, { sql, now: systemClock.nowMs(), clock: systemClock, log: LOG })
}

/** Runs a job until it finds no work. */
export async function runAll(stand: Pick<ApiTestbed, 'sql'>, job: Job): Promise<void> {
  for (let work = 1; work > 0; ) work = await runNow(stand, job)
}

/** The journal is drained up to now. */
export async function catchUp({ sql }: Pick<ApiTestbed, 'sql'>): Promise<void> {
  await sql`
    insert into journal_cursor (journal_id, seq, caught_up_at)
    values ('bench', 0, ${systemClock.nowMs()})
    on conflict (one) do update set caught_up_at = excluded.caught_up_at`
}

/** Passes boundaries that are due, and closes the months behind them. */
export async function closeAll(stand: Pick<ApiTestbed, 'sql'>): Promise<void> {
  await runAll(stand, closeJob)
  await catchUp(stand)
  await runAll(stand, closeJob)
}

export interface Subscribed {
  tenants: number
  /** Uncounted authorizations of each tenant. */
  eventsEach: number
}

/** The first moment of a month that is over since an hour. */
function monthOver(): number {
  const ends = systemClock.nowMs() - HOUR_MS
  for (let ahead = 31 * DAY_MS; ; ahead -= DAY_MS) {
    const from = ends - ahead
    if (boundary(from, 1) <= ends) return from
  }
}

/** New tenants, each with a month of usage that is over; returns their ids. */
export async function subscribeTenants(
  { sql }: Pick<ApiTestbed, 'sql'>,
  { tenants, eventsEach }: Subscribed,
): Promise<string[]> {
  const now = systemClock.nowMs()
  const from = monthOver()
  const until = boundary(from, 1)
  const first = await seedTenant(sql, 'sandbox')
  const owner: Owner = { tenantId: first.tenantId, environment: 'sandbox' }
  const terms = termsAt('starter', now)
  await tx(sql, async (inner) => {
    const made = await insertSubscription(inner, owner, {
      ...{ id: newId('sub', now), terms, interval: 'month', currency: 'USD', netDays: null },
      ...{ trialStartedAt: null, trialEndsAt: null, activeFrom: from, rollsAt: until },
      createdAt: from,
    })
    await openSegment(inner, owner, {
      ...{ subscriptionId: made.id, month: 0, fromAt: from, untilAt: until, countsFrom: from },
      ...{ terms, interval: 'month' },
    })
  })
  // Ids by their moment and a number, as newId makes them.
  const prefix = newId('ten', now).slice(0, -8)
  await sql`
    insert into tenants select made.*
    from tenants like_it, generate_series(2, ${tenants}::int) number,
      jsonb_populate_record(like_it, jsonb_build_object(
        'id', ${prefix}::text || lpad(number::text, 8, '0'))) made
    where like_it.id = ${first.tenantId}`
  await sql`
    insert into billing_subscriptions select made.*
    from billing_subscriptions like_it, tenants tenant, jsonb_populate_record(like_it,
      jsonb_build_object('id', 'sub_' || substr(tenant.id, 5), 'tenant_id', tenant.id)) made
    where like_it.tenant_id = ${first.tenantId} and tenant.id like ${prefix + '%'}`
  await sql`
    insert into billing_segments (subscription_id, tenant_id, environment, place, month, from_at,
      until_at, counts_from, counts_until, terms, billing_interval)
    select held.id, held.tenant_id, 'sandbox', 0, 0, ${from}, ${until}, ${from}, ${until},
      held.terms, 'month'
    from billing_subscriptions held where held.tenant_id like ${prefix + '%'}`
  const rows = await sql<{ id: string }[]>`
    select id from tenants where id = ${first.tenantId} or id like ${prefix + '%'}`
  const ids = rows.map(({ id }) => id)
  await addEvents({ sql }, { ids, eventsEach, from, until })
  return ids
}

/** Authorizations over the whole month, in the order of each tenant's sequence. */
async function addEvents(
  { sql }: Pick<ApiTestbed, 'sql'>,
  given: { ids: readonly string[]; eventsEach: number; from: number; until: number },
): Promise<void> {
  const { ids, eventsEach, from, until } = given
  if (eventsEach === 0) return
  const id = newId('evt', systemClock.nowMs()).slice(0, -12)
  const stepMs = (until - from) / eventsEach
  await sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id,
      created_at, body)
    select ${id}::text || lpad(place::text, 5, '0') || lpad(seq::text, 7, '0'), tenant, 'sandbox',
      seq, 'card.transaction.authorized', '2026-11-20', 'txn_bench',
      ${from}::bigint + floor((seq - 1) * ${stepMs}::float8)::bigint, '\\x7b7d'
    from unnest(${ids as string[]}::text[]) with ordinality as row (tenant, place),
      generate_series(1, ${eventsEach}::int) seq`
  await sql`
    insert into tenant_sequences (tenant_id, environment, event_seq)
    select tenant, 'sandbox', ${eventsEach} from unnest(${ids as string[]}::text[]) tenant
    on conflict (tenant_id, environment) do update set event_seq = excluded.event_seq`
  await sql`analyze events`
}

/** Numbers of the tenants' invoices by their status, and the sum of what was counted. */
export async function outcomeOf(
  { sql }: Pick<ApiTestbed, 'sql'>,
  ids: readonly string[],
): Promise<{ closed: number; counted: number }> {
  const [row] = await sql<{ closed: number; counted: number }[]>`
    select (
      select count(*)::int from billing_invoices
      where tenant_id = any(${ids as string[]}) and ordinal = 1 and status <> 'draft'
    ) as closed, (
      select coalesce(sum(quantity), 0)::int from billing_usage held
        join billing_segments part on part.id = held.segment_id
      where part.tenant_id = any(${ids as string[]})
    ) as counted`
  return row ?? { closed: 0, counted: 0 }
}
