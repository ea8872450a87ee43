// The schedule of attempts to collect an invoice: pure functions of moments.
import type { EpochMs } from '../../../shared/clock.ts'

const DAY_MS = 86_400_000
/** Chosen: days after the first failure. */
const RETRY_DAYS = [1, 3, 7, 14] as const

/** Declines that no later attempt with the same card or bank account changes. */
const HARD: ReadonlySet<string> = new Set([
  ...['lost_card', 'stolen_card', 'pickup_card', 'revocation_of_authorization'],
  ...['revocation_of_all_authorizations', 'stop_payment_order', 'invalid_account'],
  ...['account_closed', 'restricted_card', 'no_payment_method', 'no_account'],
  ...['debit_not_authorized', 'bank_account_restricted', 'bank_account_unusable'],
  ...['payment_method_bank_account_blocked', 'payment_intent_mandate_invalid'],
])

export function isHardDecline(declineCode: string | null): boolean {
  return declineCode !== null && HARD.has(declineCode)
}

/** The next attempt after `now`; null where none is left. Attempts that a clock skipped are one. */
export function nextAttempt(failedAt: EpochMs, now: EpochMs): EpochMs | null {
  const moments = RETRY_DAYS.map((days) => failedAt + days * DAY_MS)
  return moments.find((moment) => moment > now) ?? null
}
