// Shares of a price or an allowance over time, cut by cumulative rounding: however often a period
// is cut, its parts add up to the whole. All sums are BigInt, all times integers in milliseconds.
import { assert } from '../../shared/assert.ts'

/** A whole period, in milliseconds. */
interface Whole {
  widthMs: number
}

/**
 * `amount * atMs / widthMs`, a half rounded up: the share of the whole that the first `atMs`
 * milliseconds of a period have. `amount` is not negative.
 */
export function share(amount: bigint, atMs: number, widthMs: number): bigint {
  assert(0 <= atMs && atMs <= widthMs && widthMs > 0, 'a share lies within its period')
  const width = BigInt(widthMs)
  return (2n * amount * BigInt(atMs) + width) / (2n * width)
}

/** The part of `amount` that belongs to the stretch from `fromMs` to `untilMs` of a period. */
export function segmentShare(
  amount: bigint,
  { fromMs, untilMs, widthMs }: Whole & { fromMs: number; untilMs: number },
): bigint {
  assert(fromMs <= untilMs, 'a segment does not end before it begins')
  return share(amount, untilMs, widthMs) - share(amount, fromMs, widthMs)
}

/** Cents of a change of the base price at `atMs` of a period; the credit is never positive. */
export interface ChangeAmounts {
  credit: bigint
  debit: bigint
  net: bigint
}

/** Takes back the rest of the old price and charges the rest of the new one. */
export function changeAmounts(
  { oldCents, newCents }: { oldCents: bigint; newCents: bigint },
  { atMs, widthMs }: Whole & { atMs: number },
): ChangeAmounts {
  const rest = { fromMs: atMs, untilMs: widthMs, widthMs }
  const credit = -segmentShare(oldCents, rest)
  const debit = segmentShare(newCents, rest)
  return { credit, debit, net: credit + debit }
}
