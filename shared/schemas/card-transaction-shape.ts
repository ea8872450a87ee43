// The shape of a card transaction and of its messages, for the reference and for typed clients. The
// drain stores them as text and does not use this shape; a test compares the stored documents with
// it.

import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { Type } from '../schema-builders.ts'
import { TRANSACTION_STATUSES } from '../transaction-sums.ts'
import { CONVERSION, MONEY, NETWORK_MESSAGE, TRANSACTION_SUMS } from './card-transaction-parts.ts'
import { described } from './described.ts'
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

const MOVEMENT = {
  id: Text,
  sequence: Whole,
  message_id: TextOrNull,
  amount_cents: Whole,
  created: Whole,
  flags: described(
    Type.Array(TRANSACTION_FLAG),
    'Unusual circumstances of the transaction, for example over_captured.',
  ),
}
const REVERSAL = {
  stage: described(Type.Enum(['post_capture', 'pre_capture']), 'Before or after it was captured.'),
  cause: described(
    Type.Enum(['expiry', 'merchant']),
    'The merchant gave it back, or the hold ran out.',
  ),
  partial: described(Yes, 'True if the transaction continues with the rest.'),
}

export const CardTransactionShape = Type.Object({
  id: Text,
  object: Type.Literal('card_transaction'),
  created: Whole,
  sequence: described(Whole, 'The number of the message in the transaction, from 1.'),
  livemode: Yes,
  status: Type.Enum([...TRANSACTION_STATUSES, 'pending']),
  direction: described(
    Type.Enum(['credit', 'debit']),
    'debit: money leaves the card. credit: it comes.',
  ),
  amount_cents: described(
    Whole,
    "The amount of the latest authorization request, in minor units of the card's currency.",
  ),
  approved_amount_cents: WholeOrNull,
  currency: Text,
  decline_reason: DECLINE_REASON_OR_NULL,
  flags: described(
    Type.Array(TRANSACTION_FLAG),
    'Unusual circumstances of the transaction, for example over_captured.',
  ),
  sums: described(
    TRANSACTION_SUMS,
    'The sums of all messages, in minor units of the card’s currency.',
  ),
  hold_expires_at: described(MOMENT_OR_NULL, 'When the open hold ends; null where none is open.'),
  original_transaction_id: described(
    TextOrNull,
    'The transaction this one is about, where the engine no longer knew it.',
  ),
  authorization_request: described(
    Type.Object({
      id: Text,
      kind: Type.Enum([...AUTHORIZATION_KINDS]),
      attempt: described(
        Whole,
        'Always 1: you are asked once. A repeat by the network gets the first answer again.',
      ),
      deadline_at: described(MOMENT, 'By then your answer has to be here.'),
      budget_ms: described(
        Whole,
        'How long your answer may take, in milliseconds from when you were called.',
      ),
    }),
    'The authorization request that you are or were asked.',
  ),
  message: described(NETWORK_MESSAGE, "The network's message, without the money."),
  amounts: Type.Object({
    merchant: MONEY,
    cardholder: MONEY,
    requested_delta: described(
      MONEY,
      'The amount of this request beyond the amounts requested before.',
    ),
    cumulative: described(MONEY, 'The amount of all requests up to and including this one.'),
    hold: described(MONEY, 'The amount held for it.'),
    approved: described(
      Type.Union([MONEY, Type.Null()]),
      'The amount in the answer to the network, in the currency of its message.',
    ),
    settlement: described(
      Type.Union([MONEY, Type.Null()]),
      'In the currency that the network settles in; null before that is known.',
    ),
    fx: described(CONVERSION, 'How the amount was converted; null where it was not.'),
    components: described(
      Type.Object({ cashback: MONEY, fee: MONEY }),
      'Parts of the amount that are not for goods.',
    ),
  }),
  partial_approval_capable: described(Yes, 'The terminal can take less than it asked for.'),
  merchant: described(
    Type.Object({ id: Text, name: Text, mcc: Text, city: Text, country: Text }),
    'Where the card was used.',
  ),
  entry: described(
    Type.Object({
      method: described(Type.Enum([...ENTRY_METHODS]), 'How the terminal got the card’s number.'),
      card_present: described(Yes, 'The card, or the phone with it, was at the terminal.'),
      initiator: described(
        Type.Enum(['cardholder', 'merchant']),
        'The party that began it: the cardholder, or the merchant with stored details.',
      ),
      recurring: described(Yes, 'One of a series of payments.'),
      wallet: described(
        TextOrNull,
        'The wallet that the card was used from; null where it was none.',
      ),
      token_id: described(
        TextOrNull,
        'The wallet token that stood for the card; null where none did.',
      ),
      fallback_from_chip: described(Yes, 'The stripe was read because the chip would not be read.'),
    }),
    'How the card was used.',
  ),
  verification: described(
    Type.Object({
      cvc: TextOrNull,
      expiry: described(
        TextOrNull,
        'Whether the expiry that was sent is the card’s: match or mismatch.',
      ),
      pin: described(TextOrNull, 'Whether the PIN was right: match or mismatch.'),
      three_ds: described(
        Type.Object({ result: TextOrNull, transaction_id: TextOrNull, claim: TextOrNull }),
        'The known result of a 3DS authentication.',
      ),
      wallet_token: described(TextOrNull, 'The state of the wallet token.'),
    }),
    'The checks of card and cardholder. Null for a check whose value the message did not carry.',
  ),
  program: Type.Object({ id: Text, state_version: Whole }),
  cardholder: Type.Object({ id: Text, status: Text, state_version: Whole }),
  card: Type.Object({
    id: Text,
    last4: Text,
    type: described(Type.Enum(['virtual', 'physical']), 'Virtual or physical.'),
    status: Text,
    state_version: Whole,
  }),
  controls_snapshot: described(
    Type.Object({
      controls_version: ControlsVersion,
      limits: described(
        Type.Array(HeadroomShape),
        'Headroom of every limit that was judged, in order: up to the one that declined.',
      ),
    }),
    'The spending controls that it was judged by.',
  ),
  preliminary: described(
    Type.Union([
      Type.Object({
        would_approve: described(
          Yes,
          'Always true: you are not asked about a request that is declined.',
        ),
        would_decline_reason: described(
          Type.Null(),
          'Always null: you are not asked about a request that is declined.',
        ),
        stand_in_would: described(StandInVerdict, 'The answer of stand-in if you are silent.'),
      }),
      Type.Null(),
    ]),
    'The answer without you; null if nobody is asked.',
  ),
  decision: described(
    Type.Union([DecisionShape, Type.Null()]),
    'The latest decision; null while you are asked.',
  ),
  increments: described(
    Type.Array(Type.Object({ ...MOVEMENT, approved: Yes, decline_reason: DECLINE_REASON_OR_NULL })),
    'Later authorization requests of the merchant that raised the amount.',
  ),
  adjustments: described(
    Type.Array(Type.Object(MOVEMENT)),
    'Final amounts of an authorization that the network reported; below 0 if the hold became smaller.',
  ),
  captures: described(Type.Array(Type.Object(MOVEMENT)), 'Amounts that the merchant took.'),
  refunds: described(
    Type.Array(Type.Object({ ...MOVEMENT, reversed: Yes })),
    'Refunds, and with reversed those that were taken back.',
  ),
  reversals: described(
    Type.Array(Type.Object({ ...MOVEMENT, ...REVERSAL })),
    'Reversals before and after capture, and holds that expired.',
  ),
  reversal: described(Type.Union([Type.Object(REVERSAL), Type.Null()]), 'The latest of reversals.'),
  disputes: described(
    Type.Array(
      Type.Object({
        id: Text,
        amount_cents: Whole,
        status: Type.Enum([...DISPUTE_STATUSES]),
        outcome: Type.Union([Type.Enum([...DISPUTE_OUTCOMES]), Type.Null()]),
        created: Whole,
      }),
    ),
    'The latest ones.',
  ),
  clearing_exceptions: described(
    Type.Array(
      Type.Object({ clearing_file_id: Text, kind: Text, sequence: WholeOrNull, created: Whole }),
    ),
    'Differences between the clearing file and the transaction; the latest ones.',
  ),
  metadata: described(Type.Record(Text, Text), 'Data that your reply asked us to keep.'),
})

export const CardTransactionMessageShape = Type.Object({
  id: Text,
  object: Type.Literal('card_transaction_message'),
  transaction_id: Text,
  sequence: Whole,
  created: Whole,
  kind: described(Type.Enum([...MESSAGE_KINDS, 'expiry']), "A network message's kind, or expiry."),
  event: described(Text, 'The event that reported it.'),
  amount_cents: described(Whole, 'The amount that the message moved.'),
  status: described(
    Type.Enum([...TRANSACTION_STATUSES]),
    'The status of the transaction after the message.',
  ),
  flags: described(
    Type.Array(TRANSACTION_FLAG),
    'Unusual circumstances after the message, for example over_captured.',
  ),
  sums: described(
    TRANSACTION_SUMS,
    'The sums of all messages so far, in minor units of the card’s currency.',
  ),
  hold_expires_at: described(MOMENT_OR_NULL, 'When the open hold ends; null where none is open.'),
  authorization_request_id: described(
    TextOrNull,
    'The id of the authorization request; null for a notification or an expiry.',
  ),
  message: described(
    Type.Union([NETWORK_MESSAGE, Type.Null()]),
    "The network's message, without the money; null where we made it ourselves.",
  ),
  amounts: Type.Union([
    Type.Object({
      merchant: MONEY,
      cardholder: MONEY,
      fx: described(CONVERSION, 'How the amount was converted; null where it was not.'),
    }),
    Type.Null(),
  ]),
  decision: described(
    Type.Union([DecisionShape, Type.Null()]),
    'The decision about this message; null for a notification, and while you are asked.',
  ),
})
