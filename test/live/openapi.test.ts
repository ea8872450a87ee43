import { createConfig, lintFromString } from '@redocly/openapi-core'
import { test } from 'tap'
import type { OpenApiDocument, Schema } from '../../api/documents/document.ts'
import { exampleOf } from '../../api/documents/example.ts'
import { openApiDocument } from '../../api/documents/openapi.ts'
import { operationIdOf } from '../../api/documents/operation-id.ts'
import { VALUE_CATALOGS } from '../../api/documents/value-catalogs.ts'
import type { RouteMethod } from '../../api/http/route.ts'
import { ROUTES } from '../../api/routes.ts'
import { DECLINE_REASONS, TENANT_REASONS } from '../../shared/decline-reason.ts'
import { DECLINE_REFERENCE } from '../../shared/decline-reference.ts'
import { ERRORS } from '../../shared/error-catalog.ts'
import { ERROR_FIELDS } from '../../shared/error-fields.ts'
import { EVENT_TYPES } from '../../shared/event-catalog.ts'
import { TENANT_DECLINE_REFERENCE } from '../../shared/tenant-decline-reference.ts'

const document = openApiDocument(ROUTES)
const operatorDocument = openApiDocument(ROUTES, { audience: 'operator' })
const DOCUMENTS = [document, operatorDocument, openApiDocument(ROUTES, { version: '2026-11-20' })]

function operations(of: OpenApiDocument) {
  return Object.entries(of.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

test('each document is a valid OpenAPI 3.1 document without warnings', async (t) => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'info-contact': 'error', 'no-invalid-media-type-examples': 'error' },
  })
  for (const one of DOCUMENTS) {
    const problems = await lintFromString({
      source: JSON.stringify(one),
      absoluteRef: 'openapi.json',
      config,
    })
    t.same(
      problems.map(({ message, severity, location }) => [severity, message, location[0]?.pointer]),
      [],
    )
    // The rule of spectral that redocly lacks: only OAuth schemes have scopes.
    const scoped = operations(one).filter(({ operation }) =>
      operation.security.some((row) => Object.values(row).flat().length > 0),
    )
    t.same(scoped, [])
    t.notMatch(JSON.stringify(one), /iso-instant/)
  }
})

test('operators have a document of their own, which tenants do not see', (t) => {
  t.notMatch(JSON.stringify(document), /operator\/v1|AsOperator/)
  t.ok(Object.keys(operatorDocument.paths).every((path) => path.startsWith('/operator/v1/')))
  t.end()
})

test('the document of an older version has the shapes of that version', (t) => {
  const older = DOCUMENTS[2]?.components.schemas['Card']
  const newer = document.components.schemas['Card']
  t.ok(newer?.required?.includes('suspend_reason'))
  t.notOk(older?.required?.includes('suspend_reason'))
  t.same(older?.properties?.['replaces']?.type, 'string')
  t.equal(DOCUMENTS[2]?.info.version, '2026-11-20')
  t.end()
})

test('every value that the reference explains is an enum with meaning and remedy', (t) => {
  for (const { title, values } of VALUE_CATALOGS) {
    const schema = document.components.schemas[title] ?? {}
    const shown = schema.enum ?? schema.anyOf?.[0]?.enum
    t.same(shown, Object.keys(values), title)
    for (const value of Object.keys(values)) t.match(schema.description, '- `' + value + '`: ')
  }
  t.same(Object.keys(DECLINE_REFERENCE).sort(), Object.keys(DECLINE_REASONS).sort())
  t.same(new Set(Object.keys(TENANT_DECLINE_REFERENCE)), TENANT_REASONS)
  t.end()
})

/** Path and name of each field of the components, with its schema. */
function fieldsOf(schema: Schema, path: string): [path: string, name: string, field: Schema][] {
  const parts = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  const own = Object.entries(schema.properties ?? {})
  return [
    ...own.map(([name, field]): [string, string, Schema] => [path + '.' + name, name, field]),
    ...own.flatMap(([name, field]) => fieldsOf(field, path + '.' + name)),
    ...parts.flatMap((part) => fieldsOf(part, path)),
  ]
}

/** Fields of these names hold a value that the reference explains. */
const EXPLAINED =
  /^(decline_reason|suspend_reason|terminate_reason|disabled_reason|status_reason|suspended_by|frozen_by|decided_by|retry_advice|error_class|last_error|flags)$/
/** Words of people, of an operator or an endpoint; and the values that a network may name. */
const OWN_WORDS = [
  'Account.suspend_reason',
  'AuthorizationReply.decline_reason',
  'NetworkMessageInput.advice.decided_by',
  'Program.suspend_reason',
  'Quote.decline_reason',
  'TransactionDecision.webhook.decline_reason',
]

test('each field with an explained value refers to the explanation', (t) => {
  const { schemas } = document.components
  const titles = new Set(VALUE_CATALOGS.map(({ title }) => '#/components/schemas/' + title))
  const refersTo = (field: Schema): boolean =>
    [field, ...(field.anyOf ?? []), field.items ?? {}].some(
      ({ $ref }) => $ref !== undefined && titles.has($ref),
    )
  const fields = Object.entries(schemas).flatMap(([name, schema]) => fieldsOf(schema, name))
  const bare = fields.filter(
    ([, name, field]) =>
      EXPLAINED.test(name) && !refersTo(field) && field.items?.properties === undefined,
  )
  t.same(bare.map(([path]) => path).sort(), OWN_WORDS)
  const catalogs = new Map(
    VALUE_CATALOGS.map(({ title, values }) => [Object.keys(values).sort().join(' '), title]),
  )
  const repeated = fields.flatMap(([path, , { enum: values = [] }]) => {
    const title = catalogs.get(
      values
        .filter((value) => value !== null)
        .sort()
        .join(' '),
    )
    return title === undefined ? [] : [path + ' repeats ' + title]
  })
  t.same(repeated, [])
  t.end()
})

test('every field that an error may name is declared, with its codes', (t) => {
  const fields = document.components.schemas['Error']?.properties?.['error']?.properties ?? {}
  for (const name of Object.keys(ERROR_FIELDS)) t.match(fields[name]?.description, / Of `/, name)
  for (const name of ['doc_url', 'challenge', 'known_versions', 'resource_id', 'granted_scopes'])
    t.ok(fields[name], name)
  t.end()
})

/** Path and name of each field without a description. */
function silent(schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined) return []
  const parts = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const told = typeof field.description === 'string' && field.description.length > 3
    return [...(told ? [] : [path + '.' + name]), ...silent(field, path + '.' + name)]
  })
  return [...fields, ...parts.flatMap((part) => silent(part, path))]
}

test('every field of requests and answers, and every parameter, has a description', (t) => {
  const components = Object.entries(document.components.schemas)
  t.ok(components.length > 40)
  t.same(
    components.flatMap(([name, schema]) => silent(schema, name)),
    [],
  )
  const wrong = operations(document).flatMap(({ path, method, operation }) => {
    const name = method + ' ' + path
    const answers = Object.values(operation.responses) as Content[]
    const bodies = [operation.requestBody, ...answers].flatMap((part) =>
      Object.values((part as Content | undefined)?.content ?? {}),
    )
    const parameters = operation.parameters.flatMap((one) =>
      'name' in one && one.description === undefined ? [name + ' ?' + one.name] : [],
    )
    return [...parameters, ...bodies.flatMap(({ schema }) => silent(schema, name))]
  })
  t.same(wrong, [])
  t.end()
})

interface Exampled {
  content?: { 'application/json'?: { example?: unknown } }
}

interface Content {
  content?: { [type: string]: { schema: Schema } }
}

test('a description belongs to the field at its place, not to another of its name', (t) => {
  const text = (name: string, ...path: string[]): string => {
    let schema = document.components.schemas[name]
    for (const field of path) schema = schema?.properties?.[field]
    return schema?.description ?? ''
  }
  t.match(text('CardTransaction', 'verification', 'three_ds', 'transaction_id'), /3DS transaction/)
  t.match(text('CardTransactionMessage', 'transaction_id'), /^The card transaction/)
  t.match(text('CardTransaction', 'amount_cents'), /latest authorization request, in minor units/)
  t.match(text('CardTransactionMessage', 'amount_cents'), /moved/)
  t.match(text('CardTransaction', 'card', 'status'), /card/)
  t.match(text('Cardholder', 'status'), /inactive/)
  t.match(text('Kyc', 'status'), /approved/)
  t.match(text('TransactionDecision', 'timings_us'), /microseconds/)
  t.match(text('Limit', 'rolling_seconds'), /seconds/)
  t.end()
})

test('an example shows a value fit for a field of its name', (t) => {
  const schemas = document.components.schemas
  const example = (name: string) =>
    exampleOf(schemas[name] ?? {}, schemas, { sent: false }) as { [field: string]: unknown }
  t.match(example('Dispute'), {
    id: /^dsp_/,
    transaction_id: /^txn_/,
    amount_cents: 1250,
    created: 1_795_176_000,
  })
  t.match(example('Cardholder'), { id: /^ch_/, address: { city: 'Portland', state: 'OR' } })
  t.match(example('CardTransaction'), {
    merchant: { name: 'Powell Books', mcc: '5411', country: 'US' },
    card: { id: /^card_/ },
    program: { id: /^prog_/ },
  })
  const texts = operations(document).flatMap(({ operation }) =>
    [operation.requestBody, ...Object.values(operation.responses)].map((part) =>
      JSON.stringify((part as Exampled | undefined)?.content?.['application/json']?.example ?? {}),
    ),
  )
  t.notMatch(texts.join(''), /"latitude":-90|"name":"text"/)
  // A field of a pass may be written as text.
  const vague = texts.join('').match(/"(?!format")\w+":"text"/g) ?? []
  t.same([...new Set(vague)], [], 'no field of a resource is shown as any text')
  t.end()
})

test('every path of every route is an operation, and nothing else is', (t) => {
  const byToken = ['post /v1/card_reveals']
  const declared = ROUTES.flatMap((route) =>
    route.paths.map((path) => route.method.toLowerCase() + ' ' + path.replace(/:(\w+)/g, '{$1}')),
  )
  t.same(
    [...operations(document), ...operations(operatorDocument)]
      .map(({ path, method }) => method + ' ' + path)
      .sort(),
    [...declared, ...byToken].sort(),
  )
  t.end()
})

test('operations have unique names that say their purpose', (t) => {
  const table: [RouteMethod, string, boolean, string][] = [
    ['GET', '/v1/cards', true, 'listCards'],
    ['GET', '/v1/cards/:id', false, 'getCard'],
    ['POST', '/v1/cards', false, 'createCard'],
    ['PATCH', '/v1/cards/:id', false, 'updateCard'],
    ['DELETE', '/v1/webhook_endpoints/:id', false, 'deleteWebhookEndpoint'],
    ['POST', '/v1/cards/:id/suspend', false, 'suspendCard'],
    ['POST', '/v1/spending_controls', false, 'createSpendingControl'],
    ['PUT', '/v1/cards/:id/limits', false, 'replaceCardLimits'],
    ['PUT', '/v1/cards/:id/pin', false, 'setCardPin'],
    ['GET', '/v1/spending_controls/:id/versions', true, 'listSpendingControlVersions'],
    ['POST', '/v1/webhook_endpoints/:id/rotate_secret', false, 'rotateSecretWebhookEndpoint'],
    ['POST', '/v1/disputes/:id/evidence', false, 'createDisputeEvidence'],
    ['POST', '/operator/v1/tenants/:id/people', false, 'createTenantPersonAsOperator'],
    ['POST', '/operator/v1/people/:id/disable', false, 'disablePersonAsOperator'],
    ['GET', '/v1/audit_log/verify', false, 'verifyAuditLog'],
    ['POST', '/v1/sandbox/clock/advance', false, 'advanceSandboxClock'],
    ['POST', '/v1/passes/batch', false, 'batchPasses'],
    ['GET', '/v1/passes/count', false, 'getPassesCount'],
    ['POST', '/operator/v1/cards/:id/ship', false, 'shipCardAsOperator'],
  ]
  for (const [method, path, isList, id] of table) t.equal(operationIdOf(method, path, isList), id)
  const ids = operations(document).map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length)
  t.end()
})

test('an operation names its scope, its bucket and its parameters', (t) => {
  t.match(document.paths['/v1/cards/{id}/suspend']?.['post'], {
    operationId: 'suspendCard',
    tags: ['Cards'],
    security: [{ apiKey: [] }],
    'x-svc-scope': 'write',
    'x-svc-bucket': 'cards_write',
    'x-svc-family': 'card',
    requestBody: { content: { 'application/json': { schema: { properties: { reason: {} } } } } },
  })
  const list = document.paths['/v1/card_transactions']?.['get']
  t.match(
    list?.parameters.find((parameter) => 'name' in parameter && parameter.name === 'sort'),
    { in: 'query', required: false, schema: { enum: ['created', 'amount_cents'] } },
  )
  t.match(list?.responses['200'], {
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/CardTransactionList' } },
    },
  })
  const alias = document.paths['/v1/webhook-endpoints/{id}']?.['get']
  t.match(alias, { 'x-svc-alias-of': 'getWebhookEndpoint' })
  t.end()
})

test('a call with a token and without a key is documented so', (t) => {
  const shown = document.paths['/v1/card_reveals']?.['post']
  t.match(shown, {
    operationId: 'createCardReveal',
    requestBody: { content: { 'application/json': { schema: { required: ['token'] } } } },
    responses: {
      200: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/CardReveal' } } },
      },
      404: {},
    },
  })
  t.same(shown?.security, [])
  t.notOk(shown?.responses['401'], 'there is no credential to refuse')
  t.end()
})

test('named schemas are components, and every field has a description', (t) => {
  const { schemas } = document.components
  t.match(schemas['Card'], {
    type: 'object',
    properties: {
      limits: { items: { $ref: '#/components/schemas/Limit' } },
      replaces: {
        type: ['string', 'null'],
        description: 'The card that this one was issued for, which is terminated.',
      },
    },
  })
  t.match(schemas['CardList'], {
    properties: { data: { items: { $ref: '#/components/schemas/Card' } } },
  })
  const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([field, schema]) => ({ path: name + '.' + field, schema })),
  )
  t.same(
    fields.filter(({ schema }) => schema.description === undefined).map(({ path }) => path),
    [],
  )
  const text = JSON.stringify(document)
  t.notMatch(text, /Chosen:|Spec \d|[A-Z]+\.md/, 'what is for us is not shown')
  t.end()
})

test('every error code and every event type is in the document', (t) => {
  const text = JSON.stringify(document.components['schemas'])
  t.same(
    Object.keys(ERRORS).filter((code) => !text.includes('"' + code + '"')),
    [],
  )
  t.same(
    Object.keys(EVENT_TYPES).filter((type) => !(type in document.webhooks)),
    [],
  )
  t.match(document.webhooks['card.transaction.authorization_request'], {
    post: { responses: { 200: {} } },
  })
  t.end()
})
