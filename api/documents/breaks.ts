// Compares the document of the API with the one of the last release: each difference that breaks a
// client. Within a version operations, optional fields and values may be added, nothing else.
import type { OpenApiDocument, Operation, Parameter, Schema } from './document.ts'
import { type Named, schemaBreaks, type Writer } from './schema-breaks.ts'

/** The documents of a release and of the present. */
export interface Documents {
  released: OpenApiDocument
  present: OpenApiDocument
}

interface Operations {
  released: Operation
  present: Operation
}

interface Content {
  content?: { readonly [media: string]: { schema?: Schema } }
  headers?: { readonly [name: string]: unknown }
}

const SCOPES = ['read', 'write', 'admin']
const PARAMETERS = '#/components/parameters/'

/** Sentences about the differences that break a client of the release, in order of the paths. */
export function breaksBetween(documents: Documents): string[] {
  const present = operationsOf(documents.present.paths)
  const ofOperations = pairsOf(documents.released.paths).flatMap(([name, released]) => {
    const now = present.get(name)
    return now === undefined
      ? [name + ' is gone']
      : operationBreaks(documents, { released, present: now }, name)
  })
  return [...ofOperations, ...errorBreaks(documents), ...webhookBreaks(documents)]
}

/** Every refusal has this one body. */
function errorBreaks(documents: Documents): string[] {
  const { released, present } = namedOf(documents)
  if (released['Error'] === undefined) return []
  const schemas = { released: released['Error'], present: present['Error'] ?? {} }
  return schemaBreaks(namedOf(documents), schemas, { where: 'Error', writer: 'service' })
}

/** Operations and webhooks that the release does not have. */
export function additionsTo({ released, present }: Documents): string[] {
  const before = operationsOf(released.paths)
  const events = new Set(Object.keys(released.webhooks))
  return [
    ...pairsOf(present.paths)
      .map(([name]) => name)
      .filter((name) => !before.has(name)),
    ...Object.keys(present.webhooks).filter((name) => !events.has(name)),
  ]
}

function operationBreaks(documents: Documents, pair: Operations, name: string): string[] {
  const { released, present } = pair
  const bodies = { released: released.requestBody, present: present.requestBody }
  return [
    ...rightBreaks(pair, name),
    ...parameterBreaks(documents, pair, name),
    ...(bodies.present?.required === true && bodies.released?.required !== true
      ? [name + ' needs a body']
      : []),
    ...contentBreaks(documents, bodies, { where: name + ' body', writer: 'client' }),
    ...Object.entries(released.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, answer]) => {
        const where = name + ' ' + status
        const answered = present.responses[status] as Content | undefined
        return answered === undefined
          ? [where + ' is gone']
          : contentBreaks(
              documents,
              { released: answer as Content, present: answered },
              { where, writer: 'service' },
            )
      }),
  ]
}

/** Callers of the release who may no longer call, and names that generated clients have. */
function rightBreaks({ released, present }: Operations, name: string): string[] {
  const rank = ({ 'x-svc-scope': scope = '' }: Operation): number => SCOPES.indexOf(scope)
  const taken = (key: 'x-svc-publishable' | 'x-svc-family' | 'x-svc-alias-of'): boolean =>
    released[key] !== undefined && released[key] !== present[key]
  const given = (key: 'x-svc-factor' | 'x-svc-sandbox-only'): boolean =>
    released[key] === undefined && present[key] !== undefined
  return [
    ...(rank(present) > rank(released)
      ? [name + ' needs the scope ' + present['x-svc-scope']]
      : []),
    ...(taken('x-svc-publishable') ? [name + ' is closed to publishable keys'] : []),
    ...(taken('x-svc-family') ? [name + ' is closed to a narrower scope'] : []),
    ...(given('x-svc-factor') ? [name + ' needs a second factor'] : []),
    ...(given('x-svc-sandbox-only') ? [name + ' is closed in live'] : []),
    ...(released.operationId === present.operationId ? [] : [name + ' has another operationId']),
  ]
}

function parameterBreaks(documents: Documents, pair: Operations, name: string): string[] {
  const before = parametersOf(documents.released, pair.released)
  const now = parametersOf(documents.present, pair.present)
  const added = [...now].filter(([key, { required }]) => required && !before.has(key))
  return [
    ...added.map(([key]) => name + ' needs ' + key),
    ...[...before].flatMap(([key, released]) => {
      const present = now.get(key)
      const where = name + ' ' + key
      if (present === undefined) return [where + ' is gone']
      return [
        ...(present.required && !released.required ? [where + ' is required'] : []),
        ...schemaBreaks(
          namedOf(documents),
          { released: released.schema, present: present.schema },
          { where, writer: 'client' },
        ),
      ]
    }),
  ]
}

function contentBreaks(
  documents: Documents,
  { released = {}, present = {} }: { released: Content | undefined; present: Content | undefined },
  options: { where: string; writer: Writer },
): string[] {
  const headers = Object.keys(released.headers ?? {})
  const gone = headers.filter((name) => !Object.hasOwn(present.headers ?? {}, name))
  return [
    ...gone.map((name) => options.where + ' header ' + name + ' is gone'),
    ...Object.entries(released.content ?? {}).flatMap(([media, { schema: before = {} }]) => {
      const now = present.content?.[media]
      if (now === undefined) return [options.where + ' ' + media + ' is gone']
      const schemas = { released: before, present: now.schema ?? {} }
      return schemaBreaks(namedOf(documents), schemas, options)
    }),
  ]
}

/** We write the body of a webhook, and the client its reply. */
function webhookBreaks(documents: Documents): string[] {
  const present = operationsOf(documents.present.webhooks)
  return pairsOf(documents.released.webhooks).flatMap(([name, released]) => {
    const now = present.get(name)
    if (now === undefined) return [name + ' is gone']
    const body = { released: released.requestBody, present: now.requestBody }
    return [
      ...contentBreaks(documents, body, { where: name + ' body', writer: 'service' }),
      ...Object.entries(released.responses ?? {}).flatMap(([status, reply]) =>
        contentBreaks(
          documents,
          { released: reply as Content, present: now.responses?.[status] as Content | undefined },
          { where: name + ' ' + status, writer: 'client' },
        ),
      ),
    ]
  })
}

function namedOf({ released, present }: Documents): Named {
  return { released: released.components.schemas, present: present.components.schemas }
}

function pairsOf(paths: { readonly [path: string]: unknown }): [name: string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as { [method: string]: Operation }).map(
      ([method, operation]): [string, Operation] => [method.toUpperCase() + ' ' + path, operation],
    ),
  )
}

function operationsOf(paths: { readonly [path: string]: unknown }): Map<string, Operation> {
  return new Map(pairsOf(paths))
}

function parametersOf(document: OpenApiDocument, operation: Operation): Map<string, Parameter> {
  return new Map(
    operation.parameters.map((one) => {
      const parameter =
        '$ref' in one
          ? (document.components['parameters']?.[one.$ref.slice(PARAMETERS.length)] as Parameter)
          : one
      return [parameter.in + ' ' + parameter.name, parameter]
    }),
  )
}
