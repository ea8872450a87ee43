// One operation of the document, made from the declaration that the server runs.
import type { TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../../shared/error-catalog.ts'
import type { AnyRoute } from '../http/route.ts'
import { withDefault, withDefaults } from './defaults.ts'
import type { Operation, Parameter, Schema } from './document.ts'
import { operationIdOf } from './operation-id.ts'
import { type Components, isPage, plainData } from './schemas.ts'

/**
 * Returns the resource folder of a path: `/v1/spending_controls/:id` belongs to spending-controls.
 */
function folderOf(path: string): string {
  const [resource = ''] = path.slice(path.indexOf('/v1/') + '/v1/'.length).split('/')
  return resource.replaceAll('_', '-')
}

function tagOf(path: string): string {
  const words = folderOf(path)
    .replaceAll('-', ' ')
    .replace(/^api\b/, 'API')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `path` is one of the route's spellings; all but the first are aliases. */
export function operationOf(route: AnyRoute, path: string, components: Components): Operation {
  const first = route.paths[0] ?? ''
  const id = operationIdOf(route.method, first, isPage(answerOf(route)))
  const alias = path !== first
  return {
    operationId: alias ? id + 'Alias' : id,
    tags: [tagOf(first)],
    summary: route.summary.replace(/\.$/, ''),
    description: descriptionOf(route, alias ? first : null),
    security: [{ [route.caller === 'operator' ? 'operatorKey' : 'apiKey']: [] }],
    parameters: parametersOf(route, components).map((one) => withDefault(id, one)),
    ...bodyOf(id, route, components),
    responses: responsesOf(route, components),
    'x-svc-scope': route.scope,
    'x-svc-bucket': route.bucket,
    ...(route.family === null ? {} : { 'x-svc-family': route.family }),
    ...(route.publishable ? { 'x-svc-publishable': true } : {}),
    ...(route.sandboxOnly ? { 'x-svc-sandbox-only': true } : {}),
    ...(route.factor === null ? {} : { 'x-svc-factor': route.factor }),
    ...(alias ? { 'x-svc-alias-of': id } : {}),
  }
}

function descriptionOf(route: AnyRoute, aliasOf: string | null): string {
  const scopes = [route.scope, ...(route.family === null ? [] : [route.family + ':' + route.scope])]
  const sentences = [
    route.summary,
    'Needs the scope ' + scopes.map((scope) => '`' + scope + '`').join(' or ') + '.',
    'Counts in the bucket `' + route.bucket + '`.',
  ]
  if (route.publishable) sentences.push('Publishable keys may call it too.')
  if (route.sandboxOnly) sentences.push('In the sandbox only.')
  if (route.factor !== null)
    sentences.push('Needs a fresh second factor: ' + route.factor.replace(/\.?$/, '.'))
  if (aliasOf !== null) sentences.push('Another spelling of `' + braced(aliasOf) + '`.')
  return sentences.join(' ')
}

/** `:id` as OpenAPI writes it. */
export function braced(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

/** The resource or list that the operation answers with. */
function answerOf({ shape, answer }: AnyRoute): Schema {
  return plainData(shape ?? answer ?? {})
}

function parametersOf(route: AnyRoute, components: Components): Operation['parameters'] {
  const named = (from: TSchema, where: 'path' | 'query'): Parameter[] => {
    const like = where === 'query' ? answerOf(route) : undefined
    const { properties = {}, required = [] } = components.shown(from, like)
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }))
  }
  const headers = ['SvcVersion']
  if (route.method !== 'GET') headers.push('IdempotencyKey')
  if (route.factor !== null) headers.push('SvcFactor')
  return [
    ...named(route.params, 'path'),
    ...named(route.query, 'query'),
    ...headers.map((name) => ({ $ref: '#/components/parameters/' + name })),
  ]
}

function bodyOf(
  id: string,
  route: AnyRoute,
  components: Components,
): Pick<Operation, 'requestBody'> {
  if (route.body === null) return {}
  const { properties = {}, required: needed = [], minProperties } = plainData(route.body)
  if (Object.keys(properties).length === 0) return {}
  const required = needed.length > 0 || minProperties !== undefined
  const shown = components.shown(route.bodyShape ?? route.body, answerOf(route))
  const schema = route.method === 'PATCH' ? shown : withDefaults(id, shown)
  return { requestBody: { required, content: { 'application/json': { schema } } } }
}

const ANSWER_HEADERS = [
  'Request-Id',
  'Svc-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Resource',
]

export function answerHeaders(names: readonly string[] = ANSWER_HEADERS) {
  return Object.fromEntries(names.map((name) => [name, { $ref: '#/components/headers/' + name }]))
}

const DONE: { readonly [status in AnyRoute['status']]: string } = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: the work goes on, poll the resource.',
}

function responsesOf(route: AnyRoute, components: Components): Operation['responses'] {
  const headers = [
    ...ANSWER_HEADERS,
    ...(route.caller === 'tenant' ? ['Svc-Billing-Status'] : []),
    ...(route.method === 'GET' ? [] : ['Idempotent-Replayed']),
  ]
  const content = contentOf(route, components)
  const response = (description: string) => ({
    description,
    headers: answerHeaders(headers),
    content,
  })
  return {
    ...(route.makes !== null && { 200: response('Nothing was to be made.') }),
    [route.status]: response(DONE[route.status]),
    ...Object.fromEntries(
      statusesOf(route).map((status) => [
        status,
        { $ref: '#/components/responses/Error' + status },
      ]),
    ),
  }
}

function contentOf({ shape, answer, media, query }: AnyRoute, components: Components) {
  if (media !== null) return { [media]: { schema: { type: 'string', contentMediaType: media } } }
  const shown = shape ?? answer
  if (shown === null) return {}
  const json = { 'application/json': { schema: components.shown(shown) } }
  if (plainData(query).properties?.['format'] === undefined) return json
  return { ...json, 'text/csv': { schema: { type: 'string', contentMediaType: 'text/csv' } } }
}

/** Every status with which the API may refuse this call. */
function statusesOf(route: AnyRoute): number[] {
  const always = [400, 401, 403, 429, 500, 503]
  const about = Object.keys(plainData(route.params).properties ?? {}).length > 0
  const { sandboxOnly, absent, caller } = route
  const missing = about || sandboxOnly || absent || caller === 'operator' ? [404] : []
  if (route.method === 'GET') return [...always, ...missing].sort()
  const written = [404, 409, 413, 415, 422]
  return [...new Set([...always, ...missing, ...written])].sort()
}

/** Codes by status, of the whole catalog: every status is a component that operations refer to. */
export const CODES_BY_STATUS: ReadonlyMap<number, readonly ErrorCode[]> = byStatus()

function byStatus(): Map<number, ErrorCode[]> {
  const codes = new Map<number, ErrorCode[]>()
  for (const [code, { status }] of Object.entries(ERRORS)) {
    codes.set(status, [...(codes.get(status) ?? []), code as ErrorCode])
  }
  return codes
}
