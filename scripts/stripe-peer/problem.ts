// Errors as the processor answers them: {error: {type, code, decline_code, param, message}}.

export type ProblemType =
  | 'api_error'
  | 'card_error'
  | 'idempotency_error'
  | 'invalid_request_error'
  | 'rate_limit_error'

export interface ProblemFields {
  type: ProblemType
  message: string
  code?: string
  decline_code?: string
  param?: string
}

/** Ends a request with an error. `isKept`: the error is repeated for its idempotency key. */
export class Problem extends Error {
  readonly status: number
  readonly fields: ProblemFields
  readonly isKept: boolean

  constructor(status: number, fields: ProblemFields, isKept = false) {
    super(fields.message)
    this.status = status
    this.fields = fields
    this.isKept = isKept
  }
}

/** A failed validation, which is not kept for its key. */
export function invalid(message: string, param?: string, code?: string): Problem {
  const named = {
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  }
  return new Problem(400, { type: 'invalid_request_error', message, ...named })
}

/** A request that its object's state refuses; kept for its key. */
export function refused(message: string, code: string): Problem {
  return new Problem(400, { type: 'invalid_request_error', message, code }, true)
}

/** An object that does not exist. */
export function missing(kind: string, id: string): Problem {
  const message = 'No such ' + kind + ": '" + id + "'"
  const fields = { code: 'resource_missing', param: 'id', message } as const
  return new Problem(404, { type: 'invalid_request_error', ...fields })
}

/** A decline of the card; kept for its key. */
export function declined(code: string, declineCode: string | null): Problem {
  const named = declineCode === null ? {} : { decline_code: declineCode }
  const message = 'Your card was declined.'
  return new Problem(402, { type: 'card_error', code, message, ...named }, true)
}
