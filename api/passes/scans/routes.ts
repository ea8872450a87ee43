// The endpoints of scans. Spec 2.3.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import { PassScan, SCAN_MEDIA, SCAN_RESULTS } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { scanPass } from './scan.ts'
import { findScan, listScans, type ScanFilters } from './store.ts'
import { scanView } from './view.ts'

const PAYLOAD_MAX = 3000

export const passScanRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/pass_scans'],
    scope: 'read',
    summary: 'Lists scans, newest first.',
    family: 'pass',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      pass_id: IdFilter,
      scanner_id: IdFilter,
      verification_result: Type.Optional(Type.Enum([...SCAN_RESULTS])),
    }),
    answer: PageOf(PassScan),
    run: (context, { query }) => readScans(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/pass_scans/:id'],
    scope: 'read',
    summary: 'Returns one scan.',
    family: 'pass',
    params: IdParams,
    answer: PassScan,
    run: (context, { params }) => readScan(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/passes/scan'],
    scope: 'write',
    entitled: 'always',
    summary: 'Verifies what a scanner read, and records it.',
    family: 'pass',
    bucket: 'passes_write',
    body: closed({
      payload: described(
        Type.String({ minLength: 1, maxLength: PAYLOAD_MAX }),
        'The full text that the scanner read from the barcode or by NFC.',
      ),
      scanner_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      medium: described(
        Type.Optional(Type.Enum([...SCAN_MEDIA])),
        'Barcode or NFC; barcode if left out.',
      ),
      latitude: described(
        Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
        'Latitude of the scanner in degrees; requires longitude.',
      ),
      longitude: described(
        Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
        'Longitude of the scanner in degrees; requires latitude.',
      ),
    }),
    answer: PassScan,
    status: 201,
    run: (context, { body }) => {
      const { payload, scanner_id, medium = 'barcode', latitude = null, longitude = null } = body
      if ((latitude === null) !== (longitude === null))
        throw new Refusal('parameter_missing', {
          param: latitude === null ? 'latitude' : 'longitude',
        })
      return scanPass(context, { payload, scannerId: scanner_id, medium, latitude, longitude })
    },
  }),
]

async function readScan({ sql, principal }: Context, id: string): Promise<PassScan> {
  const scan = await findScan(sql, principal, id)
  if (scan === null) throw new Refusal('resource_missing')
  return scanView(scan)
}

async function readScans(
  { sql, principal }: Context,
  query: PageQuery & ScanFilters,
): Promise<Page<PassScan>> {
  return mapPage(await listScans(sql, principal, query), scanView)
}
