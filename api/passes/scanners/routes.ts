// The endpoints of scanners.
import { Type } from '../../../shared/schema-builders.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import { DeletedScanner, Scanner } from '../../../shared/schemas/pass-scan.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { deleteScanner, registerScanner } from './register.ts'
import { findScanner, listScanners, type ScannerFilters } from './store.ts'
import { updateScanner } from './update.ts'
import { scannerView } from './view.ts'

const LIST = '/v1/scanners'
const ONE = LIST + '/:id'
const WRITTEN = {
  scope: 'write',
  entitled: 'always',
  family: 'pass',
  bucket: 'passes_write',
} as const
const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

export const scannerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists scanners, newest first.',
    family: 'pass',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Scanner),
    run: (context, { query }) => readScanners(context, query),
  }),
  route({
    method: 'GET',
    paths: [ONE],
    scope: 'read',
    summary: 'Returns one scanner.',
    family: 'pass',
    params: IdParams,
    answer: Scanner,
    run: (context, { params }) => readScanner(context, params.id),
  }),
  route({
    ...WRITTEN,
    method: 'POST',
    paths: [LIST],
    summary: 'Registers a scanner.',
    body: closed({ name: Name, ...TENANT_FIELDS_INPUT }),
    answer: Scanner,
    status: 201,
    run: (context, { body }) =>
      registerScanner(context, {
        name: body.name,
        externalId: body.external_id ?? null,
        metadata: body.metadata ?? {},
      }),
  }),
  route({
    ...WRITTEN,
    method: 'PATCH',
    paths: [ONE],
    summary: 'Changes name, external_id and metadata of a scanner.',
    params: IdParams,
    body: closed({ name: Type.Optional(Name), ...TENANT_FIELDS_CHANGE }, { minProperties: 1 }),
    answer: Scanner,
    run: (context, { params, body }) => updateScanner(context, { id: params.id, change: body }),
  }),
  route({
    ...WRITTEN,
    method: 'DELETE',
    paths: [ONE],
    summary: 'Takes a scanner away for ever: nothing is scanned with it any more.',
    params: IdParams,
    answer: DeletedScanner,
    run: (context, { params }) => deleteScanner(context, params.id),
  }),
]

async function readScanner({ sql, principal }: Context, id: string): Promise<Scanner> {
  const scanner = await findScanner(sql, principal, id)
  if (scanner === null) throw new Refusal('resource_missing')
  return scannerView(scanner)
}

async function readScanners(
  { sql, principal }: Context,
  query: PageQuery & ScannerFilters,
): Promise<Page<Scanner>> {
  return mapPage(await listScanners(sql, principal, query), scannerView)
}
