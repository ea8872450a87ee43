// Records what happened, in the transaction that made it happen: one row with the exact bytes every delivery will send,
// one narrow outbox row for the dispatcher. Takes the tenant's sequence lock last-in, so call it near the end.

import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { type EventType, laneOf } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { TxSql } from '../../database/transaction.ts'
import { inVersion, spokenVersion } from '../../versions/chain.ts'

export interface NewEvent {
  tenantId: string
  environment: string
  type: EventType
  /** The resource as its GET shows it at this moment, under its name: `{ card: … }`. */
  data: { readonly [name: string]: unknown }
  /** The resource the event is about; lists of events filter by it. */
  resourceId: string
  now: EpochMs
  /** Who is told. Absent: every enabled endpoint whose filter matches. */
  audience?: EventAudience
}

/** Chosen: all enabled endpoints except one, whatever their filters. Spec 6.1: the disabled notice. */
export interface EventAudience {
  everyoneBut: string
}

export interface RecordedEvent {
  id: string
  seq: number
}

/**
 * Appends the event in the tenant's pinned api_version (Spec 9) with the next number of its gap-free sequence.
 * Chosen: lists order by that number, not by `created`, so a poller misses nothing that was decided while PostgreSQL was away.
 * The sequence row stays locked until the transaction ends: events of one tenant become visible in order.
 */
export async function recordEvent(sql: TxSql, event: NewEvent): Promise<RecordedEvent> {
  const { tenantId, environment, type, resourceId, now } = event
  const [next] = await sql<{ seq: number; api_version: string; clock_ms: number }[]>`
    insert into tenant_sequences as s (tenant_id, environment, event_seq)
    values (${tenantId}, ${environment}, 1)
    on conflict (tenant_id, environment) do update set event_seq = s.event_seq + 1
    returning event_seq as seq, (select api_version from tenants where id = s.tenant_id),
      (extract(epoch from clock_timestamp()) * 1000)::bigint as clock_ms
  `
  if (next === undefined) throw new Error('no sequence for tenant ' + tenantId)
  // Not `now`: a tenant's clock may be years ahead, and ids say on which day an event is kept.
  const id = newId('evt', next.clock_ms)
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

/** The bytes that are stored, signed and sent: serialised once, keys in the order of Spec 2.7. */
export function eventBytes(envelope: EventEnvelope): Buffer {
  const { id, type, created, api_version, data } = envelope
  return Buffer.from(JSON.stringify({ id, type, created, api_version, data }))
}
