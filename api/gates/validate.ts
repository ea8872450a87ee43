// What a caller sends becomes a typed value here or is refused with the name of the field. Query and path are text, so
// they are coerced; a body says what it means and is not. Nothing is stripped: an unknown field is an error.
import { Ajv, type ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { parseFilterInstant } from '../created-filter.ts'
import { Refusal } from '../refuse.ts'

const AJV_OPTIONS = {
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  strict: true,
  strictTypes: false,
  // Values of a body may be large and secret; an error names the field only.
  verbose: false,
  formats: { 'iso-instant': (text: string) => parseFilterInstant(text) !== null },
} as const

export interface Validators {
  compile(route: { schema: unknown; httpPart?: string }): (value: unknown) => boolean
}

/** One pair of validators per server; they share nothing with Fastify's own. */
export function createValidators(): Validators {
  const coercing = new Ajv({ ...AJV_OPTIONS, coerceTypes: true })
  const exact = new Ajv({ ...AJV_OPTIONS, coerceTypes: false })
  return {
    compile({ schema, httpPart }) {
      const ajv = httpPart === 'body' ? exact : coercing
      return ajv.compile(schema as object)
    },
  }
}

/** A call without a body is a call with an empty one, wherever every field is optional. */
export async function supplyBody(request: FastifyRequest): Promise<void> {
  const takesBody =
    request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH'
  if (takesBody && request.body === undefined) request.body = {}
}

/** The first problem as a refusal. An id that cannot be one of ours reads exactly like one that nobody has. */
export function schemaRefusal(problems: readonly SchemaProblem[], part: string): Refusal {
  const problem = problems[0]
  if (part === 'params' || problem === undefined) return new Refusal('resource_missing')
  const at = problem.instancePath
  const { missingProperty, additionalProperty } = problem.params
  if (problem.keyword === 'required') {
    return new Refusal('parameter_missing', { param: paramName(at, missingProperty) })
  }
  if (problem.keyword === 'additionalProperties') {
    return new Refusal('parameter_unknown', { param: paramName(at, additionalProperty) })
  }
  if (at === '') return new Refusal('parameter_invalid', { message: wholeBodySentence(problem) })
  return new Refusal('parameter_invalid', {
    param: paramName(at),
    message: 'This field ' + sentenceOf(problem) + '.',
  })
}

export type SchemaProblem = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>

/** A field of the top level by its name, a deeper one by its JSON pointer. */
function paramName(instancePath: string, property?: unknown): string {
  const pointer =
    property === undefined ? instancePath : instancePath + '/' + escapePointer(String(property))
  const [, first, ...deeper] = pointer.split('/')
  return deeper.length === 0 ? unescapePointer(first ?? '') : pointer
}

function escapePointer(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapePointer(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function wholeBodySentence(problem: SchemaProblem): string {
  return problem.keyword === 'minProperties'
    ? 'Send at least one field to change.'
    : 'The body must be a JSON object.'
}

function sentenceOf(problem: SchemaProblem): string {
  if (problem.keyword === 'enum') {
    return 'must be one of ' + (problem.params['allowedValues'] as string[]).join(', ')
  }
  if (problem.keyword === 'const') {
    return 'must be ' + JSON.stringify(problem.params['allowedValue'])
  }
  if (problem.keyword === 'format') return 'must be an ISO 8601 date, or date and time with a zone'
  if (problem.keyword === 'pattern') return 'has characters or a form that is not accepted'
  return problem.message ?? 'is not accepted'
}
