// All reads of scans.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PassScan } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findScan, listScans, type ScanFilters } from './store.ts'
import { scanView } from './view.ts'

export async function readScan({ sql, principal }: Context, id: string): Promise<PassScan> {
  const scan = await findScan(sql, principal, id)
  if (scan === null) throw new Refusal('resource_missing')
  return scanView(scan)
}

export async function readScans(
  { sql, principal }: Context,
  query: PageQuery & ScanFilters,
): Promise<Page<PassScan>> {
  return mapPage(await listScans(sql, principal, query), scanView)
}
