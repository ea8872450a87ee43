// The API as OpenAPI 3.1 documents, made from the schemas that check requests and write answers:
// they cannot say anything else than what runs. Tenants and operators have a document each, and
// tenants one for every version that they can be pinned to.
import { API_VERSION } from '../../shared/event-catalog.ts'
import type { AnyRoute } from '../http/route.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { errorResponses, errorSchema } from './error-schema.ts'
import { addExamples } from './example.ts'
import { ANSWER_HEADER_PARTS, PARAMETER_PARTS, securitySchemeOf } from './header-parts.ts'
import { inDocumentVersion } from './in-version.ts'
import { braced, operationOf } from './operation.ts'
import { revealOperation } from './reveal-operation.ts'
import { type Components, createComponents } from './schemas.ts'
import { WEBHOOKS_TAG } from './tags.ts'
import { webhooksOf } from './webhooks.ts'

export interface DocumentOptions {
  /** The audience of the operations; default: tenants. */
  audience?: AnyRoute['caller']
  /** The dated version of its shapes; the newest unless told otherwise. */
  version?: string
}

/** Pure: the same routes and options make the same document. */
export function openApiDocument(
  routes: readonly AnyRoute[],
  { audience = 'tenant', version = API_VERSION }: DocumentOptions = {},
): OpenApiDocument {
  const components = createComponents()
  const own = routes.filter(({ caller }) => caller === audience)
  const isTenant = audience === 'tenant'
  const paths = {
    ...pathsOf(own, components),
    ...(isTenant ? revealOperation(components) : {}),
  }
  const webhooks = isTenant ? webhooksOf(components) : {}
  components.add('Error', errorSchema(components))
  const used = { paths, webhooks }
  const responses = referredTo('responses', errorResponses(), used)
  const tags = Object.values(paths).flatMap(tagsOf)
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { ...infoOf(audience), version },
    servers: [{ url: '/', description: 'This installation.' }],
    tags: [...new Set([...tags, ...(isTenant ? [WEBHOOKS_TAG] : [])])].map((name) => ({
      name,
      description: tagSentence(name),
    })),
    paths,
    webhooks,
    components: {
      schemas: sorted(components.schemas),
      parameters: referredTo('parameters', PARAMETER_PARTS, used),
      headers: referredTo('headers', ANSWER_HEADER_PARTS, { ...used, responses }),
      responses,
      securitySchemes: securitySchemeOf(audience),
    },
  }
  return addExamples(inDocumentVersion(document, version))
}

function infoOf(audience: AnyRoute['caller']) {
  return {
    title: audience === 'tenant' ? 'svc' : 'svc for operators',
    summary:
      audience === 'tenant'
        ? 'Issues wallet passes and cards and answers card authorizations in real time.'
        : 'The operations of an installation: tenants, people, grants, outcomes, clearing files.',
    description: INTRODUCTION,
    contact: { name: 'The operator of this installation' },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  }
}

const INTRODUCTION = [
  'Amounts are whole numbers of the currency’s smallest unit. Integer times are Unix seconds; text times are RFC 3339.',
  'Lists return `{data, has_more, next_cursor}`; unknown fields and parameters are refused.',
  'Writes take an `Idempotency-Key`, under which a call is carried out once.',
  'New optional fields, new error codes and new values of enumerations may appear within a version.',
].join(' ')

function pathsOf(routes: readonly AnyRoute[], components: Components): OpenApiDocument['paths'] {
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

/** The network port refuses in ways that no call of this API meets. */
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
  return name === WEBHOOKS_TAG
    ? 'What we send: an event for everything that happens, signed, and the question before an authorization.'
    : 'Operations on ' + name.toLowerCase() + '.'
}

function sorted<Value>(named: { [name: string]: Value }): { [name: string]: Value } {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}
