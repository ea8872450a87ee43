// The shape of a card transaction and of its messages, for the reference and for typed clients. The
// drain stores them as text and does not use this shape; a test compares the stored documents with
// it.
import { Type } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { TRANSACTION_STATUSES } from '../transaction-sums.ts'
import { DISPUTE_OUTCOMES, DISPUTE_STATUSES } from './dispute.ts'
import { DECLINE_REASON_OR_NULL, TRANSACTION_FLAG } from './explained.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
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

/** The sums of all messages, in the card's currency. */
const TransactionSums = Type.Object(
  {
    /** Approved by the first authorization, or by the network in our place. */
    authorized_cents: Whole,
    /** Approved increments. */
    incremented_cents: Whole,
    /** The amount by which the hold was raised or lowered beyond the approved amount. */
    adjusted_cents: Whole,
    /** Reversed before capture. */
    reversed_cents: Whole,
    /** Released because the hold expired. */
    expired_cents: Whole,
    /** The rest of the hold that a final capture left and released. */
    released_cents: Whole,
    /** Taken by the merchant. */
    captured_cents: Whole,
    /** Captured by mistake and reversed. */
    capture_reversed_cents: Whole,
    /** Refunded by the merchant. */
    refunded_cents: Whole,
    /** Refunded by mistake and reversed. */
    refund_reversed_cents: Whole,
    /** The amount that is held now. */
    open_hold_cents: Whole,
  },
  { title: 'TransactionSums' },
)

const Conversion = Type.Union([
  Type.Object({
    rate: Text,
    source: Text,
    rate_at: MOMENT_OR_NULL,
    markup_bps: Whole,
    /**
     * Whether we compared the network’s amount with a rate of our own; null where the rate is not
     * the network’s.
     */
    verified: Type.Union([Yes, Type.Null()]),
  }),
  Type.Null(),
])

const NetworkMessageShape = Type.Object({
  id: Text,
  kind: Type.Enum([...MESSAGE_KINDS]),
  /** Its type in ISO 8583, that of its first sending. */
  mti: Text,
  /**
   * A repeat of a message that did not reach us. Any other repeat gets the first answer and is
   * shown nowhere.
   */
  is_repeat: Yes,
  /** The message reports a decision that was made in our place. */
  is_advice: Yes,
  /** No other amount follows. */
  is_final: Yes,
  /** The card network that sent it. */
  network: Text,
  /** The network’s own id of the transaction. */
  network_transaction_id: Text,
  /** The network’s id of the transaction that this one continues; its own where it begins one. */
  original_network_transaction_id: Text,
  /** When the network sent it, ISO 8601. */
  transmitted_at: MOMENT,
})

const MOVEMENT = {
  id: Text,
  sequence: Whole,
  message_id: TextOrNull,
  amount_cents: Whole,
  created: Whole,
  /** Unusual circumstances of the transaction, for example over_captured. */
  flags: Type.Array(TRANSACTION_FLAG),
}
const REVERSAL = {
  /** Before or after it was captured. */
  stage: Type.Enum(['post_capture', 'pre_capture']),
  /** The merchant gave it back, or the hold ran out. */
  cause: Type.Enum(['expiry', 'merchant']),
  /** True if the transaction continues with the rest. */
  partial: Yes,
}

export const CardTransactionShape = Type.Object({
  id: Text,
  object: Type.Literal('card_transaction'),
  created: Whole,
  /** The number of the message in the transaction, from 1. */
  sequence: Whole,
  livemode: Yes,
  status: Type.Enum([...TRANSACTION_STATUSES, 'pending']),
  /** debit: money leaves the card. credit: it comes. */
  direction: Type.Enum(['credit', 'debit']),
  /** The amount of the latest authorization request, in minor units of the card's currency. */
  amount_cents: Whole,
  approved_amount_cents: WholeOrNull,
  currency: Text,
  decline_reason: DECLINE_REASON_OR_NULL,
  flags: Type.Array(TRANSACTION_FLAG),
  /** The sums of all messages, in minor units of the card’s currency. */
  sums: TransactionSums,
  /** When the open hold ends; null where none is open. */
  hold_expires_at: MOMENT_OR_NULL,
  /** The transaction this one is about, where the engine no longer knew it. */
  original_transaction_id: TextOrNull,
  /** The authorization request that you are or were asked. */
  authorization_request: Type.Object({
    id: Text,
    kind: Type.Enum([...AUTHORIZATION_KINDS]),
    /** Always 1: you are asked once. A repeat by the network gets the first answer again. */
    attempt: Whole,
    /** By then your answer has to be here. */
    deadline_at: MOMENT,
    /** How long your answer may take, in milliseconds from when you were called. */
    budget_ms: Whole,
  }),
  /** The network's message, without the money. */
  message: NetworkMessageShape,
  amounts: Type.Object({
    merchant: Money,
    cardholder: Money,
    /** The amount of this request beyond the amounts requested before. */
    requested_delta: Money,
    /** The amount of all requests up to and including this one. */
    cumulative: Money,
    /** The amount held for it. */
    hold: Money,
    /** The amount in the answer to the network, in the currency of its message. */
    approved: Type.Union([Money, Type.Null()]),
    /** In the currency that the network settles in; null before that is known. */
    settlement: Type.Union([Money, Type.Null()]),
    /** How the amount was converted; null where it was not. */
    fx: Conversion,
    /** Parts of the amount that are not for goods. */
    components: Type.Object({ cashback: Money, fee: Money }),
  }),
  /** The terminal can take less than it asked for. */
  partial_approval_capable: Yes,
  /** Where the card was used. */
  merchant: Type.Object({ id: Text, name: Text, mcc: Text, city: Text, country: Text }),
  /** How the card was used. */
  entry: Type.Object({
    /** How the terminal got the card’s number. */
    method: Type.Enum([...ENTRY_METHODS]),
    /** The card, or the phone with it, was at the terminal. */
    card_present: Yes,
    /** The party that began it: the cardholder, or the merchant with stored details. */
    initiator: Type.Enum(['cardholder', 'merchant']),
    /** One of a series of payments. */
    recurring: Yes,
    /** The wallet that the card was used from; null where it was none. */
    wallet: TextOrNull,
    /** The wallet token that stood for the card; null where none did. */
    token_id: TextOrNull,
    /** The stripe was read because the chip would not be read. */
    fallback_from_chip: Yes,
  }),
  /** The checks of card and cardholder. Null for a check whose value the message did not carry. */
  verification: Type.Object({
    cvc: TextOrNull,
    /** Whether the expiry that was sent is the card’s: match or mismatch. */
    expiry: TextOrNull,
    /** Whether the PIN was right: match or mismatch. */
    pin: TextOrNull,
    /** The known result of a 3DS authentication. */
    three_ds: Type.Object({ result: TextOrNull, transaction_id: TextOrNull, claim: TextOrNull }),
    /** The state of the wallet token. */
    wallet_token: TextOrNull,
  }),
  program: Type.Object({ id: Text, state_version: Whole }),
  cardholder: Type.Object({ id: Text, status: Text, state_version: Whole }),
  card: Type.Object({
    id: Text,
    last4: Text,
    /** Virtual or physical. */
    type: Type.Enum(['virtual', 'physical']),
    status: Text,
    state_version: Whole,
  }),
  /** The spending controls that it was judged by. */
  controls_snapshot: Type.Object({
    controls_version: ControlsVersion,
    /** Headroom of every limit that was judged, in order: up to the one that declined. */
    limits: Type.Array(HeadroomShape),
  }),
  /** The answer without you; null if nobody is asked. */
  preliminary: Type.Union([
    Type.Object({
      /** Always true: you are not asked about a request that is declined. */
      would_approve: Yes,
      /** Always null: you are not asked about a request that is declined. */
      would_decline_reason: Type.Null(),
      /** The answer of stand-in if you are silent. */
      stand_in_would: StandInVerdict,
    }),
    Type.Null(),
  ]),
  /** The latest decision; null while you are asked. */
  decision: Type.Union([DecisionShape, Type.Null()]),
  /** Later authorization requests of the merchant that raised the amount. */
  increments: Type.Array(
    Type.Object({ ...MOVEMENT, approved: Yes, decline_reason: DECLINE_REASON_OR_NULL }),
  ),
  /**
   * Final amounts of an authorization that the network reported; below 0 if the hold became
   * smaller.
   */
  adjustments: Type.Array(Type.Object(MOVEMENT)),
  /** Amounts that the merchant took. */
  captures: Type.Array(Type.Object(MOVEMENT)),
  /** Refunds, and with reversed those that were taken back. */
  refunds: Type.Array(Type.Object({ ...MOVEMENT, reversed: Yes })),
  /** Reversals before and after capture, and holds that expired. */
  reversals: Type.Array(Type.Object({ ...MOVEMENT, ...REVERSAL })),
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
  /** Differences between the clearing file and the transaction; the latest ones. */
  clearing_exceptions: Type.Array(
    Type.Object({ clearing_file_id: Text, kind: Text, sequence: WholeOrNull, created: Whole }),
  ),
  /** Data that your reply asked us to keep. */
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
  /** The event that reported it. */
  event: Text,
  /** The amount that the message moved. */
  amount_cents: Whole,
  /** The status of the transaction after the message. */
  status: Type.Enum([...TRANSACTION_STATUSES]),
  flags: Type.Array(TRANSACTION_FLAG),
  sums: TransactionSums,
  hold_expires_at: MOMENT_OR_NULL,
  /** The id of the authorization request; null for a notification or an expiry. */
  authorization_request_id: TextOrNull,
  message: Type.Union([NetworkMessageShape, Type.Null()]),
  amounts: Type.Union([
    Type.Object({ merchant: Money, cardholder: Money, fx: Conversion }),
    Type.Null(),
  ]),
  decision: Type.Union([DecisionShape, Type.Null()]),
})
