// All reads of scanners.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findScanner, listScanners, type ScannerFilters } from './store.ts'
import { scannerView } from './view.ts'

export async function readScanner({ sql, principal }: Context, id: string): Promise<Scanner> {
  const scanner = await findScanner(sql, principal, id)
  if (scanner === null) throw new Refusal('resource_missing')
  return scannerView(scanner)
}

export async function readScanners(
  { sql, principal }: Context,
  query: PageQuery & ScannerFilters,
): Promise<Page<Scanner>> {
  return mapPage(await listScanners(sql, principal, query), scannerView)
}
