// The API as an OpenAPI 3.1 document, made from the schemas that check requests and write answers: it cannot say anything else
// than what runs.
import { ERRORS } from '../../shared/error-catalog.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import type { Route } from '../route.ts'
import { readDescriptions } from './descriptions.ts'
import { answerHeaders, braced, CODES_BY_STATUS, type Operation, operationOf } from './operation.ts'
import { revealOperation } from './reveal-operation.ts'
import { type Components, createComponents, reference, type Schema } from './schemas.ts'
import { webhooksOf } from './webhooks.ts'

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { [field: string]: unknown; title: string; version: string }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: { [path: string]: { [method: string]: Operation } }
  webhooks: { [name: string]: unknown }
  components: { schemas: { [name: string]: Schema }; [kind: string]: { [name: string]: unknown } }
}

/** Pure: the same routes make the same document. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const components = createComponents(readDescriptions())
  const paths = { ...pathsOf(routes, components), ...revealOperation(components) }
  const webhooks = webhooksOf(components)
  components.add('Error', errorSchema())
  const tags = [...new Set(Object.values(paths).flatMap(tagsOf)), 'Webhooks']
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version: API_VERSION,
      summary: 'Issues wallet passes and cards and answers card authorizations in real time.',
      description: INTRODUCTION,
      license: { name: 'Proprietary', url: '/docs' },
    },
    servers: [{ url: '/', description: 'This installation.' }],
    tags: tags.map((name) => ({ name, description: tagSentence(name) })),
    paths,
    webhooks,
    components: {
      schemas: sorted(components.schemas),
      parameters: referredTo('parameters', PARAMETERS, { paths, webhooks }),
      headers: HEADERS,
      responses: referredTo('responses', errorResponses(), paths),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const INTRODUCTION = [
  'Amounts are whole numbers of the currency’s smallest unit. Times called `created` are Unix seconds, others ISO 8601.',
  'Lists return `{data, has_more, next_cursor}`; unknown fields and parameters are refused.',
  'Writes take an `Idempotency-Key`, under which a call is carried out once.',
].join(' ')

function pathsOf(routes: readonly Route[], components: Components): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    for (const path of route.paths) {
      const written = braced(path)
      paths[written] = {
        ...paths[written],
        [route.method.toLowerCase()]: operationOf(route, path, components),
      }
    }
  }
  return paths
}

/** The network's own port refuses in ways that no call here meets. */
function referredTo<Part>(
  kind: string,
  parts: { [name: string]: Part },
  where: unknown,
): { [name: string]: Part } {
  const text = JSON.stringify(where)
  const isUsed = (name: string) => text.includes('"#/components/' + kind + '/' + name + '"')
  return Object.fromEntries(Object.entries(parts).filter(([name]) => isUsed(name)))
}

function tagsOf(item: { [method: string]: Operation }): string[] {
  return Object.values(item).flatMap(({ tags }) => tags)
}

function tagSentence(name: string): string {
  return name === 'Webhooks'
    ? 'What we send: an event for everything that happens, signed, and the question before an authorization.'
    : 'Operations on ' + name.replace('Operator: ', '').toLowerCase() + '.'
}

function sorted<Value>(named: { [name: string]: Value }): { [name: string]: Value } {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Spec 7. */
function errorSchema(): Schema {
  const text: Schema = { type: 'string' }
  const types = [...new Set(Object.values(ERRORS).map(({ type }) => type))]
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        description: 'What is wrong.',
        required: ['type', 'code', 'message', 'param', 'request_id'],
        properties: {
          type: oneOf(types, 'The category.'),
          code: oneOf(
            Object.keys(ERRORS),
            'What went wrong, for programs. New codes may be added.',
          ),
          message: { ...text, description: 'What went wrong, for people.' },
          param: { type: ['string', 'null'], description: 'The field at fault.' },
          errors: {
            type: 'array',
            description:
              'Of a call whose fields are refused: every field at fault, ten at most. A large body is refused with the first.',
            maxItems: 10,
            items: {
              type: 'object',
              required: ['code', 'param', 'message'],
              properties: {
                code: { ...text, description: 'As that of the error.' },
                param: { type: ['string', 'null'], description: 'The field at fault.' },
                message: { ...text, description: 'As that of the error.' },
              },
            },
          },
          request_id: { ...text, description: 'Names the request in our log.' },
          required_scope: { ...text, description: 'Of insufficient_scope: what would be enough.' },
          current_status: { ...text, description: 'Of invalid_state: where the resource is.' },
          allowed_from: {
            type: 'array',
            items: text,
            description: 'Of invalid_state: from where the move is possible.',
          },
          retry_after_ms: {
            type: 'integer',
            description: 'Of rate_limited: milliseconds to wait.',
          },
          challenge_url: {
            ...text,
            description: 'Of factor_required: the page on which a person approves.',
          },
        },
      },
    },
  }
}

function oneOf(values: string[], description: string): Schema {
  return { type: 'string', enum: values, description }
}

function errorResponses(): { [name: string]: unknown } {
  return Object.fromEntries(
    [...CODES_BY_STATUS].map(([status, codes]) => [
      'Error' + status,
      {
        description: codes.map((code) => '`' + code + '`: ' + ERRORS[code].message).join(' '),
        headers: answerHeaders(
          status === 429 || status === 503
            ? ['Request-Id', 'Svc-Version', 'Retry-After']
            : ['Request-Id', 'Svc-Version'],
        ),
        content: { 'application/json': { schema: reference('Error') } },
      },
    ]),
  )
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the tenant: svc_sk_sandbox_… or svc_sk_live_….',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The credential of an operator of the installation.',
  },
}

const HEADERS = Object.fromEntries(
  (
    [
      ['Request-Id', 'string', 'Names the request in our log.'],
      ['Svc-Version', 'string', 'The version that the answer is in.'],
      ['X-RateLimit-Limit', 'integer', 'Calls a minute in this bucket; bursts may be twice that.'],
      ['X-RateLimit-Remaining', 'integer', 'Calls that are left of them now.'],
      ['X-RateLimit-Reset', 'integer', 'Unix second at which all of them are there again.'],
      ['X-RateLimit-Resource', 'string', 'The bucket.'],
      ['Retry-After', 'integer', 'Seconds to wait before the next attempt.'],
      ['Idempotent-Replayed', 'string', '`true`: the answer of the first call under this key.'],
    ] as const
  ).map(([name, type, description]) => [name, { description, schema: { type } }]),
)

const PARAMETERS = {
  SvcVersion: header('Svc-Version', 'Shows this answer in another version than your pinned one.'),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Of your choice, up to 255 characters: a call that is repeated under it within 24 hours is carried out once.',
    { maxLength: 255 },
  ),
  SvcFactor: header('Svc-Factor', 'The proof of a fresh second factor for this very call.'),
  'Svc-Signature': header(
    'Svc-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by the endpoint’s secret; one v1 per active secret.',
  ),
  'webhook-id': header('webhook-id', 'The event’s id (Standard Webhooks).'),
  'webhook-timestamp': header('webhook-timestamp', 'When it was signed (Standard Webhooks).'),
  'webhook-signature': header(
    'webhook-signature',
    'The signature as Standard Webhooks defines it.',
  ),
  'Svc-Deadline-Ms': header('Svc-Deadline-Ms', 'Milliseconds that are left for the answer.'),
}

function header(name: string, description: string, bounds: object = {}) {
  return { name, in: 'header', required: false, description, schema: { type: 'string', ...bounds } }
}
