// Examples made from schemas: they show the form of a call and of its answer, with invented values.
import type { OpenApiDocument } from './openapi.ts'
import type { Operation, Parameter } from './operation.ts'
import type { Schema } from './schemas.ts'

/** Objects in objects are shown this deep. */
const DEPTH_MAX = 3

/** What a field of this name holds, where its schema does not say. */
const BY_NAME: { readonly [field: string]: unknown } = {
  id: 'card_01m7wdgzf0fs28n3488hcbjt71',
  card_id: 'card_01m7wdgzf0fs28n3488hcbjt71',
  cardholder_id: 'ch_01m7wdgzf0c7yk2v0w5rj1q9ta',
  program_id: 'prog_01m7wdgzf0p3m8d6xq4zt2s5he',
  subject_id: 'card_01m7wdgzf0fs28n3488hcbjt71',
  transaction_id: 'txn_01m7wdgzf0fs28n3488hcbjt71',
  created: 1_795_176_000,
  amount_cents: 1250,
  currency: 'USD',
  country: 'US',
  last4: '4242',
  mcc: '5411',
  time_zone: 'America/New_York',
  email: 'ada@shop.test',
  name: 'Ada Lovelace',
  url: 'https://shop.test/webhooks',
  pin: '4831',
  external_id: 'customer-4711',
  reason: 'Asked by the cardholder',
  livemode: false,
  request_id: 'req_01m7wdgzf0fs28n3488hcbjt71',
  api_version: '2026-12-01',
}

type Schemas = OpenApiDocument['components']['schemas']

/** A value of the schema; of a body only what has to be sent, or its first field. */
export function exampleOf(schema: Schema, schemas: Schemas, options: { sent: boolean }): unknown {
  return valueFor(schema, { schemas, sent: options.sent, depth: 0, field: '' })
}

interface Place {
  schemas: Schemas
  sent: boolean
  depth: number
  field: string
}

function valueFor(schema: Schema, place: Place): unknown {
  const resolved = resolve(schema, place.schemas)
  if (resolved.const !== undefined) return resolved.const
  const [first] = resolved.enum ?? []
  if (first !== undefined) return first
  const option = resolved.anyOf?.find(({ type }) => type !== 'null')
  if (option !== undefined) return valueFor(option, place)
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type
  if (type === 'object' || resolved.properties !== undefined) return objectOf(resolved, place)
  if (type === 'array') return listOf(resolved, place)
  return BY_NAME[place.field] ?? plainOf(type, resolved)
}

function objectOf({ properties = {}, required = [] }: Schema, place: Place): object {
  if (place.depth >= DEPTH_MAX) return {}
  const names = Object.keys(properties)
  const needed = names.filter((name) => required.includes(name))
  const shown = !place.sent ? names : needed.length > 0 ? needed : names.slice(0, 1)
  const inner = (name: string) => ({ ...place, depth: place.depth + 1, field: name })
  return Object.fromEntries(
    shown.map((name) => [name, valueFor(properties[name] ?? {}, inner(name))]),
  )
}

function listOf({ items = {} }: Schema, place: Place): unknown[] {
  return place.depth >= DEPTH_MAX ? [] : [valueFor(items, { ...place, depth: place.depth + 1 })]
}

function plainOf(type: string | undefined, { minimum, pattern }: Schema): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0
  if (pattern === '^[A-Z]{3}$') return 'USD'
  if (pattern === '^[0-9]{4}$') return '5411'
  return type === 'string' ? 'text' : null
}

export function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...beside } = schema
  return { ...schemas[$ref.slice($ref.lastIndexOf('/') + 1)], ...beside }
}

/** The call as a line for a shell. */
export function curlOf(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  schemas: Schemas,
): string {
  const parameters = operation.parameters.filter((one): one is Parameter => 'name' in one)
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleId(path, name))
  const asked = parameters.filter(
    (one) => one.in === 'query' && (one.required || one.name === 'limit'),
  )
  const query = asked.map(({ name }) => name + '=' + (name === 'limit' ? '10' : 'text')).join('&')
  const lines = [
    'curl ' +
      (method === 'get' ? '' : '-X ' + method.toUpperCase() + ' ') +
      '"$SVC_URL' +
      url +
      (query === '' ? '' : '?' + query) +
      '"',
  ]
  const keyed = operation.security.length > 0
  if (keyed) lines.push('-H "Authorization: Bearer $SVC_KEY"')
  if (keyed && method !== 'get') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  const body = operation.requestBody?.content['application/json'].schema
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"')
    const text = JSON.stringify(exampleOf(body, schemas, { sent: true }), null, 2)
    lines.push("-d '" + text.replaceAll("'", "'\\''") + "'")
  }
  return lines.join(' \\\n  ')
}

const ID_PREFIXES: { readonly [collection: string]: string } = {
  cards: 'card',
  cardholders: 'ch',
  programs: 'prog',
  events: 'evt',
  card_transactions: 'txn',
  spending_controls: 'ctl',
  wallet_tokens: 'wtok',
  webhook_endpoints: 'we',
  certifications: 'cert',
  disputes: 'dsp',
  sanctions_alerts: 'alert',
  tokens: 'tok',
  tenants: 'ten',
  operators: 'op',
  people: 'user',
  api_keys: 'key',
}

function exampleId(path: string, parameter: string): string {
  const segments = path.split('/')
  const collection = segments[segments.indexOf('{' + parameter + '}') - 1] ?? ''
  return (ID_PREFIXES[collection] ?? 'id') + '_01m7wdgzf0fs28n3488hcbjt71'
}
