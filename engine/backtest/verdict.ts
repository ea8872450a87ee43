// The verdict of a proposed control on one recorded authorization request.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { BacktestChange } from '../../shared/wire/backtest.ts'
import type { DecisionEntry, MeterKey } from '../../shared/wire/journal-entry.ts'

/** The proposal's verdict, and the windows in which an approval counts for it. */
export interface Objection {
  /** Null: no objection. */
  reason: DeclineReason | null
  /** The control or limit that objects, `card:lim_…`. */
  detail: string | null
  keys: readonly MeterKey[]
}

export interface Verdict extends Pick<Objection, 'reason' | 'detail'> {
  entry: DecisionEntry
  /** Null: the answer stays as recorded. */
  change: BacktestChange | null
}
