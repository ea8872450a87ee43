// Estimates an undisturbed cost. Other processes only ever add to the cost of a round, so the
// cheapest rounds say most. The single cheapest round may be an accident, so a tenth of them
// counts.
import { median, rounded } from '../figures.ts'

const PART = 0.1

/** The median of the cheapest tenth, at least of one round. */
export function undisturbed(costs: readonly number[]): number {
  const sorted = costs.toSorted((one, two) => one - two)
  return rounded(median(sorted.slice(0, Math.max(1, Math.ceil(sorted.length * PART)))))
}
