// The features that only a sandbox has: its clock, messages of a card network that a tenant makes
// up, and its deletion.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECIDED_BY, DECLINE_REASON_OR_NULL } from './explained.ts'
import { NetworkMessage } from './network-message.ts'

export const SandboxClock = Type.Object({
  id: Type.String(),
  object: Type.Literal('sandbox_clock'),
  livemode: Type.Boolean(),
  now: described(Type.Integer(), 'The time in the sandbox, in Unix seconds.'),
  offset_ms: described(
    Type.Integer(),
    'How far it is ahead of the installation’s time, in milliseconds. It never goes back.',
  ),
})
export type SandboxClock = Static<typeof SandboxClock>

const { properties: FIELDS } = NetworkMessage

const CLOSED = { additionalProperties: false }

/** The data that a terminal reads from a card beside its number. */
const CardInput = Type.Object(
  {
    exp_month: described(
      FIELDS.card.properties.exp_month,
      'As printed on the card; left out, the terminal does not send it.',
    ),
    exp_year: described(FIELDS.card.properties.exp_year, 'As printed on the card, four digits.'),
    cvc: FIELDS.card.properties.cvc,
    pin: described(FIELDS.card.properties.pin, 'As it was typed in; kept nowhere.'),
  },
  CLOSED,
)

const {
  id: _id,
  transmitted_at: _transmittedAt,
  network_transaction_id: _networkTransactionId,
  original_network_transaction_id: _original,
  card: _card,
  kind: _kind,
  currency: _currency,
  merchant: _merchant,
  billing: _billing,
  advice: _advice,
  wallet: _wallet,
  three_ds: _threeDs,
  ...PLAIN_FIELDS
} = FIELDS

/** Shorter than the network’s own, which are made of it. */
const OwnName = Type.Optional(
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\x21-\\x7e]+$' }),
)

/**
 * A message of the card network that a tenant asks for. A field that is left out has the value of
 * an ordinary purchase.
 */
export const NetworkMessageInput = Type.Object(
  {
    card_id: described(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }), 'The card that is used.'),
    id: described(
      OwnName,
      'Names the message: the same again is a repeat, which is answered as before.',
    ),
    kind: described(
      Type.Optional(FIELDS.kind),
      'The kind of the message; authorization if it is left out.',
    ),
    transmitted_at: described(
      Type.Optional(FIELDS.transmitted_at),
      'When the network sent it, by the installation’s clock; now where it is left out.',
    ),
    network_transaction_id: described(
      OwnName,
      'Names the transaction; a new one where it is left out.',
    ),
    original_network_transaction_id: described(
      OwnName,
      'The network_transaction_id of the transaction that this message continues.',
    ),
    currency: described(Type.Optional(FIELDS.currency), 'The card’s where it is left out.'),
    merchant: described(
      Type.Optional(Type.Object(FIELDS.merchant.properties, CLOSED)),
      'Where the card is used; a shop of ours where it is left out.',
    ),
    card: described(
      Type.Optional(CardInput),
      "The data that the terminal reads from the card; the card's own data if it is left out.",
    ),
    billing: described(
      Type.Optional(Type.Object(FIELDS.billing.properties, CLOSED)),
      'The amount as the network converted it into the card’s currency.',
    ),
    advice: described(
      Type.Optional(Type.Object(FIELDS.advice.properties, CLOSED)),
      'A decision that was made in our place; required for the kind advice and forbidden for others.',
    ),
    wallet: described(
      Type.Optional(Type.Object(FIELDS.wallet.properties, CLOSED)),
      'The wallet that the card was used from.',
    ),
    three_ds: described(
      Type.Optional(Type.Object(FIELDS.three_ds.properties, CLOSED)),
      "The merchant's claim about a 3DS authentication.",
    ),
    ...PLAIN_FIELDS,
  },
  CLOSED,
)
export type NetworkMessageInput = Static<typeof NetworkMessageInput>

const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** The answer to the network. */
const Answer = Type.Object({
  message_id: Type.String(),
  transaction_id: TextOrNull,
  approved: Type.Boolean(),
  approved_amount_cents: Type.Integer(),
  response_code: described(Type.String(), 'ISO 8583 field 39.'),
  authorization_code: TextOrNull,
  decline_reason: DECLINE_REASON_OR_NULL,
  decided_by: described(DECIDED_BY, 'The party that decided.'),
  stand_in: Type.Boolean(),
  available_amount_cents: described(
    Type.Optional(Type.Integer()),
    'Only in the answer to a balance inquiry: the amount that could be spent now.',
  ),
})

/** As the network sent it, without the card. */
const SentMessage = Type.Object({
  id: Type.String(),
  kind: FIELDS.kind,
  transmitted_at: described(Type.String(), 'When the network sent it, ISO 8601.'),
  network_transaction_id: Type.String(),
  original_network_transaction_id: described(
    TextOrNull,
    'Null where the message begins a transaction.',
  ),
  amount_cents: Type.Integer(),
  currency: Type.String(),
  merchant: FIELDS.merchant,
})

export const SimulatedMessage = Type.Object({
  id: Type.String(),
  object: Type.Literal('simulated_message'),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  transaction_id: described(
    TextOrNull,
    'Null where the engine made none of it. The transaction is there as soon as it is recorded, within moments.',
  ),
  message: described(SentMessage, "The network's message, without the card’s details."),
  answer: described(Answer, 'The answer to the network.'),
})
export type SimulatedMessage = Static<typeof SimulatedMessage>

export const SCENARIOS = [
  'approve',
  'approve_and_capture',
  'approve_and_reverse',
  'capture_in_parts',
  'incremental',
  'refund',
  'wrong_expiry',
  'account_verification',
  'duplicate',
  'answer_lost',
  'authorization_lost',
  'reversal_first',
  'delayed',
] as const

export const SimulatedScenario = Type.Object({
  id: Type.String(),
  object: Type.Literal('simulated_scenario'),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  scenario: described(Type.Enum([...SCENARIOS]), 'Which story was played.'),
  transaction_id: described(TextOrNull, 'The transaction of its first message.'),
  messages: described(
    Type.Array(SimulatedMessage),
    'One after the other, each answered before the next was sent.',
  ),
})
export type SimulatedScenario = Static<typeof SimulatedScenario>

export const SandboxWipe = Type.Object({
  id: Type.String(),
  object: Type.Literal('sandbox_wipe'),
  livemode: Type.Boolean(),
  wipes: described(Type.Integer(), 'How often this sandbox was emptied, this time included.'),
  deleted: described(
    Type.Record(Type.String(), Type.Integer()),
    'Rows that were deleted, by table; only where there were some.',
  ),
})
export type SandboxWipe = Static<typeof SandboxWipe>
