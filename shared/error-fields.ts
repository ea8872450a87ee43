// The fields that an error carries beside `type`, `code`, `message`, `param`, `request_id` and
// `doc_url`, by its code. A refusal takes no other field, so that the document names every one.
import type { ErrorCode } from './error-catalog.ts'

interface ErrorField {
  type: 'string' | 'integer' | 'string or null' | 'list of strings' | 'list of faults' | 'challenge'
  about: string
}

export const ERROR_FIELDS = {
  errors: {
    type: 'list of faults',
    about: 'Every field at fault, ten at most. A large body is refused with the first.',
  },
  required_scope: { type: 'string', about: 'The narrowest scope that may make the call.' },
  granted_scopes: { type: 'list of strings', about: 'The scopes that the credential has.' },
  known_versions: { type: 'list of strings', about: 'Every version that may be asked for.' },
  current_status: { type: 'string', about: 'The state in which the resource is now.' },
  allowed_from: { type: 'list of strings', about: 'The states from which the move is possible.' },
  suspended_by: { type: 'string', about: 'Who suspended the card, where that is the obstacle.' },
  current_version: { type: 'integer', about: 'The latest version of the resource.' },
  kyc_status: { type: 'string', about: 'The state of the verification of the cardholder.' },
  frozen_by: { type: 'string', about: 'Who froze the cardholder.' },
  disputable_cents: {
    type: 'integer',
    about: 'The most that can be disputed, in minor units of the card’s currency.',
  },
  available_cents: { type: 'integer', about: 'The most that can be withdrawn, in US cents.' },
  capturable_cents: { type: 'integer', about: 'The most that can be captured, in US cents.' },
  refundable_cents: { type: 'integer', about: 'The most that can be refunded, in US cents.' },
  billing_status: { type: 'string', about: 'The status of the subscription.' },
  reason: { type: 'string', about: 'The check that failed, for programs.' },
  resource_id: {
    type: 'string or null',
    about: 'The resource that holds the place, or that the earlier call made or changed.',
  },
  max: { type: 'integer', about: 'The largest number of these.' },
  plan: { type: 'string', about: 'The plan that sets the bound.' },
  images: { type: 'integer', about: 'The number of images now.' },
  images_max: { type: 'integer', about: 'The largest number of images.' },
  bytes: { type: 'integer', about: 'The bytes of all images now.' },
  bytes_max: { type: 'integer', about: 'The largest number of bytes.' },
  controls_max: { type: 'integer', about: 'The largest number of controls of one subject.' },
  limits_max: { type: 'integer', about: 'The largest number of limits of one subject.' },
  entries_given: { type: 'integer', about: 'The number of entries in the parts of the file.' },
  retry_after_ms: { type: 'integer', about: 'Milliseconds to wait before the next attempt.' },
  challenge_url: { type: 'string', about: 'The page on which a person approves the call.' },
  challenge: {
    type: 'challenge',
    about: 'The approval request to that person, for the caller to follow.',
  },
} as const satisfies { readonly [name: string]: ErrorField }

export type ErrorFieldName = keyof typeof ERROR_FIELDS

/** A code that is not named carries none of them. */
export const FIELDS_OF_ERRORS = {
  parameter_missing: ['errors'],
  parameter_unknown: ['errors'],
  parameter_invalid: ['errors', 'known_versions'],
  insufficient_scope: ['required_scope', 'granted_scopes'],
  program_not_active: ['current_status'],
  kyb_not_approved: ['current_status'],
  factor_required: ['challenge_url', 'challenge'],
  second_operator_required: ['challenge_url', 'resource_id'],
  invalid_state: ['current_status', 'allowed_from', 'suspended_by', 'resource_id'],
  version_conflict: ['current_version'],
  already_exists: ['resource_id'],
  cardholder_not_approved: ['kyc_status'],
  cardholder_frozen: ['frozen_by'],
  amount_not_disputable: ['disputable_cents'],
  amount_not_available: ['available_cents'],
  amount_not_capturable: ['capturable_cents'],
  amount_not_refundable: ['refundable_cents'],
  address_refused: ['reason'],
  assertion_invalid: ['reason'],
  billing_restricted: ['billing_status'],
  plan_limit_reached: ['max', 'plan'],
  payment_account_not_active: ['current_status'],
  settlement_account_not_usable: ['current_status'],
  clearing_file_incomplete: ['entries_given'],
  too_many_endpoints: ['max'],
  too_many_images: ['images', 'images_max', 'bytes', 'bytes_max'],
  too_many_controls: ['controls_max', 'limits_max', 'bytes_max'],
  idempotency_key_reused: ['resource_id'],
  tenant_limit: ['retry_after_ms'],
  address_limit: ['retry_after_ms'],
  unauthenticated_limit: ['retry_after_ms'],
  dependency_unavailable: ['resource_id'],
} as const satisfies { readonly [Code in ErrorCode]?: readonly ErrorFieldName[] }

/** The names of the fields that an error of this code may carry. */
export type ErrorFieldOf<Code extends ErrorCode> = Code extends keyof typeof FIELDS_OF_ERRORS
  ? (typeof FIELDS_OF_ERRORS)[Code][number]
  : never

/** The fields that an error of this code may carry; none for most. */
export function fieldsOfError(code: ErrorCode): readonly ErrorFieldName[] {
  return code in FIELDS_OF_ERRORS ? FIELDS_OF_ERRORS[code as keyof typeof FIELDS_OF_ERRORS] : []
}
