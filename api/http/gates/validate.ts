// Turns the caller's input into a typed value, or refuses it with the name of the field. A query is
// text, so its whole numbers are parsed; no other value is converted, and no field is stripped: an
// unknown field is an error.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { OWN_SCHEMAS } from '../../../shared/ajv-options.ts'
import { ERRORS } from '../../../shared/error-catalog.ts'
import { withoutPans } from '../../../shared/log.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { Refusal } from '../refusal.ts'
import { distinctFaults, FAULTS_MAX, type Fault, smallEnough } from './all-faults.ts'
import { PATTERN_WORDS } from './pattern-words.ts'
import { escapePointer } from './texts.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/

const AJV_OPTIONS = {
  ...OWN_SCHEMAS,
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  strict: true,
  strictTypes: false,
  // Values of a body may be large and secret; an error names the field only.
  verbose: false,
  formats: {
    // Wider than RFC 3339: a date alone is its first moment in UTC.
    'date-time': (text: string) => parseFilterInstant(text) !== null,
    date: (text: string) => DATE.test(text) && parseFilterInstant(text) !== null,
  },
} as const

/** One way to write a number: `0x10`, `1e1`, `+5` and `Infinity` are text. */
const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,14})$/

export interface Validators {
  compile(route: { schema: unknown; httpPart?: string }): Validate
}

interface Validate {
  (value: unknown): boolean
  /** Faults of the last call, the first one first. */
  errors?: Fault[] | null
}

/** One validator per server; it shares nothing with Fastify's own. */
export function createValidators(): Validators {
  const ajv = new Ajv({ ...AJV_OPTIONS, coerceTypes: false })
  const thorough = new Ajv({ ...AJV_OPTIONS, coerceTypes: false, allErrors: true })
  return {
    compile({ schema, httpPart }) {
      const validate = thoroughly(ajv, thorough, schema as object)
      if (httpPart !== 'querystring') return validate
      const numbers = integerFields(schema as QuerySchema)
      const validateText: Validate = (query) => {
        readIntegers(query as Query, numbers)
        const valid = validate(query)
        validateText.errors = validate.errors ?? null
        return valid
      }
      return validateText
    },
  }
}

/**
 * Stops at the first fault; only then a second check looks for the others in a small value. The
 * first value compiles the schema: all routes together would take a second of every start.
 */
function thoroughly(ajv: Ajv, thorough: Ajv, schema: object): Validate {
  let valid: ValidateFunction | undefined
  const validate: Validate = (value) => {
    valid ??= ajv.compile(schema)
    if (valid(value)) return true
    validate.errors = valid.errors ?? []
    if (!smallEnough(value)) return false
    const all = thorough.compile(schema)
    all(value)
    validate.errors = distinctFaults(all.errors ?? [])
    return false
  }
  return validate
}

type Query = { [name: string]: unknown }
interface QuerySchema {
  properties?: { readonly [name: string]: { readonly type?: unknown } }
}

function integerFields({ properties = {} }: QuerySchema): readonly string[] {
  return Object.keys(properties).filter((name) => properties[name]?.type === 'integer')
}

function readIntegers(query: Query, names: readonly string[]): void {
  for (const name of names) {
    const text = query[name]
    if (typeof text === 'string' && WHOLE_NUMBER.test(text)) query[name] = Number(text)
  }
}

/** A missing body counts as an empty one when every field is optional. */
export function supplyBody(request: FastifyRequest): void {
  const takesBody =
    request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH'
  if (takesBody && request.body === undefined) request.body = {}
}

/**
 * The first fault as a refusal, and all of them beside it. An impossible id reads exactly like an
 * unknown one.
 */
export function schemaRefusal(faults: readonly SchemaFault[], part: string): Refusal {
  const [first] = faults
  if (part === 'params' || first === undefined) return new Refusal('resource_missing')
  return refusalOf(faultOf(first), faults.slice(1, FAULTS_MAX).map(faultOf))
}

/** The first fault as a refusal, and all of them beside it. */
export function refusalOf(first: FieldError, others: readonly FieldError[]): Refusal {
  const { code, param, message } = first
  const errors = [first, ...others]
  return new Refusal(code, { ...(param !== null && { param }), message, extra: { errors } })
}

export interface FieldError {
  code: 'parameter_missing' | 'parameter_unknown' | 'parameter_invalid'
  param: string | null
  message: string
}

function faultOf(fault: SchemaFault): FieldError {
  const at = fault.instancePath
  const { missingProperty, additionalProperty } = fault.params
  if (fault.keyword === 'required') return namedFault('parameter_missing', at, missingProperty)
  if (fault.keyword === 'additionalProperties')
    return namedFault('parameter_unknown', at, additionalProperty)
  const code = 'parameter_invalid'
  if (at === '') return { code, param: null, message: wholeBodySentence(fault) }
  return { code, param: paramName(at), message: 'This field ' + sentenceOf(fault) + '.' }
}

function namedFault(code: FieldError['code'], at: string, property: unknown): FieldError {
  return { code, param: paramName(at, property), message: ERRORS[code].message }
}

export type SchemaFault = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>

/**
 * Names a top-level field by its name, a deeper one by its JSON pointer. A caller may send a card
 * number in place of a name.
 */
export function paramName(instancePath: string, property?: unknown): string {
  const below = property === undefined ? '' : '/' + escapePointer(String(property))
  const pointer = withoutPans(instancePath + below)
  const [, first, ...deeper] = pointer.split('/')
  return deeper.length === 0 ? unescapePointer(first ?? '') : pointer
}

function unescapePointer(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function wholeBodySentence(fault: SchemaFault): string {
  return fault.keyword === 'minProperties'
    ? 'Send at least one field to change.'
    : 'The body must be a JSON object.'
}

const counted = (limit: number, noun: string): string =>
  limit + ' ' + noun + (limit === 1 ? '' : 's')

const BOUND_WORDS: { readonly [keyword: string]: (limit: number) => string } = {
  minimum: (limit) => 'must be at least ' + limit,
  maximum: (limit) => 'must be at most ' + limit,
  minItems: (limit) => 'must have at least ' + counted(limit, 'item'),
  maxItems: (limit) => 'must have at most ' + counted(limit, 'item'),
  minLength: (limit) => 'must have at least ' + counted(limit, 'character'),
  maxLength: (limit) => 'must have at most ' + counted(limit, 'character'),
}

function sentenceOf(fault: SchemaFault): string {
  if (fault.keyword === 'enum') {
    return 'must be one of ' + (fault.params['allowedValues'] as string[]).join(', ')
  }
  if (fault.keyword === 'const') {
    return 'must be ' + JSON.stringify(fault.params['allowedValue'])
  }
  if (fault.keyword === 'format') return 'must be an ISO 8601 date, or date and time with a zone'
  if (fault.keyword === 'pattern')
    return PATTERN_WORDS[fault.params['pattern'] as string] ?? 'has a form that is not accepted'
  const bound = BOUND_WORDS[fault.keyword]
  if (bound !== undefined) return bound(Number(fault.params['limit']))
  return fault.message ?? 'is not accepted'
}
