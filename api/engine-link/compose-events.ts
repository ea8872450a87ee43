// The stored events of a batch, each in its tenant's pinned version. The texts are composed before
// the tenants' numbers are taken, so that no writer waits behind a counter meanwhile.
import { unixSeconds } from '../../shared/clock.ts'
import { type Lane, laneOf } from '../../shared/event-catalog.ts'
import type { TxSql } from '../database/transaction.ts'
import { inVersion, spokenVersion } from '../http/versions/chain.ts'
import { deflatedBody } from '../webhooks/events/event-body.ts'
import { eventText } from '../webhooks/events/index.ts'
import type { Announcement } from './batch.ts'
import { applied } from './poison-entry.ts'
import { mapInPieces } from './yield-to-event-loop.ts'

/** An event that lacks only its number. */
export interface EventRow extends Omit<Announcement, 'data'> {
  lane: Lane
  apiVersion: string
  /** The stored envelope of Spec 2.7. */
  body: Buffer
}

/**
 * Returns rows in the order of the announcements. Rejects with PoisonEntry when one cannot be
 * composed.
 */
export async function composeEvents(
  sql: TxSql,
  announcements: readonly Announcement[],
): Promise<EventRow[]> {
  const pinned = await pinnedVersions(sql, announcements)
  return mapInPieces(announcements, (told) =>
    applied(() => eventRow(told, spokenVersion(pinned.get(told.tenantId) ?? ''))),
  )
}

function eventRow({ data, ...told }: Announcement, apiVersion: string): EventRow {
  const { id, type, createdAtMs } = told
  const created = unixSeconds(createdAtMs)
  const shown = inVersion(data(), apiVersion)
  const text = eventText({ id, type, created, api_version: apiVersion, data: shown })
  return { ...told, lane: laneOf(type), apiVersion, body: deflatedBody(text) }
}

/**
 * Versions by tenant. The lock keeps the tenants' sandboxes from being wiped until the transaction
 * ends: each new row would take the same lock.
 */
async function pinnedVersions(
  sql: TxSql,
  announcements: readonly Announcement[],
): Promise<ReadonlyMap<string, string>> {
  const tenantIds = [...new Set(announcements.map(({ tenantId }) => tenantId))]
  if (tenantIds.length === 0) return new Map()
  const rows = await sql<{ id: string; api_version: string }[]>`
    select id, api_version from tenants where id = any(${tenantIds}::text[]) order by id
    for key share`
  return new Map(rows.map((row) => [row.id, row.api_version]))
}
