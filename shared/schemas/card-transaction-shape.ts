// The shape of a card transaction and of its messages, for the reference and for typed clients. The drain stores them as text,
// so nothing is written by this; a test holds what is stored against it.
import { Type } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { TRANSACTION_STATUSES } from '../transaction-sums.ts'
import { DISPUTE_OUTCOMES, DISPUTE_STATUSES } from './dispute.ts'
import { ENTRY_METHODS, MESSAGE_KINDS } from './network-message.ts'
import {
  ControlsVersion,
  DecisionShape,
  HeadroomShape,
  StandInVerdict,
} from './transaction-decision-shape.ts'

const Text = Type.String()
const TextOrNull = Type.Union([Text, Type.Null()])
const Whole = Type.Integer()
const WholeOrNull = Type.Union([Whole, Type.Null()])
const Yes = Type.Boolean()

const Money = Type.Object(
  {
    /** A whole number of the currency's smallest unit. */
    amount: Whole,
    currency: Text,
    /** How many decimals the currency has. */
    exponent: Whole,
  },
  { title: 'Money' },
)

/** What the messages came to, in the card's currency. */
const TransactionSums = Type.Object(
  {
    /** Approved by the first authorization, or by the network in our place. */
    authorized_cents: Whole,
    /** Approved increments. */
    incremented_cents: Whole,
    /** What the hold was raised or lowered beyond what was approved. */
    adjusted_cents: Whole,
    /** Given back before capture. */
    reversed_cents: Whole,
    /** Given back because the hold ran out. */
    expired_cents: Whole,
    /** What a final capture left of the hold. */
    released_cents: Whole,
    captured_cents: Whole,
    capture_reversed_cents: Whole,
    refunded_cents: Whole,
    refund_reversed_cents: Whole,
    /** What is held now. */
    open_hold_cents: Whole,
  },
  { title: 'TransactionSums' },
)

const Conversion = Type.Union([
  Type.Object({ rate: Text, source: Text, rate_at: TextOrNull, markup_bps: Whole }),
  Type.Null(),
])

const NetworkMessageShape = Type.Object({
  id: Text,
  kind: Type.Enum([...MESSAGE_KINDS]),
  /** Its type in ISO 8583. */
  mti: Text,
  is_repeat: Yes,
  is_advice: Yes,
  is_final: Yes,
  network: Text,
  network_transaction_id: Text,
  original_network_transaction_id: Text,
  transmitted_at: Text,
})

const MOMENT = {
  id: Text,
  sequence: Whole,
  message_id: TextOrNull,
  amount_cents: Whole,
  created: Whole,
  flags: Type.Array(Text),
}
const REVERSAL = {
  stage: Type.Enum(['post_capture', 'pre_capture']),
  cause: Type.Enum(['expiry', 'merchant']),
  /** True where the transaction goes on with what is left. */
  partial: Yes,
}

export const CardTransactionShape = Type.Object({
  id: Text,
  object: Type.Literal('card_transaction'),
  created: Whole,
  /** Counts what happened to the transaction, from 1. */
  sequence: Whole,
  livemode: Yes,
  status: Type.Enum([...TRANSACTION_STATUSES, 'pending']),
  direction: Type.Enum(['credit', 'debit']),
  /** What the latest question asked for, in minor units of the card's currency. */
  amount_cents: Whole,
  approved_amount_cents: WholeOrNull,
  currency: Text,
  decline_reason: TextOrNull,
  flags: Type.Array(Text),
  sums: TransactionSums,
  /** When the open hold ends; null where none is open. */
  hold_expires_at: TextOrNull,
  /** The transaction this one is about, where the engine no longer knew it. */
  original_transaction_id: TextOrNull,
  authorization_request: Type.Object({
    id: Text,
    kind: Type.Enum([...AUTHORIZATION_KINDS]),
    attempt: Whole,
    /** By then your answer has to be here. */
    deadline_at: Text,
    budget_ms: Whole,
  }),
  /** What the network sent, without the money. */
  message: NetworkMessageShape,
  amounts: Type.Object({
    merchant: Money,
    cardholder: Money,
    requested_delta: Money,
    /** What all questions so far asked for, this one included. */
    cumulative: Money,
    hold: Money,
    /** What the network was answered, in its own currency. */
    approved: Type.Union([Money, Type.Null()]),
    settlement: Type.Union([Money, Type.Null()]),
    fx: Conversion,
    components: Type.Object({ cashback: Money, fee: Money }),
  }),
  partial_approval_capable: Yes,
  merchant: Type.Object({ id: Text, name: Text, mcc: Text, city: Text, country: Text }),
  entry: Type.Object({
    method: Type.Enum([...ENTRY_METHODS]),
    card_present: Yes,
    initiator: Type.Enum(['cardholder', 'merchant']),
    recurring: Yes,
    wallet: TextOrNull,
    token_id: TextOrNull,
    fallback_from_chip: Yes,
  }),
  verification: Type.Object({
    cvc: TextOrNull,
    expiry: TextOrNull,
    pin: TextOrNull,
    three_ds: Type.Object({ result: TextOrNull, transaction_id: TextOrNull, claim: TextOrNull }),
    wallet_token: TextOrNull,
  }),
  program: Type.Object({ id: Text, state_version: Whole }),
  cardholder: Type.Object({ id: Text, status: Text, state_version: Whole }),
  card: Type.Object({
    id: Text,
    last4: Text,
    type: Type.Enum(['virtual', 'physical']),
    status: Text,
    state_version: Whole,
  }),
  controls_snapshot: Type.Object({
    controls_version: ControlsVersion,
    /** Headroom of every limit that was judged, in order: up to the one that declined. */
    limits: Type.Array(HeadroomShape),
  }),
  /** What would be answered without you; null where nobody is asked. */
  preliminary: Type.Union([
    Type.Object({
      would_approve: Yes,
      would_decline_reason: Type.Null(),
      stand_in_would: StandInVerdict,
    }),
    Type.Null(),
  ]),
  /** The latest decision; null while you are asked. */
  decision: Type.Union([DecisionShape, Type.Null()]),
  increments: Type.Array(Type.Object({ ...MOMENT, approved: Yes, decline_reason: TextOrNull })),
  /** Final amounts that the network told of an authorization; below 0 where the hold became smaller. */
  adjustments: Type.Array(Type.Object(MOMENT)),
  captures: Type.Array(Type.Object(MOMENT)),
  /** Refunds, and with reversed those that were taken back. */
  refunds: Type.Array(Type.Object({ ...MOMENT, reversed: Yes })),
  reversals: Type.Array(Type.Object({ ...MOMENT, ...REVERSAL })),
  /** The latest of reversals. */
  reversal: Type.Union([Type.Object(REVERSAL), Type.Null()]),
  /** The latest ones. */
  disputes: Type.Array(
    Type.Object({
      id: Text,
      amount_cents: Whole,
      status: Type.Enum([...DISPUTE_STATUSES]),
      outcome: Type.Union([Type.Enum([...DISPUTE_OUTCOMES]), Type.Null()]),
      created: Whole,
    }),
  ),
  /** What clearing brought that does not fit it; the latest ones. */
  clearing_exceptions: Type.Array(
    Type.Object({ clearing_file_id: Text, kind: Text, sequence: WholeOrNull, created: Whole }),
  ),
  /** What your reply asked us to keep. */
  metadata: Type.Record(Text, Text),
})

export const CardTransactionMessageShape = Type.Object({
  id: Text,
  object: Type.Literal('card_transaction_message'),
  transaction_id: Text,
  sequence: Whole,
  created: Whole,
  /** A network message's kind, or expiry. */
  kind: Type.Enum([...MESSAGE_KINDS, 'expiry']),
  /** The event that told of it. */
  event: Text,
  /** What it moved. */
  amount_cents: Whole,
  /** Of the transaction after it. */
  status: Type.Enum([...TRANSACTION_STATUSES]),
  flags: Type.Array(Text),
  sums: TransactionSums,
  hold_expires_at: TextOrNull,
  authorization_request_id: TextOrNull,
  message: Type.Union([NetworkMessageShape, Type.Null()]),
  amounts: Type.Union([
    Type.Object({ merchant: Money, cardholder: Money, fx: Conversion }),
    Type.Null(),
  ]),
  decision: Type.Union([DecisionShape, Type.Null()]),
})
