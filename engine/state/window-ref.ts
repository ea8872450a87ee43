// The windows in which a transaction counts, and its approved amount in another currency.

/**
 * One window set of an amount: the meter's number and the local day, or the moment of a rolling
 * window.
 */
export interface WindowRef {
  meter: number
  day: number
}

/** Minor units of a currency. */
export interface Money {
  cents: number
  currency: string
}

/** An increment of a later day, which counts in windows of its own. */
export interface Portion {
  places: readonly WindowRef[]
  amount: number
}
