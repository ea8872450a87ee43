// The results of stand-in, real and hypothetical, over the authorization requests to tenants.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const Count = Type.Integer({ minimum: 0 })
/** A share from 0 to 1, to four decimals; null of nothing. */
const Rate = Type.Union([Type.Number(), Type.Null()])

export const StandInReport = Type.Object({
  object: Type.Literal('stand_in_report'),
  questions: described(
    Count,
    'Authorization requests on which stand-in has a verdict, whoever decided them.',
  ),
  outcomes: described(Type.Record(Type.String(), Count), 'How they went, by webhook.outcome.'),
  decided: described(Type.Object({ approved: Count, declined: Count }), 'Decided by stand-in.'),
  compared: described(
    Type.Object({
      both_approve: described(Count, 'Both would have approved.'),
      both_decline: described(Count, 'Both would have declined.'),
      only_stand_in_approves: described(
        Count,
        'Stand-in would have approved a request that the tenant declined.',
      ),
      only_tenant_approves: described(
        Count,
        'The tenant approved a request that stand-in would have declined.',
      ),
    }),
    "The verdicts of stand-in beside the tenant's, for requests that the tenant answered in time.",
  ),
  false_approve_rate: described(
    Rate,
    "The share of the tenant's declines that stand-in would have approved.",
  ),
  false_decline_rate: described(
    Rate,
    "The share of the tenant's approvals that stand-in would have declined.",
  ),
  late: described(
    Type.Object({ approved: Count, declined: Count, disagreed: Count }),
    'Answers after the deadline, and how many of them disagreed with the decision.',
  ),
})
export type StandInReport = Static<typeof StandInReport>

/** Chosen: transactions that one call acknowledges. */
export const ACKNOWLEDGED_MAX = 100

export const StandInAcknowledgement = Type.Object({
  object: Type.Literal('stand_in_acknowledgement'),
  livemode: Type.Boolean(),
  transaction_ids: described(
    Type.Array(Type.String()),
    'The transactions, each with every decision of stand-in until now.',
  ),
})
export type StandInAcknowledgement = Static<typeof StandInAcknowledgement>
