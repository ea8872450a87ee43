// Examples made from schemas: they show the form of a call and of its answer, with invented values.
import { EXAMPLE_SECONDS, EXAMPLES, exampleIdOf } from './example-values.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { Operation, Parameter } from './operation.ts'
import type { Schema } from './schemas.ts'

/** Objects in objects are shown this deep. */
const DEPTH_MAX = 3

type Schemas = OpenApiDocument['components']['schemas']

/** A value of the schema; of a body only what has to be sent, or its first field. `whole`: however deep its objects go. */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  { sent, whole = false }: { sent: boolean; whole?: boolean },
): unknown {
  const depthMax = whole ? Number.POSITIVE_INFINITY : DEPTH_MAX
  return valueFor(schema, { schemas, sent, depthMax, depth: 0, field: '', holder: '', kind: null })
}

interface Place {
  schemas: Schemas
  sent: boolean
  depthMax: number
  depth: number
  field: string
  /** The field that holds the object in which this one stands, and what `object` says there. */
  holder: string
  kind: string | null
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
  return nearest(place) ?? plainOf(type, resolved, place.field)
}

/** By what holds the field, by what it is the id or another field of, by its name. */
function nearest({ holder, field, kind }: Place): unknown {
  const own = EXAMPLES[holder + '.' + field]
  const ofKind = own ?? EXAMPLES[kind + '.' + field]
  if (ofKind !== undefined) return ofKind
  return field === 'id' && kind !== null ? exampleIdOf(kind) : EXAMPLES[field]
}

function objectOf({ properties = {}, required = [] }: Schema, place: Place): object {
  if (place.depth >= place.depthMax) return {}
  const names = Object.keys(properties)
  const needed = names.filter((name) => required.includes(name))
  const shown = !place.sent ? names : needed.length > 0 ? needed : names.slice(0, 1)
  const kind = properties['object']?.const
  const inner = (name: string) => ({
    ...place,
    depth: place.depth + 1,
    holder: place.field,
    kind: typeof kind === 'string' ? kind : null,
    field: name,
  })
  return Object.fromEntries(
    shown.map((name) => [name, valueFor(properties[name] ?? {}, inner(name))]),
  )
}

function listOf({ items = {} }: Schema, place: Place): unknown[] {
  return place.depth >= place.depthMax
    ? []
    : [valueFor(items, { ...place, depth: place.depth + 1 })]
}

/** Whole numbers of these names are Unix seconds. */
const MOMENTS = /(_at|^now|^first|^last|^since|^updated)$/
const MOMENT = '2026-11-20T12:00:00.000Z'

function plainOf(type: string | undefined, { minimum, pattern }: Schema, field: string): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' && MOMENTS.test(field)) return EXAMPLE_SECONDS
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0
  if (pattern === '^[A-Z]{3}$') return 'USD'
  if (typeof pattern === 'string' && pattern.startsWith('^[0-9]{4}')) return '5411'
  if (type !== 'string') return null
  return /(_at|_start|due_by)$/.test(field) ? MOMENT : 'text'
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
  webhook_deliveries: 'dlv',
  recoveries: 'rcv',
  certifications: 'cert',
  disputes: 'dsp',
  sanctions_alerts: 'alert',
  tokens: 'tok',
  tenants: 'ten',
  operators: 'op',
  pass_templates: 'ptpl',
  passes: 'pass',
  pass_images: 'pimg',
  pass_scans: 'pscan',
  scanners: 'scn',
  people: 'user',
  api_keys: 'key',
}

function exampleId(path: string, parameter: string): string {
  const segments = path.split('/')
  const collection = segments[segments.indexOf('{' + parameter + '}') - 1] ?? ''
  return (ID_PREFIXES[collection] ?? 'id') + '_01m7wdgzf0fs28n3488hcbjt71'
}
