// The reading SQL about events; `record-event.ts` holds the writing. Each statement names the
// owner.
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Owner } from '../../context.ts'
import {
  bornSince,
  type ClockedOwner,
  type CreatedFilters,
  createdRange,
} from '../../database/created-filter.ts'
import {
  createdAmong,
  findNumbers,
  type SpannedList,
  spansOfType,
} from '../../database/created-spans.ts'
import {
  type Fragment,
  type PageOrder,
  type PageQuery,
  type PageRows,
  readPage,
} from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
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

export const EVENT_SPANS: SpannedList = {
  ...{ table: 'events', counters: 'tenant_sequences', counter: 'event_seq', isTyped: true },
}

/**
 * By the sequence given when the event reached PostgreSQL. An event that the drain brings late has
 * an id of that moment, whatever its `created`.
 */
export async function listEvents(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & EventFilters,
): Promise<PageRows<EventRow>> {
  const { type, resource_id } = query
  const numbers = await findNumbers(sql, owner, { list: EVENT_SPANS, filters: query })
  return readPage<EventRow>(sql, query, {
    list: 'events',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => (await findEvent(sql, owner, id))?.seq ?? null,
    select: (range, ordered, order) => {
      const found = sql`
        select id, seq, body from events
        where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
          ${bornSince(sql, 'evt', owner, createdRange(query))}
          ${createdAmong(sql, 'seq', { numbers, filters: query })}
          ${type === undefined ? NOTHING : ofType(sql, type)}
          ${resource_id === undefined ? NOTHING : sql`and resource_id = ${resource_id}`}
          and ${range}`
      if (type === undefined || !FREQUENT.has(type) || resource_id !== undefined)
        return sql<EventRow[]>`${found} ${ordered}`
      const spans = spansOfType(sql, owner, { list: EVENT_SPANS, type, range, numbers, ...order })
      return sql<EventRow[]>`${spanBySpan(sql, spans, { found, ordered, order })}`
    },
  })
}

/**
 * Reads span by span until the page is full. The outer order begins with that of the spans: then
 * PostgreSQL sorts the rows of a few spans at a time, and stops.
 */
function spanBySpan(
  sql: SqlTag,
  spans: Fragment,
  of: { found: Fragment; ordered: Fragment; order: PageOrder },
): Fragment {
  const direction = of.order.ascending ? sql`asc` : sql`desc`
  return sql`
    select event.* from (${spans}) span cross join lateral (
      ${of.found} and seq between span.first_seq and span.last_seq ${of.ordered}
    ) event
    order by span.seq ${direction}, event.seq ${direction} limit ${of.order.most}`
}

/** Types that no index has: an entry would cost every authorization and every capture. */
const FREQUENT: ReadonlySet<EventType> = new Set([
  'card.transaction.authorized',
  'card.transaction.captured',
])
const RARE = fixed`
  and type not in ('card.transaction.authorized', 'card.transaction.captured')`

/** The condition matches the index of rare types literally: a parameter would rule it out. */
function ofType(sql: SqlTag, type: EventType): Fragment {
  return sql`and type = ${type} ${FREQUENT.has(type) ? NOTHING : RARE}`
}
