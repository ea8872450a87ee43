// The reading SQL about events; `record-event.ts` holds the writing. Each statement names the
// owner.
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { EventRow } from './view.ts'

export async function findEvent(sql: SqlTag, owner: Owner, id: string): Promise<EventRow | null> {
  const [row] = await sql<EventRow[]>`
    select id, seq, body from events
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface EventFilters extends CreatedFilters {
  type?: EventType
  resource_id?: string
}

/** By the sequence given when the event reached PostgreSQL. */
export async function listEvents(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & EventFilters,
): Promise<PageRows<EventRow>> {
  const { type, resource_id } = query
  return readPage<EventRow>(sql, query, {
    list: 'events',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => (await findEvent(sql, owner, id))?.seq ?? null,
    select: (range, ordered) => sql<EventRow[]>`
      select id, seq, body from events
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${type === undefined ? sql`` : sql`and type = ${type}`}
        ${resource_id === undefined ? sql`` : sql`and resource_id = ${resource_id}`}
        and ${range}
      ${ordered}`,
  })
}
