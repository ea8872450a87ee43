// The order of the rules is policy: the first objection names the decline. Chosen: state of
// program, card and cardholder, then verification, then controls; the tenant comes last and can
// only narrow the result.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type TraceRow } from '../../shared/rule-catalog.ts'
import { amountConvertible } from './amount-convertible.ts'
import { amountCountable } from './amount-countable.ts'
import { billingPlausible } from './billing-plausible.ts'
import { cardNotExpired } from './card-not-expired.ts'
import { cardPresenceAllowed } from './card-presence-allowed.ts'
import { cardState } from './card-state.ts'
import { cardholderState } from './cardholder-state.ts'
import { chipNotBypassed } from './chip-not-bypassed.ts'
import type { ControlRule } from './control-rule.ts'
import { currencyAllowed } from './currency-allowed.ts'
import { cvcMatches } from './cvc-matches.ts'
import { entryMethodAllowed } from './entry-method-allowed.ts'
import { expiryMatches } from './expiry-matches.ts'
import { fundsAvailable } from './funds-available.ts'
import { kindAllowed } from './kind-allowed.ts'
import { merchantAllowed } from './merchant-allowed.ts'
import { merchantCategoryAllowed } from './merchant-category-allowed.ts'
import { merchantCountryAllowed } from './merchant-country-allowed.ts'
import { merchantLock } from './merchant-lock.ts'
import { notStopped } from './not-stopped.ts'
import { onlineAuthenticated } from './online-authenticated.ts'
import { pinMatches } from './pin-matches.ts'
import { programActive } from './program-active.ts'
import type { Rule } from './rule.ts'
import { singleUse } from './single-use.ts'
import { usesLeft } from './uses-left.ts'
import { walletAllowed } from './wallet-allowed.ts'
import { walletTokenActive } from './wallet-token-active.ts'
import { withinCreditLimit } from './within-credit-limit.ts'
import { withinLimit } from './within-limit.ts'
import { withinSchedule } from './within-schedule.ts'

/** Judged again if card, cardholder or program changed while the tenant was asked. */
export const STATE_RULES: readonly Rule[] = [
  programActive,
  cardState,
  notStopped,
  cardNotExpired,
  cardholderState,
]

/**
 * Rules of controls; with `withinLimit` they are all the rules of a draft. Chosen: kind, place,
 * method and time come first, then counts, then amounts.
 */
export const CONTROL_RULES: readonly ControlRule[] = [
  kindAllowed,
  currencyAllowed,
  merchantCategoryAllowed,
  merchantAllowed,
  merchantCountryAllowed,
  cardPresenceAllowed,
  entryMethodAllowed,
  walletAllowed,
  chipNotBypassed,
  onlineAuthenticated,
  withinSchedule,
  merchantLock,
  usesLeft,
  singleUse,
]

/** Judged before the controls. */
export const RULES_BEFORE: readonly Rule[] = [
  ...STATE_RULES,
  expiryMatches,
  cvcMatches,
  pinMatches,
  walletTokenActive,
  amountConvertible,
  billingPlausible,
]

/**
 * Judged before the controls for a payment account. Chosen: it has no number, expiry, CVC or PIN to
 * verify, and no fraud rule of cards stops it.
 */
export const ACCOUNT_RULES_BEFORE: readonly Rule[] = [programActive, cardState, cardholderState]

/** Judged when no control objects. */
export const RULES_AFTER: readonly Rule[] = [
  withinCreditLimit,
  withinLimit,
  fundsAvailable,
  amountCountable,
]

/** A rule that can judge a recorded row again. */
export type Decided = Pick<Rule, 'id' | 'decide'>

/** All rules in their order. */
export const RULES: readonly Decided[] = [...RULES_BEFORE, ...CONTROL_RULES, ...RULES_AFTER]

/**
 * The row for an unknown card; it has no rule of its own because no rule can judge without a card.
 */
export const CARD_NOT_FOUND_ROW: TraceRow = [
  RULE_CATALOG.card_found.number,
  RULE_CATALOG.card_found.version,
  1,
  false,
]

const RULE_BY_NUMBER: ReadonlyMap<number, Decided> = new Map(
  RULES.map((rule) => [RULE_CATALOG[rule.id].number, rule]),
)

/**
 * Judges a recorded trace again, from its inputs alone. `consistent` is false if a row's verdict
 * differs.
 */
export function rejudge(trace: readonly TraceRow[]): {
  reason: DeclineReason | null
  consistent: boolean
} {
  let first: DeclineReason | null = null
  let consistent = true
  for (const row of trace) {
    const reason = row[0] === RULE_CATALOG.card_found.number ? notFound(row) : decideRow(row)
    if (reason === undefined || (reason !== null) !== (row[2] === 1)) consistent = false
    if (first === null && reason !== undefined) first = reason
  }
  return { reason: first, consistent }
}

function decideRow(row: TraceRow): DeclineReason | null | undefined {
  return RULE_BY_NUMBER.get(row[0])?.decide(row)
}

function notFound(row: TraceRow): DeclineReason | null {
  return row[3] === true ? null : 'card_not_found'
}
