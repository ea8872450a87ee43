// Every error code of the HTTP interfaces: status, category, text. Spec 7. A new code is one row.
import { ACCESS_ERRORS } from './access-errors.ts'
import { BILLING_ERRORS } from './billing-errors.ts'
import { PAYMENT_ERRORS } from './payment-errors.ts'

export const ERRORS = {
  parameter_missing: {
    status: 400,
    type: 'invalid_request',
    message: 'A required field is missing.',
  },
  parameter_invalid: {
    status: 400,
    type: 'invalid_request',
    message: 'A field has a value that is not accepted.',
  },
  parameter_unknown: {
    status: 400,
    type: 'invalid_request',
    message: 'This parameter does not exist here.',
  },
  parameters_exclusive: {
    status: 400,
    type: 'invalid_request',
    message: 'These parameters cannot be used together.',
  },
  invalid_cursor: {
    status: 400,
    type: 'invalid_request',
    message: 'The cursor was not issued by this list.',
  },
  invalid_json: { status: 400, type: 'invalid_request', message: 'The body is not valid JSON.' },
  malformed_request: {
    status: 400,
    type: 'invalid_request',
    message: 'The request is not valid HTTP.',
  },
  message_stale: {
    status: 400,
    type: 'invalid_request',
    message:
      'transmitted_at is more than 24 hours ago or more than 10 minutes ahead; the message is not decided.',
  },
  header_duplicated: {
    status: 400,
    type: 'invalid_request',
    message: 'A header that may appear once appears twice.',
  },
  missing_credential: {
    status: 401,
    type: 'authentication_failed',
    message: 'Send your API key as "Authorization: Bearer <key>".',
  },
  invalid_credential: {
    status: 401,
    type: 'authentication_failed',
    message: 'The credential is not valid.',
  },
  key_revoked: { status: 401, type: 'authentication_failed', message: 'This API key was revoked.' },
  malformed_header: {
    status: 401,
    type: 'authentication_failed',
    message: 'The Svc-Signature header cannot be parsed.',
  },
  invalid_signature: {
    status: 401,
    type: 'authentication_failed',
    message: 'No signature matches the body.',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    type: 'authentication_failed',
    message: 'The signature is older or newer than 300 seconds.',
  },
  certificate_required: {
    status: 401,
    type: 'authentication_failed',
    message: 'Present a client certificate.',
  },
  certificate_refused: {
    status: 401,
    type: 'authentication_failed',
    message: 'The client certificate is not valid now, or not the one of this key.',
  },
  insufficient_scope: {
    status: 403,
    type: 'permission_denied',
    message: 'The key needs a wider scope for this call.',
  },
  ip_not_allowed: {
    status: 403,
    type: 'permission_denied',
    message: 'This key may not be used from this address.',
  },
  feature_not_enabled: {
    status: 403,
    type: 'permission_denied',
    message: 'This feature is not part of the tenant’s plan.',
  },
  program_not_active: {
    status: 403,
    type: 'permission_denied',
    message: 'The program is not active: nothing is issued in it.',
  },
  account_suspended: {
    status: 403,
    type: 'permission_denied',
    message: 'The tenant is suspended.',
  },
  kyb_not_approved: {
    status: 403,
    type: 'permission_denied',
    message: 'The tenant’s business is not verified yet: live is closed to it.',
  },
  second_way_missing: {
    status: 403,
    type: 'permission_denied',
    message: 'A key of live needs an owner with two ways to sign in.',
  },
  role_not_allowed: {
    status: 403,
    type: 'permission_denied',
    message: 'The role of the approving person does not cover this.',
  },
  address_not_verified: {
    status: 403,
    type: 'permission_denied',
    message: 'The approving person has not confirmed their email address.',
  },
  factor_required: {
    status: 403,
    type: 'permission_denied',
    message: 'A person has to approve this call: open challenge_url.',
  },
  factor_denied: {
    status: 403,
    type: 'permission_denied',
    message: 'The call was denied by a person.',
  },
  resource_missing: { status: 404, type: 'not_found', message: 'No such resource.' },
  route_not_found: { status: 404, type: 'not_found', message: 'No such route.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request',
    message: 'This method is not allowed here.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request',
    message: 'The request did not arrive in time.',
  },
  invalid_state: {
    status: 409,
    type: 'conflict',
    message: 'The resource cannot make this move from its current state.',
  },
  version_conflict: {
    status: 409,
    type: 'conflict',
    message: 'The resource was changed since the version that if_version names.',
  },
  already_exists: {
    status: 409,
    type: 'conflict',
    message: 'Another resource of this kind has this external_id.',
  },
  last_owner: {
    status: 409,
    type: 'conflict',
    message: 'The last owner of a tenant cannot be disabled: make another one first.',
  },
  cardholder_not_approved: {
    status: 409,
    type: 'conflict',
    message: 'The identity of the cardholder is not approved: no card is issued to them.',
  },
  cardholder_frozen: {
    status: 409,
    type: 'conflict',
    message: 'The cardholder is frozen: no card is issued to them.',
  },
  amount_not_disputable: {
    status: 409,
    type: 'conflict',
    message: 'More would be disputed than was captured and not refunded.',
  },
  too_much_evidence: {
    status: 409,
    type: 'conflict',
    message: 'This dispute cannot hold more evidence.',
  },
  clearing_file_differs: {
    status: 409,
    type: 'conflict',
    message: 'A clearing file of this name was given before, with other content.',
  },
  clearing_file_incomplete: {
    status: 409,
    type: 'conflict',
    message: 'Another number of entries was given than the file has.',
  },
  too_many_endpoints: {
    status: 409,
    type: 'conflict',
    message: 'There cannot be more webhook endpoints. Delete one first.',
  },
  template_archived: {
    status: 409,
    type: 'conflict',
    message: 'The template is archived: no passes are issued from it.',
  },
  too_many_images: {
    status: 409,
    type: 'conflict',
    message: 'There cannot be more images. Delete one that no template names first.',
  },
  image_in_use: {
    status: 409,
    type: 'conflict',
    message: 'A version of a template names the image: passes may show it.',
  },
  too_many_controls: {
    status: 409,
    type: 'conflict',
    message: 'This subject cannot be bound by more spending controls. Retire one first.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'conflict',
    message: 'Another call with this Idempotency-Key is still at work. Repeat the call.',
  },
  factor_expired: {
    status: 410,
    type: 'permission_denied',
    message: 'Nobody approved the call in time, or its approval was used. Repeat the call.',
  },
  length_required: {
    status: 411,
    type: 'invalid_request',
    message: 'Send the body with a Content-Length, not chunked.',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request',
    message: 'The body is larger than allowed.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request',
    message: 'Send application/json.',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'conflict',
    message: 'Another call was made with this Idempotency-Key. Use a fresh key for each call.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request',
    message: 'The headers are larger than allowed.',
  },
  tenant_limit: {
    status: 429,
    type: 'rate_limited',
    message: 'Too many calls of this kind. Wait as long as Retry-After says.',
  },
  address_limit: {
    status: 429,
    type: 'rate_limited',
    message: 'Too many calls with a publishable key from this address.',
  },
  unauthenticated_limit: {
    status: 429,
    type: 'rate_limited',
    message: 'Too many calls without a valid credential from this address.',
  },
  connection_limit: {
    status: 429,
    type: 'rate_limited',
    message: 'Too many connections are open at once. Close some, or reuse them.',
  },
  internal_error: {
    status: 500,
    type: 'internal_error',
    message: 'Something went wrong on our side.',
  },
  overloaded: {
    status: 503,
    type: 'unavailable',
    message: 'Too busy to answer now; nothing was decided or stored.',
  },
  not_ready: {
    status: 503,
    type: 'unavailable',
    message: 'Not ready to decide yet; nothing was decided or stored.',
  },
  dependency_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'A part this call depends on did not answer in time. Repeating the call is safe.',
  },
  ...ACCESS_ERRORS,
  ...PAYMENT_ERRORS,
  ...BILLING_ERRORS,
  http_version_unsupported: { status: 505, type: 'invalid_request', message: 'Speak HTTP/1.1.' },
} as const

export type ErrorCode = keyof typeof ERRORS

export interface ErrorBody {
  error: {
    type: string
    code: ErrorCode
    message: string
    param: string | null
    request_id?: string
    [extra: string]: unknown
  }
}

/** The one error shape. `message` adds detail; it must never carry a secret, a PAN or a CVC. */
export function errorBody(
  code: ErrorCode,
  param: string | null = null,
  message?: string,
): ErrorBody {
  const row = ERRORS[code]
  return { error: { type: row.type, code, message: message ?? row.message, param } }
}
