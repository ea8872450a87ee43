// Addresses of the lists of the API: each by each of its filters, with values that match nearly
// every row of a long list, one, or none.
import { ROUTES } from '../../api/routes.ts'
import { isoInstant } from '../../shared/clock.ts'
import { OWN_WORDS, type Things } from './furnished.ts'
import { SEEDED_AT_MS } from './tenant.ts'

/** Parameters that are no filters, or come in pairs of their own. */
const COMMON: ReadonlySet<string> = new Set([
  ...['limit', 'starting_after', 'ending_before', 'order', 'format', 'sort', 'created_after'],
  ...['created[gte]', 'created[gt]', 'created[lte]', 'created[lt]'],
])
/** Resource of a filter by the name of its parameter, where that is not its plural. */
const RESOURCES: { readonly [name: string]: string } = {
  endpoint_id: 'webhook_endpoints',
  pass_id: 'passes',
  template_id: 'pass_templates',
  transaction_id: 'card_transactions',
  subject_id: 'cards',
  resource_id: 'cards',
  settlement_batch_id: 'settlement_batches',
}
/** Values of the other filters: one that rows have, and one that none has. */
const VALUES: { readonly [name: string]: readonly [string, string] } = {
  external_id: [OWN_WORDS.external_id, 'nobody'],
  last4: ['4242', '0000'],
  mcc: ['5411', '0001'],
  email: ['ada@tenant.example', 'nobody@tenant.example'],
  merchant_id: ['m-1', 'nowhere'],
  merchant_name: ['Corner', 'Nowhere'],
  network_transaction_id: ['ntx-500', 'ntx-nothing'],
  min_amount_cents: ['0', '900000000'],
  max_amount_cents: ['900000000', '0'],
  action: ['POST /v1/cards', 'none'],
  code: ['resource_missing', 'none'],
  business_date: ['2026-11-20', '2020-01-01'],
  network: ['simnet', 'visa'],
  review: ['open', 'open'],
  environment: ['sandbox', 'live'],
  source: ['ECB', 'nobody'],
  pair: ['EUR/USD', 'AUD/NZD'],
}
const NO_ID = '0'.repeat(26)
/** Chosen: events and deliveries have more than fifty types; the others are read as these are. */
const TYPES = ['card.transaction.authorized', 'card.transaction.captured', 'card.terminated']

type Query = { readonly [name: string]: { readonly enum?: readonly string[] } }

interface ListRoute {
  path: string
  caller: string
  query: Query
}

/** Paths with their queries, of tenants (`/v1`) and of operators (`/operator/v1`). */
export function listAddresses(things: Things, tenantId: string, rows: number): string[] {
  return listRoutes().flatMap(({ path, query }) => {
    const at = path.replaceAll(/([\w-]+)\/:id/g, (_all, segment: string) => {
      const id = segment === 'tenants' ? tenantId : things.get(segment)
      if (id === undefined) throw new Error('no resource for ' + path)
      return segment + '/' + id
    })
    return [at, ...queriesOf(query, things, tenantId, rows).map((text) => at + '?' + text)]
  })
}

function listRoutes(): ListRoute[] {
  return ROUTES.flatMap(({ method, paths, caller, query }) => {
    const fields = (query as { properties?: Query } | null)?.properties
    const [path] = paths
    if (method !== 'GET' || fields?.['starting_after'] === undefined || path === undefined)
      return []
    // A file is closed by an operator's move that no test of lists makes.
    return path.includes('clearing_files/') ? [] : [{ path, caller, query: fields }]
  })
}

function queriesOf(query: Query, things: Things, tenantId: string, rows: number): string[] {
  const middle = isoInstant(SEEDED_AT_MS - rows * 3000)
  const moments = ['2020-01-01T00:00:00Z', middle, '2026-11-21T00:00:00Z']
  const periods =
    query['created[gte]'] === undefined
      ? []
      : [
          ...moments.flatMap((at) => ['created[lte]=' + at, 'created[gte]=' + at + '&order=asc']),
          'created[gte]=' + middle + '&created[lte]=' + isoInstant(SEEDED_AT_MS - rows * 2999),
        ]
  const sorts = (query['sort']?.enum ?? []).map((name) => 'sort=' + name)
  const filters = Object.entries(query)
    .filter(([name]) => !COMMON.has(name))
    .flatMap(([name, { enum: known }]) => {
      const values = name === 'type' && (known?.length ?? 0) > 9 ? TYPES : known
      return (values ?? valuesOf(name, things, tenantId)).map((value) => name + '=' + value)
    })
  return ['order=asc', ...periods, ...sorts, ...filters].map((text) => text.replaceAll(' ', '+'))
}

function valuesOf(name: string, things: Things, tenantId: string): readonly string[] {
  const known = VALUES[name]
  if (known !== undefined) return known
  if (name === 'tenant_id') return [tenantId, 'ten_' + NO_ID]
  if (['actor', 'credential_id', 'message_id', 'operator_id'].includes(name)) return [NO_ID]
  const resource = RESOURCES[name] ?? name.slice(0, -'_id'.length) + 's'
  const id = things.get(resource)
  if (id === undefined) throw new Error('no value for the filter ' + name)
  return [id, id.slice(0, -26) + NO_ID]
}
