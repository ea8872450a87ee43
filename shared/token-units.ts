// Units of the settlement token (6 decimals) are made here alone: 1 USD is 1 token by policy, and a
// cent is 10,000 units.

const UNITS_PER_CENT = 10_000n

declare const tokenUnitsBrand: unique symbol
/** Units of the token, 10^-6 of it; never negative. */
export type TokenUnits = bigint & { readonly [tokenUnitsBrand]: true }

/** The exact units of an amount in cents, a safe integer from 0 on. Throws RangeError otherwise. */
export function unitsOfCents(cents: number): TokenUnits {
  if (!Number.isSafeInteger(cents) || cents < 0) throw new RangeError('not an amount: ' + cents)
  return (BigInt(cents) * UNITS_PER_CENT) as TokenUnits
}

/**
 * Whole cents of an amount on the chain, rounded down; less than a cent stays unspendable. Throws
 * RangeError for a negative amount and one beyond a safe integer of cents.
 */
export function centsOfUnits(units: bigint): number {
  const cents = units / UNITS_PER_CENT
  if (units < 0n || cents > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError('not an amount of the token: ' + units)
  return Number(cents)
}
