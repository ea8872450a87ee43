// Every SQL statement about webhook endpoints. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { EndpointRow, EndpointStatus } from './view.ts'

function endpointColumns(sql: SqlTag) {
  return sql`
    id, environment, url, description, event_types as "eventTypes", status,
    disabled_reason as "disabledReason", is_realtime as "isRealtime", created_at as "createdAt"`
}

export async function findEndpoint(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<EndpointRow | null> {
  const [row] = await sql<EndpointRow[]>`
    select ${endpointColumns(sql)} from webhook_endpoints
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface EndpointFilters extends CreatedFilters {
  external_id?: string
}

/** By id, which is the order of creation. */
export async function listEndpoints(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & EndpointFilters,
): Promise<PageRows<EndpointRow>> {
  const { external_id } = query
  return readPage<EndpointRow>(sql, query, {
    list: 'webhook_endpoints',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<EndpointRow[]>`
      select ${endpointColumns(sql)} from webhook_endpoints
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/** Holds the endpoint until the transaction ends; a foreign key to it is not held up. */
export async function lockEndpoint(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<EndpointRow | null> {
  const [row] = await sql<EndpointRow[]>`
    select ${endpointColumns(sql)} from webhook_endpoints
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

/** A status that changes to enabled opens a new epoch: verdicts on attempts of the one before count no longer. */
export async function saveEndpoint(
  sql: TxSql,
  owner: Owner,
  change: { endpointId: string; url: string; status: EndpointStatus },
): Promise<EndpointRow> {
  const [row] = await sql<EndpointRow[]>`
    update webhook_endpoints set
      url = ${change.url},
      status = ${change.status},
      enabled_epoch = enabled_epoch
        + case when status = 'disabled' and ${change.status} = 'enabled' then 1 else 0 end,
      disabled_reason = case when ${change.status} = 'enabled' then null else disabled_reason end
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${change.endpointId}
    returning ${endpointColumns(sql)}`
  assert(row !== undefined, 'a locked endpoint does not vanish')
  return row
}

/** Sealed, old first; at most two. */
export async function activeSecrets(sql: SqlTag, endpointId: string): Promise<string[]> {
  const rows = await sql<{ sealed: string }[]>`
    select sealed from webhook_secrets
    where endpoint_id = ${endpointId} and revoked_at is null order by slot`
  return rows.map(({ sealed }) => sealed)
}

/** Whether the tenant may be asked in real time; holds the tenant until the transaction ends. */
export async function lockEntitlement(sql: TxSql, { tenantId }: Owner): Promise<boolean> {
  const [row] = await sql<{ entitled: boolean }[]>`
    select realtime_entitled as entitled from tenants where id = ${tenantId} for no key update`
  return row?.entitled ?? false
}

/** The endpoint becomes the one that is asked, by every program of the owner. */
export async function saveRealtime(sql: TxSql, owner: Owner, endpointId: string): Promise<void> {
  const { tenantId, environment } = owner
  await sql`
    update webhook_endpoints set is_realtime = false
    where tenant_id = ${tenantId} and environment = ${environment} and is_realtime`
  await sql`
    update webhook_endpoints set is_realtime = true
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${endpointId}`
  await sql`
    update programs set endpoint_id = ${endpointId}
    where tenant_id = ${tenantId} and environment = ${environment}
      and endpoint_id is distinct from ${endpointId}`
}

export interface QuestionCount {
  outcome: string
  /** Stand-in decided it. */
  standIn: boolean
  /** Stand-in approved it, or would have. */
  would: boolean
  questions: number
}

/** Questions that were to be asked, by how they went; of transactions that the filters let pass. */
export async function countQuestions(
  sql: SqlTag,
  owner: Owner,
  filters: CreatedFilters,
): Promise<QuestionCount[]> {
  return sql<QuestionCount[]>`
    select m.tenant_outcome as outcome, m.stand_in as "standIn", m.stand_in_would_approve as would,
      count(*) as questions
    from card_transactions t join card_transaction_messages m on m.transaction_id = t.id
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
      ${createdWithin(sql, filters)}
      and m.stand_in_would_approve is not null
    group by 1, 2, 3`
}

/** Answers after the deadline; of transactions that the filters let pass. */
export async function countLateAnswers(
  sql: SqlTag,
  owner: Owner,
  filters: CreatedFilters,
): Promise<{ approved: number; declined: number; disagreed: number }> {
  const [row] = await sql<{ approved: number; declined: number; disagreed: number }[]>`
    select count(*) filter (where late_outcome = 'late_approve') as approved,
      count(*) filter (where late_outcome = 'late_decline') as declined,
      count(*) filter (where late_disagrees) as disagreed
    from card_transactions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      ${createdWithin(sql, filters)}
      and late_outcome is not null`
  assert(row !== undefined, 'a count has a row')
  return row
}

/** Every held delivery starts a fresh cycle in the endpoint's new epoch, due at once. DESIGN 9. */
export async function resumeDeliveries(
  sql: TxSql,
  owner: Owner,
  resumed: { endpointId: string; now: EpochMs },
): Promise<void> {
  await sql`
    update deliveries d set
      state = 'pending', cycle = d.cycle + 1, attempts = 0, epoch = e.enabled_epoch,
      due_at = ${resumed.now}, finished_at = null
    from webhook_endpoints e
    where e.tenant_id = ${owner.tenantId} and e.environment = ${owner.environment}
      and e.id = ${resumed.endpointId} and d.endpoint_id = e.id and d.state = 'held'`
}
