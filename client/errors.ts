// The reason why a call failed: the API refused it, or no answer came.

/**
 * The API refused. `detail` has every field of the error, for example `current_status` of
 * invalid_state.
 */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly status: number
  readonly type: string
  readonly code: string
  /** The field at fault, or null. */
  readonly param: string | null
  /** The id of the request in the API's log. */
  readonly requestId: string | null
  /** Milliseconds to wait before a retry, if the API says so. */
  readonly retryAfterMs: number | null
  readonly detail: { readonly [field: string]: unknown }

  constructor(status: number, headers: Headers, body: unknown) {
    const detail = errorIn(body)
    super(textOf(detail['message']) ?? 'The API answered ' + status + '.')
    this.status = status
    this.type = textOf(detail['type']) ?? 'unknown'
    this.code = textOf(detail['code']) ?? 'unknown'
    this.param = textOf(detail['param'])
    this.requestId = textOf(detail['request_id']) ?? headers.get('request-id')
    this.retryAfterMs = retryAfterMs(headers, detail)
    this.detail = detail
  }
}

/**
 * No whole answer came: the connection broke, or it took too long. The API may have carried out a
 * write.
 */
export class SvcConnectionError extends Error {
  override readonly name = 'SvcConnectionError'
}

function errorIn(body: unknown): { readonly [field: string]: unknown } {
  const error = isObject(body) ? body['error'] : null
  return isObject(error) ? error : {}
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The exact milliseconds if the body has them, else the header's whole seconds. */
function retryAfterMs(
  headers: Headers,
  detail: { readonly [field: string]: unknown },
): number | null {
  const exact = detail['retry_after_ms']
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const told = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
  return typeof exact === 'number' && exact >= 0 ? Math.max(exact, 0) : told
}
