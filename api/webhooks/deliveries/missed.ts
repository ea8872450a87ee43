// Missed events of an endpoint: events for it that came while it was disabled and were not sent
// there since.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context, Owner } from '../../context.ts'
import { encodeCursor } from '../../database/cursor.ts'
import {
  type Fragment,
  mapPage,
  type PageQuery,
  type PageRows,
  readPage,
} from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { type EndpointRow, findEndpoint } from '../endpoints/index.ts'
import { eventView } from '../events/index.ts'
import { isFor, isNotSentAnyway, isUnsent } from './recoveries/matching.ts'

/**
 * Events that the search for one page reads. If all of them were sent since, the page is short and
 * the list continues after them.
 */
const SEEN_MAX = 5000
/** Longer than an event queues before its endpoint is found disabled. */
const IN_LINE_MS_MAX = 86_400_000

interface MissedRow {
  seq: number
  body: Buffer
}

/** Lists in the order of recording. */
export async function readMissedEvents(
  { sql, principal }: Context,
  query: PageQuery & { endpointId: string },
): Promise<Page<EventEnvelope>> {
  const endpoint = await findEndpoint(sql, principal, query.endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  const page = await listMissed(sql, principal, { query, endpoint })
  return mapPage(page, eventView)
}

async function listMissed(
  sql: SqlTag,
  owner: Owner,
  { query, endpoint }: { query: PageQuery; endpoint: EndpointRow },
): Promise<PageRows<MissedRow>> {
  let stoppedAt: number | null = null
  const page = await readPage<MissedRow>(sql, query, {
    list: 'missed_events',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => findSeq(sql, owner, id),
    select: async (range, ordered, { ascending }) => {
      const direction = ascending ? sql`asc` : sql`desc`
      const first = sql`order by seq ${direction} limit ${SEEN_MAX}`
      const rows = await sql<(MissedRow & { last: number | null })[]>`
        with seen as materialized (${seenEvents(sql, owner, { endpoint, range, first })}),
        missed as (
          select e.id, e.seq from seen e
          where ${isFor(sql, endpoint)} and ${isUnsent(sql, endpoint.id, sql`e.earliest`)}
            and ${isNotSentAnyway(sql, owner, endpoint.id)}
          ${ordered}
        ),
        edge as (
          select case when count(*) = ${SEEN_MAX} then ${ascending ? sql`max(seq)` : sql`min(seq)`} end as last from seen
        )
        select missed.seq, ev.body, edge.last
        from edge left join missed on true
        left join lateral (select body from events where id = missed.id limit 1) ev on true
        order by missed.seq ${direction}`
      stoppedAt = rows[0]?.last ?? null
      return rows.filter(({ body }) => body !== null)
    },
  })
  if (page.hasMore || stoppedAt === null) return page
  return { ...page, hasMore: true, nextCursor: encodeCursor('missed_events', stoppedAt) }
}

/** Reads absence by absence; overlapping absences yield an event once. */
function seenEvents(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { endpoint, range, first }: { endpoint: EndpointRow; range: Fragment; first: Fragment },
): Fragment {
  return sql`
    select id, seq, type, resource_id, min(earliest) as earliest
    from endpoint_absences a cross join lateral (
      select id, seq, type, resource_id, id_floor('dlv', greatest(0, a.from_at - ${IN_LINE_MS_MAX})) as earliest from events
      where tenant_id = ${tenantId} and environment = ${environment}
        and seq >= a.from_seq and (a.until_seq is null or seq <= a.until_seq)
        and id >= id_floor('evt', greatest(0, a.from_at - ${IN_LINE_MS_MAX})) and ${range}
      ${first}
    ) event
    where a.endpoint_id = ${endpoint.id}
    group by id, seq, type, resource_id
    ${first}`
}

async function findSeq(sql: SqlTag, owner: Owner, id: string): Promise<number | null> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from events
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row?.seq ?? null
}
