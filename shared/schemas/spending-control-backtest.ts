// A backtest of a spending control: what proposed terms would have changed, as its tenant sees it.
import { type Static, Type } from 'typebox'
import { DECLINE_REASON } from './explained.ts'
import { CONTROL_TERMS } from './spending-control.ts'

const BACKTEST_STATES = ['queued', 'running', 'completed', 'failed'] as const
const BACKTEST_FAILURES = ['too_many_entries', 'interrupted'] as const
/** Chosen: days that a backtest may judge. */
export const BACKTEST_DAYS_MAX = 30

const Count = Type.Integer({ minimum: 0 })

const Changed = Type.Object({
  /** Authorization requests. */
  count: Count,
  /** The requested amounts, in the currency of the card. */
  amounts: Type.Array(Type.Object({ currency: Type.String(), amount_cents: Count })),
  /** Why, the most frequent first. */
  decline_reasons: Type.Array(Type.Object({ decline_reason: DECLINE_REASON, count: Count })),
})

export const BacktestResult = Type.Object({
  /** Authorization requests of the period under the control. */
  judged: Count,
  /** How many of them were approved. */
  approved: Count,
  /** How many of them were declined, for whatever reason. */
  declined: Count,
  /** Approved requests that the proposed terms decline, with the reasons they give. */
  would_decline: Changed,
  /**
   * Requests that the control declined and the proposed terms let pass, with the recorded reasons.
   * The rules behind the control, and your endpoint, were never asked about them.
   */
  would_approve: Changed,
  /** Days in UTC that had requests, oldest first. */
  days: Type.Array(
    Type.Object({
      /** Unix seconds of its beginning. */
      day: Type.Integer(),
      judged: Count,
      would_decline: Count,
      would_approve: Count,
    }),
  ),
  /** The first ten of each kind, in the order in which they came. */
  examples: Type.Array(
    Type.Object({
      /** would_decline: it was approved. would_approve: the control declined it. */
      change: Type.Enum(['would_decline', 'would_approve']),
      transaction_id: Type.String(),
      card_id: Type.String(),
      /** Unix seconds of the request. */
      received: Type.Integer(),
      amount_cents: Count,
      currency: Type.String(),
      merchant_name: Type.String(),
      mcc: Type.String(),
      decline_reason: DECLINE_REASON,
      /** The limit or control behind the reason; null where the reason names none. */
      decline_detail: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  /** Recorded messages that were read: those of the period and those that fill its windows. */
  entries: Count,
  /** Messages of transactions that began before the first of them: they count in no window. */
  skipped: Count,
})
export type BacktestResult = Static<typeof BacktestResult>

export const SpendingControlBacktest = Type.Object({
  id: Type.String(),
  object: Type.Literal('spending_control_backtest'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The spending control. */
  spending_control_id: Type.String(),
  /** Unix seconds: requests received at or after this moment are judged. */
  from: Type.Integer(),
  /** Unix seconds: requests received before this moment are judged. */
  to: Type.Integer(),
  /** The terms that are judged: those of the control, with the proposed fields in their place. */
  terms: CONTROL_TERMS,
  /** Queued until those of others are done; a failed one gives its reason. */
  status: Type.Enum([...BACKTEST_STATES]),
  /**
   * too_many_entries: more than 1,000,000 recorded messages. interrupted: its process ended three
   * times. Null where it did not fail.
   */
  failure: Type.Union([Type.Enum([...BACKTEST_FAILURES]), Type.Null()]),
  /** Null until it is completed. */
  result: Type.Union([BacktestResult, Type.Null()]),
  /** The key or the person that asked for it. */
  created_by: Type.String(),
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type SpendingControlBacktest = Static<typeof SpendingControlBacktest>
