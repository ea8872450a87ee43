// The reading SQL about deliveries and their attempts. Each statement names the owner. Open and
// ended deliveries are separate tables: each is read by its own index, and a page merges both.
import type { EventType } from '../../../shared/event-catalog.ts'
import type { DeliveryCause, DeliveryState } from '../../../shared/schemas/webhook-delivery.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdRange, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { AttemptRow, DeliveryRow } from './view.ts'

/** Sort key of lists: the bytes of the id, in the collation of their indexes. */
const PLACED_OPEN = fixed`(select *, id collate "POSIX" as place from open_deliveries)`
const PLACED_ENDED = fixed`(select *, id collate "POSIX" as place from ended_deliveries)`

export interface DeliveryFilters extends CreatedFilters {
  endpoint_id?: string
  event_id?: string
  state?: DeliveryState
  type?: EventType
  cause?: DeliveryCause
}

/** Lists by id, which is the order of fan-out. */
export async function listDeliveries(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & DeliveryFilters,
): Promise<PageRows<DeliveryRow>> {
  return readPage<DeliveryRow>(sql, query, {
    list: 'webhook_deliveries',
    column: 'place',
    positionOf: ({ id }) => id,
    select: (range, ordered) =>
      sql<DeliveryRow[]>`${deliveryPage(sql, { owner, filters: query, range, ordered })}`,
  })
}

export interface DeliveryPage {
  owner: Owner
  filters: DeliveryFilters
  range: Fragment
  ordered: Fragment
}

/** Returns the statement of a page: the first rows of both tables, merged and cut. */
export function deliveryPage(sql: SqlTag, page: DeliveryPage): Fragment {
  return sql`
    select * from ((${openPage(sql, page)}) union all (${endedPage(sql, page)})) delivery
    ${page.ordered}`
}

function openColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, event_id as "eventId", endpoint_id as "endpointId", type, cause, recovery_id as "recoveryId",
    cycle, attempts, case when lease_token is null then due_at end as "dueAt", last_status as "lastStatus",
    last_error as "lastError", created_at as "createdAt", null::bigint as "finishedAt"`
}

function openState(sql: SqlTag): Fragment {
  return sql`
    case when e.deleted_at is not null then 'canceled' when e.status = 'enabled' then 'pending' else 'held' end`
}

function endedColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, event_id as "eventId", endpoint_id as "endpointId", type, cause, recovery_id as "recoveryId",
    cycle, attempts, null::bigint as "dueAt", last_status as "lastStatus", last_error as "lastError",
    created_at as "createdAt", finished_at as "finishedAt"`
}

/**
 * Reads endpoint by endpoint: an endpoint's enabled flag determines the state of its open
 * deliveries.
 */
function openPage(sql: SqlTag, page: DeliveryPage): Fragment {
  const { filters, range, ordered } = page
  const { state } = filters
  return sql`
    select open.*, ${openState(sql)} as state
    from ${endpointsOf(sql, page)} cross join lateral (
      select ${openColumns(sql)}, place from ${PLACED_OPEN} o
      where o.endpoint_id = e.id ${ofKind(filters)} ${filtered(sql, filters)} and ${range}
      ${ordered}
    ) open
    ${state === undefined ? NOTHING : sql`where ${openState(sql)} = ${state}`}`
}

/**
 * Failed and requested deliveries have small indexes of their own: the conditions name the excluded
 * rows. Without an endpoint, those of events are read endpoint by endpoint: no index of the tenant
 * has the kinds, because its plain list would be a merge of both in each day.
 */
function endedPage(sql: SqlTag, page: DeliveryPage): Fragment {
  const { owner, filters, range, ordered } = page
  const { endpoint_id: endpointId, state, cause } = filters
  const inVain = state !== undefined && state !== 'succeeded'
  const found = (by: Fragment): Fragment => sql`
    select ${endedColumns(sql)}, place, state from ${PLACED_ENDED} d
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} ${by}
      ${state === undefined ? NOTHING : sql`and state = ${state}`}
      ${inVain ? sql`and state <> 'succeeded'` : NOTHING}
      ${filtered(sql, filters)} and ${range}
    ${ordered}`
  const isListed = !inVain && isOfEveryType(filters)
  if (isListed && (cause === 'event' || (endpointId !== undefined && cause === undefined)))
    return sql`
      select ended.* from ${endpointsOf(sql, page)}
      cross join lateral (${found(sql`and endpoint_id = e.id ${ofKind(filters)}`)}) ended`
  return found(endpointId === undefined ? NOTHING : sql`and endpoint_id = ${endpointId}`)
}

/** The endpoints of the owner as `e`, each for both kinds where the list shows both. */
function endpointsOf(sql: SqlTag, { owner, filters }: DeliveryPage): Fragment {
  const { endpoint_id: endpointId } = filters
  return sql`(
    select * from webhook_endpoints
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      ${endpointId === undefined ? NOTHING : sql`and id = ${endpointId}`}
  ) e ${hasBothKinds(filters) ? KINDS : NOTHING}`
}

/** The index of an endpoint's list holds deliveries of events and those asked for apart. */
const KINDS = fixed`cross join (values (true), (false)) kind (of_event)`
const OF_KIND = fixed`and (cause = 'event') = kind.of_event`

function ofKind(filters: DeliveryFilters): Fragment {
  return hasBothKinds(filters) ? OF_KIND : NOTHING
}

function hasBothKinds(filters: DeliveryFilters): boolean {
  return filters.cause === undefined && isOfEveryType(filters)
}

/** A type and an event have indexes of their own, without the kind. */
function isOfEveryType({ event_id: eventId, type }: DeliveryFilters): boolean {
  return eventId === undefined && type === undefined
}

function filtered(sql: SqlTag, filters: DeliveryFilters): Fragment {
  const { event_id: eventId, type, cause } = filters
  return sql`
    ${eventId === undefined ? NOTHING : sql`and event_id = ${eventId}`}
    ${type === undefined ? NOTHING : sql`and type = ${type}`}
    ${caused(sql, cause)}
    ${createdWithin(sql, filters)} ${madeWithin(sql, filters)}`
}

/** The conditions match those of the indexes. */
function caused(sql: SqlTag, cause: DeliveryCause | undefined): Fragment {
  if (cause === undefined) return NOTHING
  return cause === 'event' ? OF_THE_EVENT : sql`and cause = ${cause} and cause <> 'event'`
}

const OF_THE_EVENT = fixed`and cause = 'event'`

/** Clocks of dispatchers differ by less. */
const CLOCK_SKEW_MS = 360_000

/**
 * Repeats the bounds by id, which choose the partitions, and by place, with which the index of the
 * list begins and ends: rows outside are not read.
 */
function madeWithin(sql: SqlTag, filters: DeliveryFilters): Fragment {
  const { from, before } = createdRange(filters)
  const least = sql`id_floor('dlv', ${from - CLOCK_SKEW_MS}::bigint)`
  const end = sql`id_floor('dlv', ${before + CLOCK_SKEW_MS}::bigint)`
  return sql`
    ${from === 0 ? NOTHING : sql`and id >= ${least} and place >= ${least}`}
    ${before === Number.MAX_SAFE_INTEGER ? NOTHING : sql`and id < ${end} and place < ${end}`}`
}

export async function findDelivery(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  id: string,
): Promise<DeliveryRow | null> {
  const [row] = await sql<DeliveryRow[]>`
    select open.*, ${openState(sql)} as state from (
      select ${openColumns(sql)} from open_deliveries
      where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}
    ) open join webhook_endpoints e on e.id = open."endpointId"
    union all
    select ${endedColumns(sql)}, state from ended_deliveries
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}`
  return row ?? null
}

/** Returns the endpoint's address and the stored bytes; null bytes where they are not kept. */
export async function findSent(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  id: string,
): Promise<{ url: string; body: Buffer | null } | null> {
  const [row] = await sql<{ url: string; body: Buffer | null }[]>`
    select e.url, coalesce(d.body, (
      select body from events v
      where v.id = d.event_id and v.tenant_id = ${tenantId} and v.environment = ${environment}
      limit 1
    )) as body
    from (
      select event_id, endpoint_id, body from open_deliveries
      where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}
      union all
      select event_id, endpoint_id, null from ended_deliveries
      where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}
    ) d join webhook_endpoints e on e.id = d.endpoint_id
    limit 1`
  return row ?? null
}

/** A cycle has five attempts at most. */
const PLACES_PER_CYCLE = 8

/** Lists attempts of a delivery of the owner, by cycle and number. */
export async function listAttempts(
  sql: SqlTag,
  query: PageQuery & { deliveryId: string },
): Promise<PageRows<AttemptRow>> {
  return readPage<AttemptRow>(sql, query, {
    list: 'delivery_attempts',
    column: 'place',
    positionOf: ({ place }) => place,
    select: (range, ordered) => sql<AttemptRow[]>`
      select * from (
        select cycle::bigint * ${PLACES_PER_CYCLE} + n as place, delivery_id as "deliveryId", cycle, n, cause,
          started_at as "startedAt", duration_ms as "durationMs", connected_ms as "connectedMs",
          answered_ms as "answeredMs", status, error_class as "errorClass", body
        from delivery_attempts where delivery_id = ${query.deliveryId}
      ) attempt
      where ${range} ${ordered}`,
  })
}
