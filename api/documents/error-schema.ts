// The error body and the refusals of the document, from the error catalogs. Spec 7.
import { ERRORS, type ErrorCode } from '../../shared/error-catalog.ts'
import {
  ERROR_FIELDS,
  type ErrorFieldName,
  FIELDS_OF_ERRORS,
  fieldsOfError,
} from '../../shared/error-fields.ts'
import { ERROR_REFERENCE } from '../../shared/error-reference.ts'
import type { Schema } from './document.ts'
import { answerHeaders, CODES_BY_STATUS } from './operation.ts'
import { type Components, reference } from './schemas.ts'
import { catalogOf, catalogSchema } from './value-catalogs.ts'

const text: Schema = { type: 'string' }

const CHALLENGE: Schema = {
  type: 'object',
  required: ['id', 'status_url', 'expires_at', 'methods'],
  properties: {
    id: { ...text, description: 'The id of the challenge.' },
    status_url: {
      ...text,
      description: 'Where the caller asks whether the person has decided.',
    },
    expires_at: { type: 'integer', description: 'Unix seconds by which the person has to decide.' },
    methods: {
      type: 'array',
      items: { type: 'string', enum: ['passkey', 'totp', 'recovery_code'] },
      description: 'The second factors that the page takes.',
    },
  },
}

const FAULTS: Schema = {
  type: 'array',
  maxItems: 10,
  items: {
    type: 'object',
    required: ['code', 'param', 'message'],
    properties: {
      code: { ...text, description: 'The code of this fault.' },
      param: { type: ['string', 'null'], description: 'The field at fault.' },
      message: { ...text, description: 'What went wrong, for people.' },
    },
  },
}

const FIELD_SCHEMAS: { readonly [Type in (typeof ERROR_FIELDS)[ErrorFieldName]['type']]: Schema } =
  {
    string: text,
    integer: { type: 'integer' },
    'string or null': { type: ['string', 'null'] },
    'list of strings': { type: 'array', items: text },
    'list of faults': FAULTS,
    challenge: CHALLENGE,
  }

function oneOf(values: readonly string[], description: string): Schema {
  return { type: 'string', enum: [...values], description }
}

/** The component that explains the values of a field. */
const EXPLAINED_BY: { readonly [Name in ErrorFieldName]?: string } = {
  suspended_by: 'CardSuspendedBy',
  frozen_by: 'FrozenBy',
}

/** The schema of every error body; adds the components that explain its values. */
export function errorSchema(components: Components): Schema {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        description: 'What is wrong.',
        required: ['type', 'code', 'message', 'param', 'request_id', 'doc_url'],
        properties: {
          type: oneOf([...new Set(Object.values(ERRORS).map(({ type }) => type))], 'The category.'),
          code: codeSchema(),
          message: { ...text, description: 'What went wrong, for people.' },
          param: {
            type: ['string', 'null'],
            description:
              'The field at fault: its name, or a JSON pointer where it is nested; null where no field is.',
          },
          request_id: { ...text, description: 'Names the request in our log.' },
          doc_url: {
            ...text,
            description: 'The page of this reference that explains the code.',
          },
          ...Object.fromEntries(
            (Object.keys(ERROR_FIELDS) as ErrorFieldName[]).map((name) => [
              name,
              fieldSchema(name, components),
            ]),
          ),
        },
      },
    },
  }
}

function codeSchema(): Schema {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  return {
    ...oneOf(codes, 'What went wrong, for programs. New codes may be added.'),
    'x-enum-descriptions': Object.fromEntries(
      codes.map((code) => [code, ERROR_REFERENCE[code].cause]),
    ),
    'x-enum-remedies': Object.fromEntries(codes.map((code) => [code, ERROR_REFERENCE[code].cure])),
  }
}

function fieldSchema(name: ErrorFieldName, components: Components): Schema {
  const { type, about } = ERROR_FIELDS[name]
  const codes = codesWith(name).map((code) => '`' + code + '`')
  const catalog = catalogOf(EXPLAINED_BY[name])
  const schema =
    catalog === undefined
      ? FIELD_SCHEMAS[type]
      : components.add(catalog.title, catalogSchema(catalog))
  return { ...schema, description: about + ' Of ' + codes.join(', ') + '.' }
}

/** The codes whose errors may carry the field. */
function codesWith(name: ErrorFieldName): string[] {
  return Object.keys(FIELDS_OF_ERRORS).filter((code) =>
    fieldsOfError(code as ErrorCode).includes(name),
  )
}

/** A response for every status of the catalog, with its codes and the fields of each. */
export function errorResponses(): { [name: string]: unknown } {
  return Object.fromEntries(
    [...CODES_BY_STATUS].map(([status, codes]) => [
      'Error' + status,
      {
        description: codes.map(sentenceOf).join('\n'),
        headers: answerHeaders(
          status === 429 || status === 503
            ? ['Request-Id', 'Svc-Version', 'Retry-After']
            : ['Request-Id', 'Svc-Version'],
        ),
        content: {
          'application/json': { schema: reference('Error'), examples: examplesOf(codes) },
        },
      },
    ]),
  )
}

function sentenceOf(code: ErrorCode): string {
  const fields = fieldsOfError(code).map((name) => '`' + name + '`')
  const beside = fields.length === 0 ? '' : ' May carry ' + fields.join(', ') + '.'
  return '- `' + code + '`: ' + ERRORS[code].message + beside
}

function examplesOf(codes: readonly ErrorCode[]): { [code: string]: { value: unknown } } {
  return Object.fromEntries(codes.map((code) => [code, { value: exampleError(code) }]))
}

const EXAMPLE_PARAMS: { readonly [Code in ErrorCode]?: string } = {
  parameter_missing: 'amount_cents',
  parameter_invalid: 'Svc-Version',
  parameter_unknown: 'colour',
  parameters_exclusive: 'ending_before',
  invalid_cursor: 'starting_after',
  already_exists: 'external_id',
}

const EXAMPLE_FIELDS: { readonly [Name in ErrorFieldName]: unknown } = {
  errors: [
    {
      code: 'parameter_missing',
      param: 'amount_cents',
      message: 'A required parameter is missing.',
    },
  ],
  required_scope: 'write',
  granted_scopes: ['read'],
  known_versions: ['2026-12-01', '2026-11-20'],
  current_status: 'suspended',
  allowed_from: ['active'],
  suspended_by: 'fraud_rule',
  current_version: 7,
  kyc_status: 'pending',
  frozen_by: 'sanctions',
  disputable_cents: 1250,
  available_cents: 1000,
  capturable_cents: 1250,
  refundable_cents: 1250,
  billing_status: 'restricted',
  plan: 'growth',
  reason: 'challenge',
  resource_id: 'card_01m7wdgzf0fs28n3488hcbjt71',
  max: 16,
  images: 200,
  images_max: 200,
  bytes: 4_194_304,
  bytes_max: 67_108_864,
  controls_max: 32,
  limits_max: 64,
  entries_given: 4998,
  retry_after_ms: 56,
  challenge_url: 'https://auth.svc.example/challenge/3kPzT9',
  challenge: {
    id: 'fch_01m7wdgzf0fs28n3488hcbjt71',
    status_url: 'https://api.svc.example/v1/factor_challenges/fch_01m7wdgzf0fs28n3488hcbjt71',
    expires_at: 1_795_176_900,
    methods: ['passkey', 'totp', 'recovery_code'],
  },
}

/** An error of this code with invented values. */
export function exampleError(code: ErrorCode): { error: { [field: string]: unknown } } {
  const { type, message } = ERRORS[code]
  return {
    error: {
      type,
      code,
      message,
      param: EXAMPLE_PARAMS[code] ?? null,
      ...Object.fromEntries(fieldsOfError(code).map((name) => [name, EXAMPLE_FIELDS[name]])),
      request_id: 'req_01m7wdgzf0fs28n3488hcbjt71',
      doc_url: 'https://api.svc.example/docs/errors#' + code,
    },
  }
}
