// Every decline reason with its answer to the network, one row each. Authorization 5. `code` is ISO
// 8583 field 39; `outward` replaces a reason that must not be revealed.

export type RetryAdvice = 'never' | 'later' | 'fix_data' | 'authenticate'

interface Row {
  code: string
  retry: RetryAdvice
  outward?: string
}

export const DECLINE_REASONS = {
  program_suspended: { code: '62', retry: 'later' },
  program_not_active: { code: '62', retry: 'later' },
  card_not_found: { code: '14', retry: 'never' },
  card_not_activated: { code: '78', retry: 'later' },
  card_suspended: { code: '62', retry: 'later' },
  card_terminated: { code: '46', retry: 'never' },
  card_lost: { code: '41', retry: 'never' },
  card_stolen: { code: '43', retry: 'never' },
  card_expired: { code: '54', retry: 'fix_data' },
  cardholder_inactive: { code: '62', retry: 'later' },
  // Chosen: a sanctions review is never revealed outward, nor is suspected_fraud or
  // compliance_blocked below.
  cardholder_frozen: { code: '62', retry: 'later', outward: 'cardholder_inactive' },
  cardholder_verification_required: { code: '62', retry: 'later' },
  pin_incorrect: { code: '55', retry: 'fix_data' },
  pin_tries_exceeded: { code: '75', retry: 'later' },
  authentication_required: { code: '1A', retry: 'authenticate' },
  authentication_failed: { code: '59', retry: 'authenticate' },
  insecure_entry_method: { code: '62', retry: 'fix_data' },
  token_inactive: { code: '62', retry: 'later' },
  cvc_mismatch: { code: 'N7', retry: 'fix_data' },
  expiry_mismatch: { code: '54', retry: 'fix_data' },
  currency_blocked: { code: '57', retry: 'never' },
  merchant_category_blocked: { code: '57', retry: 'never' },
  merchant_blocked: { code: '57', retry: 'never' },
  merchant_country_blocked: { code: '62', retry: 'never' },
  card_presence_blocked: { code: '57', retry: 'fix_data' },
  entry_method_blocked: { code: '57', retry: 'fix_data' },
  transaction_kind_blocked: { code: '57', retry: 'never' },
  wallet_blocked: { code: '62', retry: 'later' },
  schedule_blocked: { code: '62', retry: 'later' },
  card_single_use_spent: { code: '57', retry: 'never' },
  fx_rate_unavailable: { code: '96', retry: 'later' },
  // Chosen: another rate may be there for the next attempt.
  billing_amount_mismatch: { code: '13', retry: 'later' },
  card_testing_suspected: { code: '59', retry: 'later', outward: 'do_not_honor' },
  original_not_found: { code: '12', retry: 'never' },
  original_expired: { code: '05', retry: 'later' },
  // Chosen: the reversal came first, so the network no longer wants the authorization.
  original_reversed: { code: '12', retry: 'never' },
  invalid_amount: { code: '13', retry: 'never' },
  limit_per_authorization: { code: '61', retry: 'later' },
  limit_daily: { code: '61', retry: 'later' },
  limit_weekly: { code: '61', retry: 'later' },
  limit_monthly: { code: '61', retry: 'later' },
  limit_yearly: { code: '61', retry: 'later' },
  limit_rolling: { code: '61', retry: 'later' },
  limit_count: { code: '65', retry: 'later' },
  credit_limit: { code: '61', retry: 'later' },
  limit_all_time: { code: '61', retry: 'later' },
  tenant_declined: { code: '05', retry: 'later' },
  insufficient_funds: { code: '51', retry: 'later' },
  exceeds_limit: { code: '61', retry: 'later' },
  exceeds_frequency: { code: '65', retry: 'later' },
  merchant_not_allowed: { code: '57', retry: 'never' },
  card_paused: { code: '62', retry: 'later' },
  suspected_fraud: { code: '59', retry: 'later', outward: 'do_not_honor' },
  compliance_blocked: { code: '93', retry: 'never', outward: 'do_not_honor' },
  not_permitted: { code: '57', retry: 'never' },
  duplicate: { code: '94', retry: 'never' },
  invalid_driver: { code: '05', retry: 'later' },
  invalid_vehicle: { code: '05', retry: 'later' },
  invalid_id: { code: '05', retry: 'later' },
  do_not_honor: { code: '05', retry: 'later' },
  system_unavailable: { code: '91', retry: 'later' },
  never_retry: { code: '57', retry: 'never' },
  other: { code: '05', retry: 'later' },
  stand_in_declined: { code: '05', retry: 'later' },
  stand_in_limit_exceeded: { code: '61', retry: 'later' },
  // Reported by an advice; the code sent back is the advice's own.
  network_stand_in_declined: { code: '05', retry: 'later' },
  duplicate_mismatch: { code: '94', retry: 'never' },
  issuer_overloaded: { code: '91', retry: 'later' },
} as const satisfies Record<string, Row>

export type DeclineReason = keyof typeof DECLINE_REASONS

/** Values a tenant may give with `approve: false`; anything else becomes `tenant_declined`. */
export const TENANT_REASONS: ReadonlySet<string> = new Set<DeclineReason>([
  'insufficient_funds',
  'exceeds_limit',
  'exceeds_frequency',
  'merchant_not_allowed',
  'card_paused',
  'suspected_fraud',
  'not_permitted',
  'duplicate',
  'invalid_driver',
  'invalid_vehicle',
  'invalid_id',
  'do_not_honor',
  'system_unavailable',
  'never_retry',
  'other',
  'tenant_declined',
])

/** The reason as the network may see it. */
export function outwardReason(reason: DeclineReason): DeclineReason {
  const row: Row = DECLINE_REASONS[reason]
  return row.outward === undefined ? reason : (row.outward as DeclineReason)
}

/** ISO 8583 field 39 for a reason. A reason that must not be revealed gets the code of another. */
export function responseCodeOf(reason: DeclineReason): string {
  return DECLINE_REASONS[outwardReason(reason)].code
}

export const CODE_APPROVED = '00'
export const CODE_APPROVED_PARTLY = '10'
/** An account verification found nothing against the card. */
export const CODE_VERIFIED = '85'
