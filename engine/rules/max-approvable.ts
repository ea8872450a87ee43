// How much could be approved now: what every limit leaves, and what every window can count. Other rules do not look at amounts,
// but for those of single use.
import { AMOUNT_MAX } from '../../shared/money.ts'
import { addedCount, type Judged } from './rule.ts'

/**
 * The largest amount in minor units of the card's currency that the controls would approve now for this message, whatever
 * amount it asks for: 0 where a limit is used up, AMOUNT_MAX less what is counted where there is none. Caps of stand-in are
 * left out, and so are rules that no amount satisfies.
 */
export function maxApprovable(judged: Judged): number {
  let most = AMOUNT_MAX - judged.largestCounted
  // A question that adds no authorization is asked by no limit of their number.
  const counted = addedCount({ message: judged.message, cardAmountCents: AMOUNT_MAX })
  for (const { limit, used, reserved, usedCount, reservedCount } of judged.limits) {
    if (limit.amount_cents !== null) {
      const chain = limit.interval === 'per_authorization' ? judged.chainCents : 0
      most = Math.min(most, limit.amount_cents - used - reserved - chain)
    }
    if (limit.count !== null && usedCount + reservedCount + counted > limit.count) return 0
  }
  for (const { singleUses } of judged.controls)
    for (const { amount_cents: amount } of singleUses)
      if (amount !== null) most = Math.min(most, amount - judged.chainCents)
  return takesOnly(judged, most) ? Math.max(0, most) : 0
}

/** False where a control of single use takes exactly another amount. */
function takesOnly(judged: Judged, amount: number): boolean {
  for (const { singleUses } of judged.controls)
    for (const { mode, amount_cents: exact } of singleUses)
      if (mode === 'exact' && exact !== null && exact !== judged.chainCents + amount) return false
  return true
}
