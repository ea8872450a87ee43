// The features that only a sandbox has: its clock, messages of a card network that a tenant makes
// up, and its deletion.
import { type Static, Type } from 'typebox'
import { DECIDED_BY, DECLINE_REASON_OR_NULL } from './explained.ts'
import { NetworkMessage } from './network-message.ts'

export const SandboxClock = Type.Object({
  id: Type.String(),
  object: Type.Literal('sandbox_clock'),
  livemode: Type.Boolean(),
  /** The time in the sandbox, in Unix seconds. */
  now: Type.Integer(),
  /** How far it is ahead of the installation’s time, in milliseconds. It never goes back. */
  offset_ms: Type.Integer(),
})
export type SandboxClock = Static<typeof SandboxClock>

const { properties: FIELDS } = NetworkMessage

const CLOSED = { additionalProperties: false }

/** The data that a terminal reads from a card beside its number. */
const CardInput = Type.Object(
  {
    /** As printed on the card; left out, the terminal does not send it. */
    exp_month: FIELDS.card.properties.exp_month,
    /** As printed on the card, four digits. */
    exp_year: FIELDS.card.properties.exp_year,
    /** The code on the card; kept nowhere. */
    cvc: FIELDS.card.properties.cvc,
    /** As it was typed in; kept nowhere. */
    pin: FIELDS.card.properties.pin,
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
    /** The card that is used. */
    card_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
    /** Names the message: the same again is a repeat, which is answered as before. */
    id: OwnName,
    /** The kind of the message; authorization if it is left out. */
    kind: Type.Optional(FIELDS.kind),
    /** When the network sent it, by the installation’s clock; now where it is left out. */
    transmitted_at: Type.Optional(FIELDS.transmitted_at),
    /** Names the transaction; a new one where it is left out. */
    network_transaction_id: OwnName,
    /** The network_transaction_id of the transaction that this message continues. */
    original_network_transaction_id: OwnName,
    /** The card’s where it is left out. */
    currency: Type.Optional(FIELDS.currency),
    /** Where the card is used; a shop of ours where it is left out. */
    merchant: Type.Optional(Type.Object(FIELDS.merchant.properties, CLOSED)),
    /** The data that the terminal reads from the card; the card's own data if it is left out. */
    card: Type.Optional(CardInput),
    /** The amount as the network converted it into the card’s currency. */
    billing: Type.Optional(Type.Object(FIELDS.billing.properties, CLOSED)),
    /**
     * A decision that was made in our place; required for the kind advice and forbidden for others.
     */
    advice: Type.Optional(Type.Object(FIELDS.advice.properties, CLOSED)),
    wallet: Type.Optional(Type.Object(FIELDS.wallet.properties, CLOSED)),
    three_ds: Type.Optional(Type.Object(FIELDS.three_ds.properties, CLOSED)),
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
  /** ISO 8583 field 39. */
  response_code: Type.String(),
  authorization_code: TextOrNull,
  decline_reason: DECLINE_REASON_OR_NULL,
  decided_by: DECIDED_BY,
  stand_in: Type.Boolean(),
  /** Only in the answer to a balance inquiry: the amount that could be spent now. */
  available_amount_cents: Type.Optional(Type.Integer()),
})

/** As the network sent it, without the card. */
const SentMessage = Type.Object({
  id: Type.String(),
  kind: FIELDS.kind,
  transmitted_at: Type.String(),
  network_transaction_id: Type.String(),
  /** Null where the message begins a transaction. */
  original_network_transaction_id: TextOrNull,
  amount_cents: Type.Integer(),
  currency: Type.String(),
  merchant: FIELDS.merchant,
})

export const SimulatedMessage = Type.Object({
  id: Type.String(),
  object: Type.Literal('simulated_message'),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  /**
   * Null where the engine made none of it. The transaction is there as soon as it is recorded,
   * within moments.
   */
  transaction_id: TextOrNull,
  /** The network's message, without the card’s details. */
  message: SentMessage,
  /** The answer to the network. */
  answer: Answer,
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
  /** Which story was played. */
  scenario: Type.Enum([...SCENARIOS]),
  /** The transaction of its first message. */
  transaction_id: TextOrNull,
  /** One after the other, each answered before the next was sent. */
  messages: Type.Array(SimulatedMessage),
})
export type SimulatedScenario = Static<typeof SimulatedScenario>

export const SandboxWipe = Type.Object({
  id: Type.String(),
  object: Type.Literal('sandbox_wipe'),
  livemode: Type.Boolean(),
  /** How often this sandbox was emptied, this time included. */
  wipes: Type.Integer(),
  /** Rows that were deleted, by table; only where there were some. */
  deleted: Type.Record(Type.String(), Type.Integer()),
})
export type SandboxWipe = Static<typeof SandboxWipe>
