// A backtest of a spending control: what proposed terms would have changed, as its tenant sees it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECLINE_REASON } from './explained.ts'
import { CONTROL_TERMS } from './spending-control.ts'

const BACKTEST_STATES = ['queued', 'running', 'completed', 'failed'] as const
const BACKTEST_FAILURES = ['too_many_entries', 'interrupted'] as const
/** Chosen: days that a backtest may judge. */
export const BACKTEST_DAYS_MAX = 30

const Count = Type.Integer({ minimum: 0 })

const Changed = Type.Object({
  count: described(Count, 'Authorization requests.'),
  amounts: described(
    Type.Array(Type.Object({ currency: Type.String(), amount_cents: Count })),
    'The requested amounts, in the currency of the card.',
  ),
  decline_reasons: described(
    Type.Array(Type.Object({ decline_reason: DECLINE_REASON, count: Count })),
    'Why, the most frequent first.',
  ),
})

export const BacktestResult = Type.Object({
  judged: described(Count, 'Authorization requests of the period under the control.'),
  approved: described(Count, 'How many of them were approved.'),
  declined: described(Count, 'How many of them were declined, for whatever reason.'),
  would_decline: described(
    Changed,
    'Approved requests that the proposed terms decline, with the reasons they give.',
  ),
  would_approve: described(
    Changed,
    'Requests that the control declined and the proposed terms let pass, with the recorded reasons. The rules behind the control, and your endpoint, were never asked about them.',
  ),
  days: described(
    Type.Array(
      Type.Object({
        day: described(Type.Integer(), 'Unix seconds of its beginning.'),
        judged: described(Count, 'Authorization requests of the day under the control.'),
        would_decline: described(
          Count,
          'Approved requests of the day that the proposed terms decline.',
        ),
        would_approve: described(
          Count,
          'Declined requests of the day that the proposed terms let pass.',
        ),
      }),
    ),
    'Days in UTC that had requests, oldest first.',
  ),
  examples: described(
    Type.Array(
      Type.Object({
        change: described(
          Type.Enum(['would_decline', 'would_approve']),
          'would_decline: it was approved. would_approve: the control declined it.',
        ),
        transaction_id: Type.String(),
        card_id: Type.String(),
        received: described(Type.Integer(), 'Unix seconds of the request.'),
        amount_cents: Count,
        currency: Type.String(),
        merchant_name: Type.String(),
        mcc: Type.String(),
        decline_reason: DECLINE_REASON,
        decline_detail: described(
          Type.Union([Type.String(), Type.Null()]),
          'The limit or control behind the reason; null where the reason names none.',
        ),
      }),
    ),
    'The first ten of each kind, in the order in which they came.',
  ),
  entries: described(
    Count,
    'Recorded messages that were read: those of the period and those that fill its windows.',
  ),
  skipped: described(
    Count,
    'Messages of transactions that began before the first of them: they count in no window.',
  ),
})
export type BacktestResult = Static<typeof BacktestResult>

export const SpendingControlBacktest = Type.Object({
  id: Type.String(),
  object: Type.Literal('spending_control_backtest'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  spending_control_id: described(Type.String(), 'The spending control.'),
  from: described(
    Type.Integer(),
    'Unix seconds: requests received at or after this moment are judged.',
  ),
  to: described(Type.Integer(), 'Unix seconds: requests received before this moment are judged.'),
  terms: described(
    CONTROL_TERMS,
    'The terms that are judged: those of the control, with the proposed fields in their place.',
  ),
  status: described(
    Type.Enum([...BACKTEST_STATES]),
    'Queued until those of others are done; a failed one gives its reason.',
  ),
  failure: described(
    Type.Union([Type.Enum([...BACKTEST_FAILURES]), Type.Null()]),
    'too_many_entries: more than 1,000,000 recorded messages. interrupted: its process ended three times. Null where it did not fail.',
  ),
  result: described(Type.Union([BacktestResult, Type.Null()]), 'Null until it is completed.'),
  created_by: described(Type.String(), 'The key or the person that asked for it.'),
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type SpendingControlBacktest = Static<typeof SpendingControlBacktest>
