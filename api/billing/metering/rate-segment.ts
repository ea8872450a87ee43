// Rates the usage of a segment: its allowance is the share of the month's that belongs to it.
import type { Meter } from '../catalogue/index.ts'
import { type Period, period } from '../periods.ts'
import { segmentShare } from '../prorate.ts'
import { usageCents } from '../rate.ts'
import type { SegmentRow } from './segment-store.ts'

export interface RatedUsage {
  /** Units that the base price contains. */
  included: number
  /** Units above. */
  over: number
  amountCents: number
}

type Priced = Pick<SegmentRow, 'month' | 'fromAt' | 'untilAt' | 'terms'>

/** `anchor` of the periods, in tenant time. A trial costs nothing. */
export function rateSegment(
  segment: Priced,
  { anchor, meter, quantity }: { anchor: number | null; meter: Meter; quantity: number },
): RatedUsage {
  const { included: whole, perThousandCents } = segment.terms.meters[meter]
  if (segment.month === null || anchor === null)
    return { included: whole, over: Math.max(0, quantity - whole), amountCents: 0 }
  const included = allowance(whole, segment, period(anchor, segment.month, 1))
  const price = { included, perThousandCents: BigInt(perThousandCents) }
  const amountCents = Number(usageCents(BigInt(quantity), price))
  const over = Math.max(0, quantity - Number(included))
  return { included: Number(included), over, amountCents }
}

function allowance(whole: number, { fromAt, untilAt }: Priced, month: Period): bigint {
  return segmentShare(BigInt(whole), {
    fromMs: fromAt - month.from,
    untilMs: untilAt - month.from,
    widthMs: month.until - month.from,
  })
}
