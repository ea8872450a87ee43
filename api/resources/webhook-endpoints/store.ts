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
    disabled_reason as "disabledReason", created_at as "createdAt"`
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

/** By id, which is the order of creation. */
export async function listEndpoints(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & CreatedFilters,
): Promise<PageRows<EndpointRow>> {
  return readPage<EndpointRow>(sql, query, {
    list: 'webhook_endpoints',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<EndpointRow[]>`
      select ${endpointColumns(sql)} from webhook_endpoints
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
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
