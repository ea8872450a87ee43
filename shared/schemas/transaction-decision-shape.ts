// The shape of a decision in a card transaction, for the reference and for typed clients.
import { Type } from 'typebox'

const Text = Type.String()
const TextOrNull = Type.Union([Text, Type.Null()])
const Whole = Type.Integer()
const WholeOrNull = Type.Union([Whole, Type.Null()])
const Yes = Type.Boolean()

export const ControlsVersion = Type.Object({ program: Whole, cardholder: Whole, card: Whole })
/** What a rule looked at; a value may be of any simple type. */
const Looked = Type.Union([Text, Type.Number(), Yes, Type.Null()])

export const HeadroomShape = Type.Object(
  {
    id: Looked,
    scope: Looked,
    /** rolling slides: what it counts began at window_start, and no moment resets it. */
    interval: Looked,
    amount_cents: WholeOrNull,
    used_cents: WholeOrNull,
    reserved_cents: WholeOrNull,
    remaining_cents: WholeOrNull,
    currency: Looked,
    count: WholeOrNull,
    used_count: WholeOrNull,
    reserved_count: WholeOrNull,
    remaining_count: WholeOrNull,
    window_start: TextOrNull,
    resets_at: TextOrNull,
    time_zone: Looked,
  },
  { title: 'LimitHeadroom' },
)

const TraceStep = Type.Object(
  {
    rule_id: Text,
    rule_version: Whole,
    verdict: Type.Enum(['pass', 'fail']),
    /** What the rule looked at, by name. */
    inputs: Type.Record(Text, Looked),
  },
  { title: 'TraceStep' },
)

export const StandInVerdict = Type.Union([
  Type.Object({ approve: Yes, decline_reason: TextOrNull }),
  Type.Null(),
])

const WebhookCall = Type.Object({
  /** How the call went, for example answered_approve or timeout. */
  outcome: Text,
  endpoint_id: TextOrNull,
  http_status: WholeOrNull,
  latency_ms: Type.Union([Type.Number(), Type.Null()]),
  attempts: Whole,
  error_hint: TextOrNull,
  decline_reason: TextOrNull,
  approved_amount_cents: WholeOrNull,
  /** Optional fields of the reply that were not usable. */
  dropped_fields: Type.Array(Text),
  /** An answer after the deadline: it changed nothing. */
  late_answer: Type.Union([
    Type.Object({
      outcome: Type.Enum(['late_approve', 'late_decline']),
      late_answer_ms: Type.Number(),
      disagrees: Yes,
    }),
    Type.Null(),
  ]),
})

/** Microseconds of each step; total is from receipt to the journal. */
const TimingsShape = Type.Object({
  parse: Type.Number(),
  recall: Type.Number(),
  state_read: Type.Number(),
  controls: Type.Number(),
  reserve: Type.Number(),
  sign: Type.Number(),
  connect: Type.Number(),
  tenant_wait: Type.Number(),
  finalize: Type.Number(),
  total: Type.Number(),
})

export const DecisionShape = Type.Object(
  {
    approved: Yes,
    approved_amount_cents: Whole,
    /** ISO 8583 field 39. */
    response_code: Text,
    authorization_code: TextOrNull,
    decline_reason: TextOrNull,
    decline_detail: TextOrNull,
    decided_by: Text,
    decided_at: Text,
    /** True where stand-in decided, because you were silent. */
    stand_in: Yes,
    stand_in_detail: Type.Union([
      Type.Object({ cause: TextOrNull, cap_id: TextOrNull }),
      Type.Null(),
    ]),
    /** What stand-in would have answered; null where nobody was to be asked. */
    stand_in_would: StandInVerdict,
    /** The fraud rule that declined. */
    fraud_rule: TextOrNull,
    /** Fraud rules in draft that would have stopped the card. */
    fraud_rules_in_draft: Type.Array(Text),
    breaker: TextOrNull,
    /** What drafts of spending controls would have said. */
    shadow: Type.Array(
      Type.Object({ control_id: Text, version: Whole, approve: Yes, decline_reason: TextOrNull }),
    ),
    /** Of a balance inquiry only. */
    available_amount_cents: WholeOrNull,
    retry_advice: TextOrNull,
    /** How you were asked; null where you were not. */
    webhook: Type.Union([WebhookCall, Type.Null()]),
    /** The versions of everything that was decided by. */
    config: Type.Object({
      controls_version: ControlsVersion,
      card_state_version: Whole,
      cardholder_state_version: Whole,
      program_version: Whole,
      fx_version: WholeOrNull,
      engine_build: Text,
    }),
    /** Every rule that was looked at, in order. */
    trace: Type.Array(TraceStep),
    timings_us: TimingsShape,
  },
  { title: 'TransactionDecision' },
)
