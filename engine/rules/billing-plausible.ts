// Compares the network's billing amount in another currency with the amount by our own rate, if we
// have one, and declines when they differ by more than the tolerance.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.billing_plausible
const BPS = 10_000n

/**
 * True where the billing amount is within the tolerance, in hundredths of a percent of the expected
 * amount. Chosen: one minor unit more or less is rounding.
 */
export function isBillingTolerable(
  billed: number,
  expected: number,
  toleranceBps: number,
): boolean {
  const apart = BigInt(Math.abs(billed - expected))
  return (apart - 1n) * BPS <= BigInt(expected) * BigInt(toleranceBps)
}

export const billingPlausible: Rule = {
  id: 'billing_plausible',
  judge({ billing, card, message }, trace) {
    if (billing === null) return null
    const { billed, expected, toleranceBps, action } = billing
    return recordRow(
      billingPlausible,
      [NUMBER, VERSION, 0, card.currency, message.currency, billed, expected, toleranceBps, action],
      trace,
    )
  },
  decide(row) {
    const [billed, expected, toleranceBps] = [row[5], row[6], row[7]] as [number, number, number]
    if (row[8] !== 'decline') return null
    return isBillingTolerable(billed, expected, toleranceBps) ? null : 'billing_amount_mismatch'
  },
}
