// The shape of a decision in a card transaction, for the reference and for typed clients.
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
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
    scope: described(
      Looked,
      'The level of the limit: the program’s, the cardholder’s or the card’s.',
    ),
    interval: described(
      Looked,
      'Rolling slides: its count began at window_start, and no moment resets it.',
    ),
    amount_cents: described(
      WholeOrNull,
      'The most it allows, in minor units of currency; null where it limits no amount.',
    ),
    used_cents: described(WholeOrNull, 'Used of it before this authorization, in minor units.'),
    reserved_cents: described(
      WholeOrNull,
      'Held of it by authorizations that were not decided yet, in minor units.',
    ),
    remaining_cents: described(WholeOrNull, 'The rest of the limit, in minor units.'),
    currency: Looked,
    count: described(WholeOrNull, 'How many authorizations it allows; null where it counts none.'),
    used_count: described(WholeOrNull, 'Authorizations that were approved before this one.'),
    reserved_count: described(WholeOrNull, 'Authorizations that were not decided yet.'),
    remaining_count: described(WholeOrNull, 'How many more it would have allowed.'),
    window_start: described(
      MOMENT_OR_NULL,
      'Since when it counts, ISO 8601; null where it counts from the beginning.',
    ),
    resets_at: described(
      MOMENT_OR_NULL,
      'When it begins anew, ISO 8601; null where it never does.',
    ),
    time_zone: Looked,
  },
  { title: 'LimitHeadroom' },
)

export const TraceStep = Type.Object(
  {
    rule_id: described(Text, 'The rule; /docs lists them all.'),
    rule_version: described(Whole, 'Which version of the rule looked.'),
    verdict: described(Type.Enum(['pass', 'fail']), 'Whether it let the authorization pass.'),
    inputs: described(Type.Record(Text, Looked), 'The inputs of the rule, by name.'),
  },
  { title: 'TraceStep' },
)

export const StandInVerdict = Type.Union([
  Type.Object({ approve: Yes, decline_reason: DECLINE_REASON_OR_NULL }),
  Type.Null(),
])

const WebhookCall = Type.Object({
  outcome: described(TENANT_OUTCOME, 'How the call went.'),
  endpoint_id: described(TextOrNull, 'The endpoint that was asked; null where there is none.'),
  http_status: described(WholeOrNull, 'The HTTP status of its answer; null if no answer came.'),
  latency_ms: described(
    Type.Union([Type.Number(), Type.Null()]),
    'Until its answer was there, in milliseconds; null where none came.',
  ),
  attempts: described(Whole, 'How often it was called: twice where a reused connection broke.'),
  error_hint: described(TextOrNull, 'The failure in a few words; null without one.'),
  decline_reason: TextOrNull,
  approved_amount_cents: WholeOrNull,
  dropped_fields: described(Type.Array(Text), 'Optional fields of the reply that were not usable.'),
  late_answer: described(
    Type.Union([
      Type.Object({
        outcome: described(
          Type.Enum(['late_approve', 'late_decline']),
          'The answer that came late.',
        ),
        late_answer_ms: described(
          Type.Number(),
          'How long after the call it came, in milliseconds.',
        ),
        disagrees: described(Yes, 'True if the reply disagrees with the decision.'),
      }),
      Type.Null(),
    ]),
    'An answer after the deadline: it changed nothing.',
  ),
})

/** Microseconds of each step; total is from receipt to the journal. */
const TimingsShape = Type.Object({
  parse: described(Type.Number(), 'Reading the message.'),
  recall: described(Type.Number(), 'Looking whether it was answered before.'),
  state_read: described(Type.Number(), 'Reading card, cardholder and program.'),
  controls: described(Type.Number(), 'Judging rules and spending controls.'),
  reserve: described(Type.Number(), 'Holding the amount.'),
  sign: described(Type.Number(), 'Signing the request to you.'),
  connect: described(Type.Number(), 'Connecting to your endpoint.'),
  tenant_wait: described(Type.Number(), 'Waiting for your answer, with signing and connecting.'),
  finalize: described(Type.Number(), 'Concluding, after your answer.'),
  total: described(Type.Number(), 'From receipt until the decision was written down.'),
})

export const DecisionShape = Type.Object(
  {
    approved: Yes,
    approved_amount_cents: Whole,
    response_code: described(Text, 'ISO 8583 field 39.'),
    authorization_code: TextOrNull,
    decline_reason: DECLINE_REASON_OR_NULL,
    decline_detail: TextOrNull,
    decided_by: described(DECIDED_BY, 'The party that decided.'),
    decided_at: described(MOMENT, 'When it was decided, ISO 8601.'),
    stand_in: described(Yes, 'True where stand-in decided, because you were silent.'),
    stand_in_detail: described(
      Type.Union([
        Type.Object({
          cause: Type.Union([TENANT_OUTCOME, Type.Null()]),
          cap_id: Type.Union([STAND_IN_CAP, Type.Null()]),
        }),
        Type.Null(),
      ]),
      'Why stand-in decided, and which of its caps declined; null where it did not decide.',
    ),
    stand_in_would: described(
      StandInVerdict,
      'The answer that stand-in would have given; null if nobody was to be asked.',
    ),
    fraud_rule: described(
      Type.Union([FRAUD_RULE_NAME, Type.Null()]),
      'The fraud rule that declined.',
    ),
    fraud_rules_in_draft: described(
      Type.Array(FRAUD_RULE_NAME),
      'Fraud rules in draft that would have stopped the card.',
    ),
    breaker: described(
      Type.Union([Type.Enum(['closed', 'open', 'half_open']), Type.Null()]),
      'Where the circuit breaker of your endpoint stood; null where you were not to be asked.',
    ),
    shadow: described(
      Type.Array(
        Type.Object({
          control_id: Text,
          version: Whole,
          approve: Yes,
          decline_reason: DECLINE_REASON_OR_NULL,
        }),
      ),
      'The verdicts of drafts of spending controls.',
    ),
    available_amount_cents: described(WholeOrNull, 'Set for a balance inquiry only.'),
    retry_advice: Type.Union([RETRY_ADVICE, Type.Null()]),
    webhook: described(
      Type.Union([WebhookCall, Type.Null()]),
      'How you were asked; null where you were not.',
    ),
    config: described(
      Type.Object({
        controls_version: ControlsVersion,
        card_state_version: Whole,
        cardholder_state_version: Whole,
        program_version: Whole,
        fx_version: described(
          WholeOrNull,
          'The version of the exchange rates; null if nothing was converted.',
        ),
        engine_build: Text,
      }),
      'The versions of everything that was decided by.',
    ),
    trace: described(Type.Array(TraceStep), 'Every rule that was looked at, in order.'),
    timings_us: TimingsShape,
  },
  { title: 'TransactionDecision' },
)
