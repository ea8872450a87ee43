// Counts of a tenant's authorization requests, step by step: approvals, reasons, answer times.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECIDED_BY, DECLINE_REASON, RETRY_ADVICE } from './explained.ts'

const Count = Type.Integer({ minimum: 0 })
/** A share from 0 to 1, to four decimals; null of nothing. */
const Share = Type.Union([Type.Number(), Type.Null()])
const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

export const STATISTICS_STEPS = ['minute', 'hour', 'day'] as const
export type StatisticsStep = (typeof STATISTICS_STEPS)[number]

const SUMS = {
  requests: described(Count, 'Authorization requests about cards, whoever decided them.'),
  approved: described(Count, 'Requests that were approved, in full or in part.'),
  declined: described(Count, 'Requests that were declined.'),
  approval_share: described(
    Share,
    'The share of the requests that was approved; null without requests.',
  ),
  amounts: described(
    Type.Array(
      Type.Object({
        currency: Type.String(),
        requested_cents: described(
          Count,
          'Requested, in minor units of the currency; at most 2^53 - 1.',
        ),
        approved_cents: described(
          Count,
          'Approved, in minor units of the currency; at most 2^53 - 1.',
        ),
        approval_share: described(
          Share,
          'The share of the requested amount that was approved; null where nothing was requested.',
        ),
      }),
    ),
    'The same by amount, for each currency of the cards.',
  ),
  reasons: described(
    Type.Array(
      Type.Object({
        reason: described(DECLINE_REASON, 'The decline reason.'),
        retry_advice: described(
          RETRY_ADVICE,
          'Whether the same request may get another answer, and when.',
        ),
        requests: described(Count, 'Requests declined for it.'),
      }),
    ),
    'Declined requests by reason, the most frequent first.',
  ),
  decided_by: described(
    Type.Array(
      Type.Object({
        decided_by: described(
          DECIDED_BY,
          'Decider: your endpoint, your controls, stand-in, or the system.',
        ),
        requests: described(Count, 'Requests decided so.'),
        approved: described(Count, 'Those that were approved among them.'),
      }),
    ),
    'Requests by who decided them, the most frequent first.',
  ),
  answers: described(
    Type.Object({
      asked: described(Count, 'Requests that were sent to your endpoint.'),
      answered: described(Count, 'Those that it answered in time.'),
      under_300_ms_share: described(
        Share,
        'The share of the sent requests answered in less than 300 ms; null where none was sent.',
      ),
      under_800_ms_share: described(Share, 'The same in less than 800 ms.'),
      under_1500_ms_share: described(Share, 'The same in less than 1,500 ms.'),
      answer_ms: described(
        Type.Object({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
        'Time of the answers in time, estimated within the bounds that are counted.',
      ),
    }),
    'The answers of your endpoint to the requests it was sent.',
  ),
  stand_in: described(
    Type.Object({
      approved: described(Count, 'Requests that stand-in approved.'),
      declined: described(Count, 'Requests that stand-in declined.'),
    }),
    'Requests that stand-in decided.',
  ),
  late_answers: described(
    Type.Object({
      approved: described(Count, 'Those that wanted to approve.'),
      declined: described(Count, 'Those that wanted to decline.'),
    }),
    'Replies after the deadline, by the moment of the reply.',
  ),
}

export const AuthorizationSums = Type.Object(SUMS)
export type AuthorizationSums = Static<typeof AuthorizationSums>

export const AuthorizationStatistics = Type.Object({
  object: Type.Literal('authorization_statistics'),
  livemode: Type.Boolean(),
  from: described(Type.Integer(), 'Begin of the first step, in Unix seconds of your clock.'),
  to: described(Type.Integer(), 'End of the last step, in Unix seconds of your clock.'),
  step: described(Type.Enum([...STATISTICS_STEPS]), 'Length of a step; days begin at 00:00 UTC.'),
  total: described(AuthorizationSums, 'All steps together.'),
  steps: described(
    Type.Array(
      Type.Object({
        at: described(Type.Integer(), 'Begin of the step, in Unix seconds.'),
        ...SUMS,
      }),
    ),
    'Every step, oldest first; steps without requests too.',
  ),
})
export type AuthorizationStatistics = Static<typeof AuthorizationStatistics>
