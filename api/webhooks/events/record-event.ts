// Records an event in the transaction of its change: one row with the exact bytes every delivery
// will send, one narrow outbox row for the dispatcher. The function locks the tenant's sequence, so
// call it near the end.

import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { type EventType, type Lane, laneOf } from '../../../shared/event-catalog.ts'
import { IdCourse, newId } from '../../../shared/id.ts'
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { TxSql } from '../../database/transaction.ts'
import { inVersion, spokenVersion } from '../../http/versions/chain.ts'
import { previousAttributes } from './previous-attributes.ts'

export interface NewEvent {
  tenantId: string
  environment: string
  type: EventType
  /** The resource as its GET shows it at this moment, under its name: `{ card: … }`. */
  data: { readonly [name: string]: unknown }
  /** The resource the event is about; lists of events filter by it. */
  resourceId: string
  now: EpochMs
  /** The endpoints that get the event. Absent: every enabled endpoint whose filter matches. */
  audience?: EventAudience
}

/** Events have their time from PostgreSQL, whose clock may differ from ours. */
const DATABASE_COURSE = new IdCourse()

/**
 * Chosen: all enabled endpoints except one, whatever their filters. Spec 6.1: the disabled notice.
 */
export interface EventAudience {
  everyoneBut: string
}

export interface RecordedEvent {
  id: string
  seq: number
}

/**
 * Appends the event in the tenant's pinned api_version (Spec 9) with the next number of its
 * gap-free sequence. Chosen: lists order by that number, not by `created`, so a poller misses
 * nothing that was decided while PostgreSQL was away. The sequence row stays locked until the
 * transaction ends: events of one tenant become visible in order.
 */
export async function recordEvent(sql: TxSql, event: NewEvent): Promise<RecordedEvent> {
  const { tenantId, environment, type, resourceId, now } = event
  const next = await assignSequences(sql, event, 1)
  // Not `now`: a tenant's clock may be years ahead, and ids say on which day an event is kept.
  const id = newId('evt', next.clock_ms, DATABASE_COURSE)
  const version = spokenVersion(next.api_version)
  const body = eventBytes({
    id,
    type,
    created: unixSeconds(now),
    api_version: version,
    data: inVersion(event.data, version),
  })
  await sql`
    with recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      ) values (
        ${id}, ${tenantId}, ${environment}, ${next.seq}, ${type}, ${version},
        ${resourceId}, ${now}, ${body}
      )
    )
    insert into event_outbox (event_id, tenant_id, environment, lane, seq, everyone_but)
    values (
      ${id}, ${tenantId}, ${environment}, ${laneOf(type)}, ${next.seq}, ${event.audience?.everyoneBut ?? null}
    )
  `
  return { id, seq: next.seq }
}

/** Events of one tenant and of one moment that a call or a fan-out makes by the hundred. */
export interface ManyEvents {
  tenantId: string
  environment: string
  type: EventType
  now: EpochMs
  /** 0 if a caller waits for the event, although its type belongs to bulk. */
  lane: Lane
  /** In the order in which they get their numbers. */
  events: readonly ManyEventsItem[]
}

export interface ManyEventsItem {
  resourceId: string
  data: NewEvent['data']
  /** Another type of the same lane; absent: the type of them all. */
  type?: EventType
  /** For a change: the earlier `data`, from which previous_attributes are made. */
  before?: NewEvent['data']
}

/** The same for all of them at once, in as many statements as for one. */
export async function recordEvents(sql: TxSql, many: ManyEvents): Promise<void> {
  const { tenantId, environment, type, now, lane, events } = many
  if (events.length === 0) return
  const next = await assignSequences(sql, many, events.length)
  const version = spokenVersion(next.api_version)
  const rows = events.map(({ resourceId, data, before, type: own = type }) => {
    const id = newId('evt', next.clock_ms, DATABASE_COURSE)
    const shown = inVersion(data, version)
    const envelope = { id, type: own, created: unixSeconds(now), api_version: version, data: shown }
    const changed = before && {
      previous_attributes: previousAttributes(inVersion(before, version), shown),
    }
    return { id, type: own, resourceId, body: eventText({ ...envelope, ...changed }) }
  })
  await sql`
    with made as materialized (
      select id, ${next.seq - events.length} + place as seq, type, resource_id, convert_to(body, 'UTF8') as body
      from unnest(
        ${rows.map(({ id }) => id)}::text[],
        ${rows.map(({ type }) => type)}::text[],
        ${rows.map(({ resourceId }) => resourceId)}::text[],
        ${rows.map(({ body }) => body)}::text[]
      ) with ordinality as row (id, type, resource_id, body, place)
    ),
    recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      )
      select id, ${tenantId}, ${environment}, seq, type, ${version}, resource_id, ${now}, body
      from made
    )
    insert into event_outbox (event_id, tenant_id, environment, lane, seq)
    select id, ${tenantId}, ${environment}, ${lane}, seq from made order by seq`
}

interface Sequences {
  /** The last of those that were taken. */
  seq: number
  api_version: string
  clock_ms: number
}

/** Locks the tenant's row: no wipe of its sandbox starts until the transaction ends. */
async function assignSequences(
  sql: TxSql,
  { tenantId, environment }: Pick<NewEvent, 'tenantId' | 'environment'>,
  count: number,
): Promise<Sequences> {
  const [next] = await sql<Sequences[]>`
    insert into tenant_sequences as s (tenant_id, environment, event_seq)
    values (${tenantId}, ${environment}, ${count})
    on conflict (tenant_id, environment) do update set event_seq = s.event_seq + ${count}
    returning event_seq as seq,
      (select api_version from tenants where id = s.tenant_id for key share) as api_version,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as clock_ms
  `
  if (next === undefined) throw new Error('no sequence for tenant ' + tenantId)
  return next
}

/** The bytes that are stored, signed and sent: serialised once, keys in the order of Spec 2.7. */
export function eventBytes(envelope: EventEnvelope): Buffer {
  return Buffer.from(eventText(envelope))
}

/** The same as text. */
export function eventText({
  id,
  type,
  created,
  api_version,
  data,
  ...more
}: EventEnvelope): string {
  return JSON.stringify({ id, type, created, api_version, data, ...more })
}
