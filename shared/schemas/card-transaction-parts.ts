// Parts of a card transaction that it shares with its messages. Their names are in capitals, so
// that only the titled ones become components of the reference.
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { MESSAGE_KINDS } from './network-message.ts'

const Text = Type.String()
const Whole = Type.Integer()
const Yes = Type.Boolean()

export const MONEY = Type.Object(
  {
    amount: described(Whole, "A whole number of the currency's smallest unit."),
    currency: Text,
    exponent: described(Whole, 'How many decimals the currency has.'),
  },
  { title: 'Money' },
)

/** The sums of all messages, in the card's currency. */
export const TRANSACTION_SUMS = Type.Object(
  {
    authorized_cents: described(
      Whole,
      'Approved by the first authorization, or by the network in our place.',
    ),
    incremented_cents: described(Whole, 'Approved increments.'),
    adjusted_cents: described(
      Whole,
      'The amount by which the hold was raised or lowered beyond the approved amount.',
    ),
    reversed_cents: described(Whole, 'Reversed before capture.'),
    expired_cents: described(Whole, 'Released because the hold expired.'),
    released_cents: described(
      Whole,
      'The rest of the hold that a final capture left and released.',
    ),
    captured_cents: described(Whole, 'Taken by the merchant.'),
    capture_reversed_cents: described(Whole, 'Captured by mistake and reversed.'),
    refunded_cents: described(Whole, 'Refunded by the merchant.'),
    refund_reversed_cents: described(Whole, 'Refunded by mistake and reversed.'),
    open_hold_cents: described(Whole, 'The amount that is held now.'),
  },
  { title: 'TransactionSums' },
)

export const CONVERSION = Type.Union([
  Type.Object({
    rate: Text,
    source: Text,
    rate_at: MOMENT_OR_NULL,
    markup_bps: Whole,
    verified: described(
      Type.Union([Yes, Type.Null()]),
      'Whether we compared the network’s amount with a rate of our own; null where the rate is not the network’s.',
    ),
  }),
  Type.Null(),
])

export const NETWORK_MESSAGE = Type.Object({
  id: Text,
  kind: Type.Enum([...MESSAGE_KINDS]),
  mti: described(Text, 'Its type in ISO 8583, that of its first sending.'),
  is_repeat: described(
    Yes,
    'A repeat of a message that did not reach us. Any other repeat gets the first answer and is shown nowhere.',
  ),
  is_advice: described(Yes, 'The message reports a decision that was made in our place.'),
  is_final: described(Yes, 'No other amount follows.'),
  network: described(Text, 'The card network that sent it.'),
  network_transaction_id: described(Text, 'The network’s own id of the transaction.'),
  original_network_transaction_id: described(
    Text,
    'The network’s id of the transaction that this one continues; its own where it begins one.',
  ),
  transmitted_at: described(MOMENT, 'When the network sent it, ISO 8601.'),
})
