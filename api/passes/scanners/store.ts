// Every SQL statement about scanners. Each names the owner; deleted scanners are invisible to all
// callers.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { ScannerRow } from './view.ts'

const COLUMNS = fixed`
  id, environment, name, created_at as "createdAt", external_id as "externalId", metadata`

export async function findScanner(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<ScannerRow | null> {
  const [row] = await sql<ScannerRow[]>`
    select ${COLUMNS} from scanners
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
      and deleted_at is null`
  return row ?? null
}

/** Locks the scanner until the transaction ends: no other call deletes it meanwhile. */
export async function lockScanner(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<ScannerRow | null> {
  const [row] = await sql<ScannerRow[]>`
    select ${COLUMNS} from scanners
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
      and deleted_at is null
    for no key update`
  return row ?? null
}

export interface ScannerFilters extends CreatedFilters {
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listScanners(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & ScannerFilters,
): Promise<PageRows<ScannerRow>> {
  const { external_id } = query
  return readPage<ScannerRow>(sql, query, {
    list: 'scanners',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ScannerRow[]>`
      select ${COLUMNS} from scanners
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and deleted_at is null
        ${createdWithin(sql, query)}
        ${external_id === undefined ? NOTHING : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

export async function insertScanner(
  sql: TxSql,
  owner: Owner,
  scanner: { id: string; name: string; now: EpochMs } & TenantFields,
): Promise<ScannerRow> {
  const { id, name, now, externalId, metadata } = scanner
  const [row] = await sql<ScannerRow[]>`
    insert into scanners (id, tenant_id, environment, name, created_at, external_id, metadata)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${name}, ${now}, ${externalId},
      ${JSON.stringify(metadata)}::text::jsonb)
    returning ${COLUMNS}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Saves a locked scanner. */
export async function saveScanner(
  sql: TxSql,
  owner: Owner,
  { id, name, externalId, metadata }: { id: string; name: string } & TenantFields,
): Promise<ScannerRow> {
  const [row] = await sql<ScannerRow[]>`
    update scanners set name = ${name}, external_id = ${externalId}, metadata = ${JSON.stringify(metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${COLUMNS}`
  assert(row !== undefined, 'a locked scanner does not vanish')
  return row
}

/** Marks a locked scanner as deleted. Its scans still name it; its external id is free again. */
export async function markDeleted(
  sql: TxSql,
  owner: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`
    update scanners set deleted_at = ${now}, external_id = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
}
