// The amount that could be approved now: the rest of every limit, and the countable rest of every
// window. Other rules ignore amounts, except those of single use.
import { AMOUNT_MAX } from '../../shared/money.ts'
import { addedCount, type Judged } from './rule.ts'

/**
 * Returns the largest amount in minor units of the card's currency that the controls would approve
 * now for this message, whatever amount it requests: 0 if a limit is used up, AMOUNT_MAX less the
 * counted amount without limits. Stand-in caps are left out, and so are rules that no amount
 * satisfies.
 */
export function maxApprovable(judged: Judged): number {
  let most = AMOUNT_MAX - judged.largestCounted
  // A request that adds no authorization passes every count limit.
  const counted = addedCount({ message: judged.message, cardAmountCents: AMOUNT_MAX })
  for (const { limit, used, reserved, usedCount, reservedCount } of judged.limits) {
    if (limit.amount_cents !== null) {
      const chain = limit.interval === 'per_authorization' ? judged.chainCents : 0
      most = Math.min(most, limit.amount_cents - used - reserved - chain)
    }
    if (limit.count !== null && usedCount + reservedCount + counted > limit.count) return 0
  }
  if (judged.funds !== null) {
    const { fundedCents, usedCents, reservedCents } = judged.funds
    most = Math.min(most, fundedCents - usedCents - reservedCents)
  }
  for (const { singleUses } of judged.controls)
    for (const { amount_cents: amount } of singleUses)
      if (amount !== null) most = Math.min(most, amount - judged.chainCents)
  return takesOnly(judged, most) ? Math.max(0, most) : 0
}

/** False if a control of single use requires exactly another amount. */
function takesOnly(judged: Judged, amount: number): boolean {
  for (const { singleUses } of judged.controls)
    for (const { mode, amount_cents: exact } of singleUses)
      if (mode === 'exact' && exact !== null && exact !== judged.chainCents + amount) return false
  return true
}
