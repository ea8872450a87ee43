// The order of the rules is policy: the first to object names the decline. Chosen: state of program, card and cardholder, then
// verification, then controls; the tenant comes last and can only narrow what these allow.
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

/** Judged again when card, cardholder or program changed while the tenant was asked. */
export const STATE_RULES: readonly Rule[] = [
  programActive,
  cardState,
  notStopped,
  cardNotExpired,
  cardholderState,
]

/**
 * What controls ask; with `withinLimit` it is all that a draft is judged by. Chosen: what is asked for, where, how and when
 * comes first; then how often, then how much.
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

/** Judged before the controls are asked. */
export const RULES_BEFORE: readonly Rule[] = [
  ...STATE_RULES,
  expiryMatches,
  cvcMatches,
  pinMatches,
  walletTokenActive,
  amountConvertible,
  billingPlausible,
]

/** Judged when no control objects. */
export const RULES_AFTER: readonly Rule[] = [withinCreditLimit, withinLimit, amountCountable]

/** What can be judged again from a recorded row. */
export type Decided = Pick<Rule, 'id' | 'decide'>

/** All of them in their order. */
export const RULES: readonly Decided[] = [...RULES_BEFORE, ...CONTROL_RULES, ...RULES_AFTER]

/** The row that says no card was found; it has no rule of its own because nothing can be judged without a card. */
export const CARD_NOT_FOUND_ROW: TraceRow = [
  RULE_CATALOG.card_found.number,
  RULE_CATALOG.card_found.version,
  1,
  false,
]

/** Rules of earlier releases, so that what they recorded can still be judged again. */
const RETIRED_RULES: readonly Decided[] = [
  { id: 'currency_accepted', decide: (row) => (row[3] === row[4] ? null : 'currency_blocked') },
]

const RULE_BY_NUMBER: ReadonlyMap<number, Decided> = new Map(
  [...RULES, ...RETIRED_RULES].map((rule) => [RULE_CATALOG[rule.id].number, rule]),
)

/** Judges a recorded trace again, from its inputs alone. `consistent` is false where a row's verdict differs. */
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
