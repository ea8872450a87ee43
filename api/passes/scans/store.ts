// Every SQL statement about scans. Each names the owner.
import type { ScanResult } from '../../../shared/schemas/pass-scan.ts'
import type { Owner, Principal } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ScanRow } from './view.ts'

const COLUMNS = fixed`
  id, environment, scanner_id as "scannerId", pass_id as "passId", medium, result, latitude, longitude,
  created_at as "createdAt"`

export async function findScan(sql: SqlTag, owner: Owner, id: string): Promise<ScanRow | null> {
  const [row] = await sql<ScanRow[]>`
    select ${COLUMNS} from pass_scans
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface ScanFilters extends CreatedFilters {
  pass_id?: string
  scanner_id?: string
  verification_result?: ScanResult
}

/** Lists by id, which is the order of creation. */
export async function listScans(
  sql: SqlTag,
  owner: Principal,
  query: PageQuery & ScanFilters,
): Promise<PageRows<ScanRow>> {
  const { pass_id, scanner_id, verification_result: result } = query
  return readPage<ScanRow>(sql, query, {
    list: 'pass_scans',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ScanRow[]>`
      select ${COLUMNS} from pass_scans
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithinIds(sql, 'pscan', owner, query)}
        ${pass_id === undefined ? NOTHING : sql`and pass_id = ${pass_id}`}
        ${scanner_id === undefined ? NOTHING : sql`and scanner_id = ${scanner_id}`}
        ${result === undefined ? NOTHING : sql`and result = ${result}`}
        and ${range}
      ${ordered}`,
  })
}

export async function insertScan(sql: TxSql, owner: ClockedOwner, scan: ScanRow): Promise<void> {
  const { id, scannerId, passId, medium, result, latitude, longitude, createdAt } = scan
  await sql`
    insert into pass_scans (id, tenant_id, environment, scanner_id, pass_id, medium, result, latitude, longitude, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${scannerId}, ${passId}, ${medium}, ${result}, ${latitude},
      ${longitude}, ${createdAt})`
}
