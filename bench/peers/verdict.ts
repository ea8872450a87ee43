// The decision in TypeScript, for the peer that takes its locks from here. The same order of
// objections as in authorize.sql and authorize.lua.
import type { AuthorizationRequest } from './authorization-request.ts'

/**
 * One row per subject that binds the card, with its spent amounts; the card's own columns stand in
 * each.
 */
export interface BoundRow {
  card_id: string
  program_status: string
  status: string
  exp_month: number
  exp_year: number
  cvc_verifier: string
  currency: string
  cardholder_status: string
  frozen: boolean
  subject_id: string
  blocked_mccs: string[] | null
  blocked_countries: string[] | null
  per_authorization_cents: number | null
  daily_cents: number | null
  weekly_cents: number | null
  monthly_cents: number | null
  yearly_cents: number | null
  all_time_cents: number | null
  day: number
  week: number
  spent_daily: number
  spent_weekly: number
  spent_monthly: number
  spent_yearly: number
  spent_all_time: number
}

/** The first objection, or null. */
export function judge(
  authorization: AuthorizationRequest,
  rows: readonly BoundRow[],
): string | null {
  const card = rows[0]
  if (card === undefined) return 'card_not_found'
  return stateObjection(authorization, card) ?? policyObjection(authorization, rows)
}

const STATE_REASONS: { readonly [status: string]: string } = {
  issued: 'card_not_activated',
  terminated: 'card_terminated',
}

function stateObjection(authorization: AuthorizationRequest, card: BoundRow): string | null {
  const { day, expMonth, expYear, cvcVerifier, currency } = authorization
  if (card.program_status !== 'active') return 'program_suspended'
  if (card.status !== 'active') return STATE_REASONS[card.status] ?? 'card_suspended'
  if (Math.floor(day / 100) > card.exp_year * 100 + card.exp_month) return 'card_expired'
  if (card.frozen) return 'cardholder_frozen'
  if (card.cardholder_status !== 'active') return 'cardholder_inactive'
  if ((expMonth ?? card.exp_month) !== card.exp_month) return 'expiry_mismatch'
  if ((expYear ?? card.exp_year) !== card.exp_year) return 'expiry_mismatch'
  if (cvcVerifier !== null && cvcVerifier !== card.cvc_verifier) return 'cvc_mismatch'
  return currency === card.currency ? null : 'currency_blocked'
}

function policyObjection(
  authorization: AuthorizationRequest,
  rows: readonly BoundRow[],
): string | null {
  const { amountCents: amount, mcc, country, day, week } = authorization
  const over = (limit: number | null, spent: number) => limit !== null && spent + amount > limit
  const within = (unit: number, row: BoundRow) =>
    Math.floor(row.day / unit) === Math.floor(day / unit)
  for (const row of rows) {
    if (row.blocked_mccs?.includes(mcc)) return 'merchant_category_blocked'
    if (row.blocked_countries?.includes(country)) return 'merchant_country_blocked'
    if (over(row.per_authorization_cents, 0)) return 'limit_per_authorization'
    if (over(row.daily_cents, within(1, row) ? row.spent_daily : 0)) return 'limit_daily'
    if (over(row.weekly_cents, row.week === week ? row.spent_weekly : 0)) return 'limit_weekly'
    if (over(row.monthly_cents, within(100, row) ? row.spent_monthly : 0)) return 'limit_monthly'
    if (over(row.yearly_cents, within(10_000, row) ? row.spent_yearly : 0)) return 'limit_yearly'
    if (over(row.all_time_cents, row.spent_all_time)) return 'limit_all_time'
  }
  return null
}
