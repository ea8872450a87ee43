// How the API says no. A write throws a Refusal, so that its transaction rolls back; this file is
// the only place that turns one, and every other error, into a status, headers and the one error
// body. Spec 7.
import { ERRORS, type ErrorBody, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import type { ErrorFieldOf } from '../../shared/error-fields.ts'
import { databaseUnavailable } from '../database/unavailable.ts'

export interface RefusalDetail<Code extends ErrorCode = ErrorCode> {
  /** The field at fault: its name, or a JSON pointer where it is nested. */
  param?: string
  /** Replaces the catalog's sentence. Never a secret. */
  message?: string
  /** Further fields of `error`: those that the catalog declares for its code. */
  extra?: { readonly [Field in ErrorFieldOf<Code>]?: unknown }
  headers?: { readonly [name: string]: string }
}

export class Refusal<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'Refusal'
  readonly code: Code
  readonly detail: RefusalDetail<Code>

  constructor(code: Code, detail: RefusalDetail<Code> = {}) {
    super(detail.message ?? ERRORS[code].message)
    this.code = code
    this.detail = detail
  }
}

export interface RefusalAnswer {
  status: number
  headers: { readonly [name: string]: string }
  body: ErrorBody
  /** True where the fault is ours and the error itself belongs in the log. */
  unexpected: boolean
}

/** Seconds after which trying again is worth it, where we cannot know better. */
const RETRY_AFTER_S = 1

const IN_DOUBT =
  'The database did not answer in time, so it is not known whether the change was made. Repeat the call with its ' +
  'Idempotency-Key to hear what came of it; where it had none, read the resource first.'

/** Error codes by Fastify's code, for a request that never reached a gate of ours. */
const FRAMEWORK_CODES: { readonly [code: string]: ErrorCode } = {
  FST_ERR_NOT_FOUND: 'route_not_found',
  FST_ERR_BAD_URL: 'route_not_found',
  FST_ERR_INVALID_URL: 'route_not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'route_not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
}

/** `docsUrl` is where our pages of reference are: each code has a place of its own there. */
export function refusalAnswer(
  error: unknown,
  { requestId, docsUrl }: { requestId: string; docsUrl: string },
): RefusalAnswer {
  const refusal = refusalOf(error)
  const known = refusal ?? new Refusal('internal_error')
  const { param, message, extra, headers } = known.detail
  const body = errorBody(known.code, param ?? null, message)
  return {
    status: ERRORS[known.code].status,
    headers: { ...rateLimitHeaders(known.code), ...headers },
    body: {
      error: {
        ...body.error,
        ...extra,
        request_id: requestId,
        doc_url: docsUrl + '/errors#' + known.code,
      },
    },
    unexpected: refusal === null,
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (databaseUnavailable(error)) return new Refusal('dependency_unavailable', inDoubt(error))
  const code = frameworkCode(error)
  return code === undefined ? null : new Refusal(code)
}

/**
 * A call whose COMMIT was under way is told that its outcome is unknown: without a key it is not
 * safe to repeat.
 */
function inDoubt(error: unknown): RefusalDetail {
  return isInDoubt(error) ? { message: IN_DOUBT } : {}
}

/** Returns true for an error of the database that leaves open whether the change was made. */
export function isInDoubt(error: unknown): boolean {
  return error instanceof Error && 'inDoubt' in error && error.inDoubt === true
}

function frameworkCode(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return FRAMEWORK_CODES[String(error.code)]
}

/** Headers of a status, for any refusal. RFC 9110 11.6.1 and 10.2.3. */
function rateLimitHeaders(code: ErrorCode): { readonly [name: string]: string } {
  const status = ERRORS[code].status
  if (status === 401) return { 'WWW-Authenticate': 'Bearer realm="svc"' }
  if (status === 503) return { 'Retry-After': String(RETRY_AFTER_S) }
  return {}
}
