// The results of stand-in, real and hypothetical, over the authorization requests to tenants.
import { type Static, Type } from 'typebox'

const Count = Type.Integer({ minimum: 0 })
/** A share from 0 to 1, to four decimals; null of nothing. */
const Rate = Type.Union([Type.Number(), Type.Null()])

export const StandInReport = Type.Object({
  object: Type.Literal('stand_in_report'),
  /** Authorization requests on which stand-in has a verdict, whoever decided them. */
  questions: Count,
  /** How they went, by `webhook.outcome`. */
  outcomes: Type.Record(Type.String(), Count),
  /** Decided by stand-in. */
  decided: Type.Object({ approved: Count, declined: Count }),
  /**
   * The verdicts of stand-in beside the tenant's, for requests that the tenant answered in time.
   */
  compared: Type.Object({
    /** Both would have approved. */
    both_approve: Count,
    /** Both would have declined. */
    both_decline: Count,
    /** Stand-in would have approved a request that the tenant declined. */
    only_stand_in_approves: Count,
    /** The tenant approved a request that stand-in would have declined. */
    only_tenant_approves: Count,
  }),
  /** The share of the tenant's declines that stand-in would have approved. */
  false_approve_rate: Rate,
  /** The share of the tenant's approvals that stand-in would have declined. */
  false_decline_rate: Rate,
  /** Answers after the deadline, and how many of them disagreed with the decision. */
  late: Type.Object({ approved: Count, declined: Count, disagreed: Count }),
})
export type StandInReport = Static<typeof StandInReport>

/** Chosen: transactions that one call acknowledges. */
export const ACKNOWLEDGED_MAX = 100

export const StandInAcknowledgement = Type.Object({
  object: Type.Literal('stand_in_acknowledgement'),
  livemode: Type.Boolean(),
  /** The transactions, each with every decision of stand-in until now. */
  transaction_ids: Type.Array(Type.String()),
})
export type StandInAcknowledgement = Static<typeof StandInAcknowledgement>
