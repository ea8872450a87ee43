// Records events in the transaction of their change: a row with the exact bytes every delivery will
// send, one narrow outbox row for the dispatcher. One statement takes the numbers and writes the
// rows. It locks the tenant's sequence; write() sends it right before its commit.

import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { API_VERSION, type EventType, type Lane, laneOf } from '../../../shared/event-catalog.ts'
import { IdCourse, newId } from '../../../shared/id.ts'
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import { runLate } from '../../database/late-statements.ts'
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

/**
 * Chosen: all enabled endpoints except one, whatever their filters. Spec 6.1: the disabled notice.
 */
export interface EventAudience {
  everyoneBut: string
}

/**
 * Appends the event in the tenant's pinned api_version (Spec 9) with the next number of its
 * gap-free sequence. Chosen: lists order by that number, not by `created`, so a poller misses
 * nothing that was decided while PostgreSQL was away. The sequence row stays locked until the
 * transaction ends: events of one tenant become visible in order. Inside write() the event is
 * recorded when the work has returned; `data` must not change any more.
 */
export async function recordEvent(sql: TxSql, event: NewEvent): Promise<void> {
  const { tenantId, environment, type, data, resourceId, now, audience } = event
  const events = [{ resourceId, data }]
  const many = { tenantId, environment, type, now, lane: laneOf(type), events }
  await runLate(sql, () => appendEvents(sql, many, audience?.everyoneBut ?? null))
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

/** The same for all of them at once, in one statement. */
export async function recordEvents(sql: TxSql, many: ManyEvents): Promise<void> {
  if (many.events.length > 0) await runLate(sql, () => appendEvents(sql, many, null))
}

/** Tenants that were last found to be pinned to an older version than the newest. */
const pinned = new Map<string, string>()
const PINNED_MAX = 10_000

/**
 * The bodies are made for a version, and the statement finds out under its lock whether the tenant
 * is pinned to it. Otherwise it only takes the numbers, and a second one writes the rows.
 */
async function appendEvents(
  sql: TxSql,
  many: ManyEvents,
  everyoneBut: string | null,
): Promise<void> {
  const { tenantId } = many
  const expected = pinned.get(tenantId) ?? API_VERSION
  const first = { pin: expected, everyoneBut, taken: null }
  const { seq: taken, api_version: pin } = await insertEvents(sql, many, first)
  if (pin === expected) return
  if (pinned.size >= PINNED_MAX) pinned.clear()
  pinned.delete(tenantId)
  if (pin !== API_VERSION) pinned.set(tenantId, pin)
  await insertEvents(sql, many, { pin, everyoneBut, taken })
}

interface Appended {
  /** Number of the last of the events. */
  seq: number
  /** The version that the tenant is pinned to. */
  api_version: string
}

/**
 * Locks the tenant's row: no wipe of its sandbox starts until the transaction ends. An id begins
 * with the moment by the clock of PostgreSQL, which may differ from ours, under the lock: not with
 * `now`, because a tenant's clock may be years ahead, and ids say on which day an event is kept.
 * `taken`: the last number, where an earlier statement took them; the events then keep the version
 * that it saw, also when the tenant has another one since.
 */
async function insertEvents(
  sql: TxSql,
  many: ManyEvents,
  { pin, everyoneBut, taken }: { pin: string; everyoneBut: string | null; taken: number | null },
): Promise<Appended> {
  const { tenantId, environment, now, lane, events } = many
  const version = spokenVersion(pin)
  const rows = events.map((event) => rowOf(many, event, version))
  const count = taken === null ? events.length : 0
  const [appended] = await sql<Appended[]>`
    with next as materialized (
      insert into tenant_sequences as s (tenant_id, environment, event_seq)
      values (${tenantId}, ${environment}, ${count})
      on conflict (tenant_id, environment) do update set event_seq = s.event_seq + ${count}
      returning coalesce(${taken}::bigint, event_seq) as seq,
        (select api_version from tenants where id = s.tenant_id for key share) as api_version,
        id_floor('evt', (extract(epoch from clock_timestamp()) * 1000)::bigint) as born
    ),
    made as materialized (
      select born || id_end as id, seq - ${rows.length} + place as seq, type, resource_id,
        convert_to('{"id":"' || born || id_end || body_end, 'UTF8') as body
      from next cross join unnest(
        ${rows.map(({ idEnd }) => idEnd)}::text[],
        ${rows.map(({ type }) => type)}::text[],
        ${rows.map(({ resourceId }) => resourceId)}::text[],
        ${rows.map(({ bodyEnd }) => bodyEnd)}::text[]
      ) with ordinality as row (id_end, type, resource_id, body_end, place)
      where api_version = ${pin} or ${taken}::bigint is not null
    ),
    recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      )
      select id, ${tenantId}, ${environment}, seq, type, ${version}, resource_id, ${now}, body
      from made
    ),
    waiting as (
      insert into event_outbox (event_id, tenant_id, environment, lane, seq, everyone_but)
      select id, ${tenantId}, ${environment}, ${lane}, seq, ${everyoneBut} from made order by seq
    )
    select seq, api_version from next`
  if (appended === undefined) throw new Error('no sequence for tenant ' + tenantId)
  return appended
}

/** Ends of ids differ within a process; their order says nothing. */
const ENDS = new IdCourse()
const ID_BEGIN = 'evt_'.length + 10
const BODY_BEGIN = '{"id":"'.length

/** An event without the moment with which its id begins. */
function rowOf(
  { type: common, now }: ManyEvents,
  { type = common, resourceId, data, before }: ManyEventsItem,
  version: string,
) {
  const shown = inVersion(data, version)
  const changed = before && {
    previous_attributes: previousAttributes(inVersion(before, version), shown),
  }
  const created = unixSeconds(now)
  const text = eventText({ id: '', type, created, api_version: version, data: shown, ...changed })
  const idEnd = newId('evt', 0, ENDS).slice(ID_BEGIN)
  return { type, resourceId, idEnd, bodyEnd: text.slice(BODY_BEGIN) }
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
