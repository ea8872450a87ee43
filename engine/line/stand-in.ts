// The stand-in answer for a silent tenant. Computed for every authorization sent to the tenant,
// even if the tenant answered: the comparison shows how often stand-in would have been wrong. Pure.
// Authorization 7.
import { authorizationKind } from '../../shared/authorization-kind.ts'
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { StandInPolicy } from '../../shared/wire/config-records.ts'
import type { Judged } from '../rules/rule.ts'
import type { StandInUse } from '../state/stand-in-use.ts'

export interface StandInVerdict {
  readonly approve: boolean
  readonly reason: DeclineReason | null
  /**
   * The part of the policy that declined: `kind`, `per_authorization`, `per_card_per_day` or
   * `per_hour`.
   */
  readonly cap: string | null
}

const APPROVED: StandInVerdict = { approve: true, reason: null, cap: null }
const DECLINED: StandInVerdict = { approve: false, reason: 'stand_in_declined', cap: null }
const EXCLUDED: StandInVerdict = { approve: false, reason: 'stand_in_declined', cap: 'kind' }
const OVER_AUTHORIZATION = over('per_authorization')
const OVER_CARD_DAY = over('per_card_per_day')
const OVER_HOUR = over('per_hour')

/**
 * Returns the stand-in verdict: the controls have passed already, so it approves unless the
 * tenant's policy declines. `nowMs` is the moment of the decision; the entry of an approval must be
 * applied to `use` before any await. Chosen: without a policy the program's `stand_in` decides;
 * with one the policy's action does. Equality with a cap approves, and the cap per authorization
 * binds the whole amount after an increment.
 */
export function standInVerdict(judged: Judged, use: StandInUse, nowMs: number): StandInVerdict {
  const { program } = judged
  const policy = program.stand_in_policy
  if (policy === null) return program.stand_in === 'decline' ? DECLINED : APPROVED
  if (policy.action === 'decline') return DECLINED
  if (policy.excluded_kinds.includes(authorizationKind(judged.message))) return EXCLUDED
  return overCap(judged, policy, use, nowMs) ?? APPROVED
}

function overCap(
  { card, cardAmountCents: amount, chainCents }: Judged,
  policy: StandInPolicy,
  use: StandInUse,
  nowMs: number,
): StandInVerdict | null {
  const perAuthorization = policy.max_per_authorization_cents
  if (perAuthorization !== null && chainCents + amount > perAuthorization) return OVER_AUTHORIZATION
  const perCard = policy.max_per_card_per_day_cents
  if (perCard !== null && use.ofCard(card.windows_id, nowMs) + amount > perCard)
    return OVER_CARD_DAY
  const perHour = policy.max_per_hour_cents
  if (perHour === null) return null
  const used = use.ofTenant(card.tenant_id, card.environment, card.currency, nowMs)
  return used + amount > perHour ? OVER_HOUR : null
}

function over(cap: string): StandInVerdict {
  return { approve: false, reason: 'stand_in_limit_exceeded', cap }
}
