// The price of usage, and the settling of an invoice with the credit of its subscription.

/** Cents for units over the allowance, a half rounded up. Once per segment and meter. */
function overageCents(over: bigint, perThousandCents: bigint): bigint {
  return (2n * over * perThousandCents + 1000n) / 2000n
}

/** Cents for a quantity with an allowance. */
export function usageCents(
  quantity: bigint,
  { included, perThousandCents }: { included: bigint; perThousandCents: bigint },
): bigint {
  const over = quantity > included ? quantity - included : 0n
  return overageCents(over, perThousandCents)
}

/** Chosen: Stripe collects no smaller total. In cents of either currency. */
const TOTAL_CENTS_MIN = 50n

export interface Settled {
  /** Amount of the credit line: what the credit changes in the sum. 0: no line. */
  creditLine: bigint
  /** Total of the invoice; never negative. */
  total: bigint
  /** Credit of the subscription afterwards; negative where a small total is carried on. */
  credit: bigint
}

/**
 * Settles the sum of an invoice's lines with the credit. A negative total becomes credit, and a
 * total below the minimum is carried on as negative credit. A final invoice carries nothing on: a
 * small total is waived, and credit that is left is never paid out.
 */
export function settle(sum: bigint, credit: bigint, { isFinal }: { isFinal: boolean }): Settled {
  const owed = sum - credit
  if (owed >= TOTAL_CENTS_MIN) return { creditLine: -credit, total: owed, credit: 0n }
  const isWaived = isFinal && owed > 0n
  return { creditLine: -sum, total: 0n, credit: isWaived ? 0n : -owed }
}
