// The shape of a decision in a card transaction, for the reference and for typed clients.
import { Type } from 'typebox'
import {
  DECIDED_BY,
  DECLINE_REASON_OR_NULL,
  RETRY_ADVICE,
  STAND_IN_CAP,
  TENANT_OUTCOME,
} from './explained.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { FRAUD_RULE_NAME } from './program.ts'

const Text = Type.String()
const TextOrNull = Type.Union([Text, Type.Null()])
const Whole = Type.Integer()
const WholeOrNull = Type.Union([Whole, Type.Null()])
const Yes = Type.Boolean()

export const ControlsVersion = Type.Object({ program: Whole, cardholder: Whole, card: Whole })
/** An input of a rule; a value may be of any simple type. */
const Looked = Type.Union([Text, Type.Number(), Yes, Type.Null()])

export const HeadroomShape = Type.Object(
  {
    id: Looked,
    /** The level of the limit: the program’s, the cardholder’s or the card’s. */
    scope: Looked,
    /** rolling slides: its count began at window_start, and no moment resets it. */
    interval: Looked,
    /** The most it allows, in minor units of currency; null where it limits no amount. */
    amount_cents: WholeOrNull,
    /** Used of it before this authorization, in minor units. */
    used_cents: WholeOrNull,
    /** Held of it by authorizations that were not decided yet, in minor units. */
    reserved_cents: WholeOrNull,
    /** The rest of the limit, in minor units. */
    remaining_cents: WholeOrNull,
    currency: Looked,
    /** How many authorizations it allows; null where it counts none. */
    count: WholeOrNull,
    /** Authorizations that were approved before this one. */
    used_count: WholeOrNull,
    /** Authorizations that were not decided yet. */
    reserved_count: WholeOrNull,
    /** How many more it would have allowed. */
    remaining_count: WholeOrNull,
    /** Since when it counts, ISO 8601; null where it counts from the beginning. */
    window_start: MOMENT_OR_NULL,
    /** When it begins anew, ISO 8601; null where it never does. */
    resets_at: MOMENT_OR_NULL,
    time_zone: Looked,
  },
  { title: 'LimitHeadroom' },
)

export const TraceStep = Type.Object(
  {
    /** The rule; /docs lists them all. */
    rule_id: Text,
    /** Which version of the rule looked. */
    rule_version: Whole,
    /** Whether it let the authorization pass. */
    verdict: Type.Enum(['pass', 'fail']),
    /** The inputs of the rule, by name. */
    inputs: Type.Record(Text, Looked),
  },
  { title: 'TraceStep' },
)

export const StandInVerdict = Type.Union([
  Type.Object({ approve: Yes, decline_reason: DECLINE_REASON_OR_NULL }),
  Type.Null(),
])

const WebhookCall = Type.Object({
  /** How the call went. */
  outcome: TENANT_OUTCOME,
  /** The endpoint that was asked; null where there is none. */
  endpoint_id: TextOrNull,
  /** The HTTP status of its answer; null if no answer came. */
  http_status: WholeOrNull,
  /** Until its answer was there, in milliseconds; null where none came. */
  latency_ms: Type.Union([Type.Number(), Type.Null()]),
  /** How often it was called: twice where a reused connection broke. */
  attempts: Whole,
  /** The failure in a few words; null without one. */
  error_hint: TextOrNull,
  decline_reason: TextOrNull,
  approved_amount_cents: WholeOrNull,
  /** Optional fields of the reply that were not usable. */
  dropped_fields: Type.Array(Text),
  /** An answer after the deadline: it changed nothing. */
  late_answer: Type.Union([
    Type.Object({
      /** The answer that came late. */
      outcome: Type.Enum(['late_approve', 'late_decline']),
      /** How long after the call it came, in milliseconds. */
      late_answer_ms: Type.Number(),
      /** True if the reply disagrees with the decision. */
      disagrees: Yes,
    }),
    Type.Null(),
  ]),
})

/** Microseconds of each step; total is from receipt to the journal. */
const TimingsShape = Type.Object({
  /** Reading the message. */
  parse: Type.Number(),
  /** Looking whether it was answered before. */
  recall: Type.Number(),
  /** Reading card, cardholder and program. */
  state_read: Type.Number(),
  /** Judging rules and spending controls. */
  controls: Type.Number(),
  /** Holding the amount. */
  reserve: Type.Number(),
  /** Signing the request to you. */
  sign: Type.Number(),
  /** Connecting to your endpoint. */
  connect: Type.Number(),
  /** Waiting for your answer, with signing and connecting. */
  tenant_wait: Type.Number(),
  /** Concluding, after your answer. */
  finalize: Type.Number(),
  /** From receipt until the decision was written down. */
  total: Type.Number(),
})

export const DecisionShape = Type.Object(
  {
    approved: Yes,
    approved_amount_cents: Whole,
    /** ISO 8583 field 39. */
    response_code: Text,
    authorization_code: TextOrNull,
    decline_reason: DECLINE_REASON_OR_NULL,
    decline_detail: TextOrNull,
    /** The party that decided. */
    decided_by: DECIDED_BY,
    /** When it was decided, ISO 8601. */
    decided_at: MOMENT,
    /** True where stand-in decided, because you were silent. */
    stand_in: Yes,
    /** Why stand-in decided, and which of its caps declined; null where it did not decide. */
    stand_in_detail: Type.Union([
      Type.Object({
        cause: Type.Union([TENANT_OUTCOME, Type.Null()]),
        cap_id: Type.Union([STAND_IN_CAP, Type.Null()]),
      }),
      Type.Null(),
    ]),
    /** The answer that stand-in would have given; null if nobody was to be asked. */
    stand_in_would: StandInVerdict,
    /** The fraud rule that declined. */
    fraud_rule: Type.Union([FRAUD_RULE_NAME, Type.Null()]),
    /** Fraud rules in draft that would have stopped the card. */
    fraud_rules_in_draft: Type.Array(FRAUD_RULE_NAME),
    /** Where the circuit breaker of your endpoint stood; null where you were not to be asked. */
    breaker: Type.Union([Type.Enum(['closed', 'open', 'half_open']), Type.Null()]),
    /** The verdicts of drafts of spending controls. */
    shadow: Type.Array(
      Type.Object({
        control_id: Text,
        version: Whole,
        approve: Yes,
        decline_reason: DECLINE_REASON_OR_NULL,
      }),
    ),
    /** Set for a balance inquiry only. */
    available_amount_cents: WholeOrNull,
    retry_advice: Type.Union([RETRY_ADVICE, Type.Null()]),
    /** How you were asked; null where you were not. */
    webhook: Type.Union([WebhookCall, Type.Null()]),
    /** The versions of everything that was decided by. */
    config: Type.Object({
      controls_version: ControlsVersion,
      card_state_version: Whole,
      cardholder_state_version: Whole,
      program_version: Whole,
      /** The version of the exchange rates; null if nothing was converted. */
      fx_version: WholeOrNull,
      engine_build: Text,
    }),
    /** Every rule that was looked at, in order. */
    trace: Type.Array(TraceStep),
    timings_us: TimingsShape,
  },
  { title: 'TransactionDecision' },
)
