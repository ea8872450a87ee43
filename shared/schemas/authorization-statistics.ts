// Counts of a tenant's authorization requests, step by step: approvals, reasons, answer times.
import { type Static, Type } from 'typebox'
import { DECLINE_REASONS, type DeclineReason } from '../decline-reason.ts'

const Count = Type.Integer({ minimum: 0 })
/** A share from 0 to 1, to four decimals; null of nothing. */
const Share = Type.Union([Type.Number(), Type.Null()])
const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

export const STATISTICS_STEPS = ['minute', 'hour', 'day'] as const
export type StatisticsStep = (typeof STATISTICS_STEPS)[number]

const SUMS = {
  /** Authorization requests about cards, whoever decided them. */
  requests: Count,
  /** Requests that were approved, in full or in part. */
  approved: Count,
  /** Requests that were declined. */
  declined: Count,
  /** The share of the requests that was approved; null without requests. */
  approval_share: Share,
  /** The same by amount, for each currency of the cards. */
  amounts: Type.Array(
    Type.Object({
      currency: Type.String(),
      /** Requested, in minor units of the currency; at most 2^53 - 1. */
      requested_cents: Count,
      /** Approved, in minor units of the currency; at most 2^53 - 1. */
      approved_cents: Count,
      /** The share of the requested amount that was approved; null where nothing was requested. */
      approval_share: Share,
    }),
  ),
  /** Declined requests by reason, the most frequent first. */
  reasons: Type.Array(
    Type.Object({
      /** The decline reason. */
      reason: Type.Enum(Object.keys(DECLINE_REASONS) as DeclineReason[]),
      /** Whether the same request may get another answer, and when. */
      retry_advice: Type.Enum(['never', 'later', 'fix_data', 'authenticate']),
      /** Requests declined for it. */
      requests: Count,
    }),
  ),
  /** Requests by who decided them, the most frequent first. */
  decided_by: Type.Array(
    Type.Object({
      /** Decider: your endpoint, your controls, stand-in, or the system. */
      decided_by: Type.Enum([
        'static_controls',
        'tenant',
        'stand_in',
        'system',
        'network',
        'sponsor_bank',
      ]),
      /** Requests decided so. */
      requests: Count,
      /** Those that were approved among them. */
      approved: Count,
    }),
  ),
  /** The answers of your endpoint to the requests it was sent. */
  answers: Type.Object({
    /** Requests that were sent to your endpoint. */
    asked: Count,
    /** Those that it answered in time. */
    answered: Count,
    /** The share of the sent requests answered in less than 300 ms; null where none was sent. */
    under_300_ms_share: Share,
    /** The same in less than 800 ms. */
    under_800_ms_share: Share,
    /** The same in less than 1,500 ms. */
    under_1500_ms_share: Share,
    /** Time of the answers in time, estimated within the bounds that are counted. */
    answer_ms: Type.Object({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
  }),
  /** Requests that stand-in decided. */
  stand_in: Type.Object({ approved: Count, declined: Count }),
  /** Replies after the deadline, by the moment of the reply. */
  late_answers: Type.Object({
    /** Those that wanted to approve. */
    approved: Count,
    /** Those that wanted to decline. */
    declined: Count,
  }),
}

export const AuthorizationSums = Type.Object(SUMS)
export type AuthorizationSums = Static<typeof AuthorizationSums>

export const AuthorizationStatistics = Type.Object({
  object: Type.Literal('authorization_statistics'),
  livemode: Type.Boolean(),
  /** Begin of the first step, in Unix seconds of your clock. */
  from: Type.Integer(),
  /** End of the last step, in Unix seconds of your clock. */
  to: Type.Integer(),
  /** Length of a step; days begin at 00:00 UTC. */
  step: Type.Enum([...STATISTICS_STEPS]),
  /** All steps together. */
  total: AuthorizationSums,
  /** Every step, oldest first; steps without requests too. */
  steps: Type.Array(
    Type.Object({
      /** Begin of the step, in Unix seconds. */
      at: Type.Integer(),
      ...SUMS,
    }),
  ),
})
export type AuthorizationStatistics = Static<typeof AuthorizationStatistics>
