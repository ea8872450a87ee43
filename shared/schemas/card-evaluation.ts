// A dry run as the outside asks for it and sees it: the answer that an authorization of a card
// would get now.
import type { Static } from 'typebox'
import { DECLINE_REASONS } from '../decline-reason.ts'
import { traceSteps } from '../rule-catalog.ts'
import { Type } from '../schema-builders.ts'
import type { EvaluateAnswer } from '../wire/control.ts'
import { described } from './described.ts'
import { DECLINE_REASON_OR_NULL, RETRY_ADVICE } from './explained.ts'
import { NetworkMessage } from './network-message.ts'

const { merchant, wallet, three_ds, billing, ...message } = NetworkMessage.properties
const CLOSED = { additionalProperties: false }
const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*$'

/** Kinds that stand for themselves: an increment belongs to an authorization that was made. */
const EVALUATED_KINDS = ['authorization', 'account_verification', 'balance_inquiry'] as const

/**
 * The fields of a network message that matter for a decision, without those that name the card, the
 * message and its time.
 */
export const EVALUATE_INPUT = {
  kind: Type.Optional(Type.Enum([...EVALUATED_KINDS])),
  amount_cents: message.amount_cents,
  currency: described(Type.Optional(message.currency), "The card's own where it is left out."),
  merchant: described(
    Type.Object(
      {
        ...merchant.properties,
        id: described(
          Type.String({ minLength: 1, maxLength: 64, pattern: ONE_LINE }),
          'The merchant’s id, as the network would send it.',
        ),
        name: Type.Optional(merchant.properties.name),
        city: Type.Optional(merchant.properties.city),
      },
      CLOSED,
    ),
    'Where the card is used.',
  ),
  transaction_type: message.transaction_type,
  entry_method: message.entry_method,
  fallback_from_chip: message.fallback_from_chip,
  initiator: message.initiator,
  recurring: message.recurring,
  partial_approval_capable: message.partial_approval_capable,
  cashback_cents: message.cashback_cents,
  fee_cents: message.fee_cents,
  // A network may send more fields than we read; a caller of a dry run gets an error for an unknown
  // field.
  billing: described(
    Type.Optional(Type.Object(billing.properties, CLOSED)),
    'The amount as the network converted it into the card’s currency.',
  ),
  wallet: described(
    Type.Optional(Type.Object(wallet.properties, CLOSED)),
    'The wallet that the card was used from.',
  ),
  three_ds: described(
    Type.Optional(Type.Object(three_ds.properties, CLOSED)),
    "The merchant's claim about a 3DS authentication.",
  ),
}
const EvaluateInput = Type.Object(EVALUATE_INPUT)
export type EvaluateInput = Static<typeof EvaluateInput>

const Nullable = Type.Union([Type.String(), Type.Null()])

export const CardEvaluation = Type.Object({
  object: Type.Literal('card_evaluation'),
  card_id: Type.String(),
  approved: described(Type.Boolean(), 'Whether it would be approved.'),
  approved_amount_cents: Type.Integer(),
  response_code: Type.String(),
  decline_reason: DECLINE_REASON_OR_NULL,
  decline_detail: Nullable,
  retry_advice: Type.Union([RETRY_ADVICE, Type.Null()]),
  currency: described(Type.String(), 'The currency of the amounts: that of the message.'),
  max_approvable_amount_cents: described(
    Type.Integer(),
    'The most that would be approved now, in minor units of currency.',
  ),
  would_ask: described(
    Type.Boolean(),
    'True where the tenant would be asked before the approval leaves.',
  ),
  trace: described(Type.Array(Type.Unknown()), 'Every rule that was looked at, in order.'),
  shadow: described(
    Type.Array(
      Type.Object({
        spending_control_id: described(Type.String(), 'The spending control of the draft.'),
        version: described(Type.Integer(), 'Which version of it.'),
        decline_reason: DECLINE_REASON_OR_NULL,
      }),
    ),
    'The verdicts of draft controls; they change nothing.',
  ),
  config: described(
    Type.Object({
      program_version: Type.Integer(),
      cardholder_state_version: Type.Integer(),
      card_state_version: Type.Integer(),
      controls_version: Type.Object({
        program: Type.Integer(),
        cardholder: Type.Integer(),
        card: Type.Integer(),
      }),
      engine_build: Type.String(),
    }),
    'The versions of everything that was decided by.',
  ),
})
export type CardEvaluation = Static<typeof CardEvaluation>

/** The engine's answer in the words of a transaction's decision. */
export function cardEvaluation(
  asked: { cardId: string; currency: string },
  answer: EvaluateAnswer,
): CardEvaluation {
  const { decline_reason: reason, config } = answer
  const [program, cardholder, card] = config.controls_versions
  return {
    object: 'card_evaluation',
    card_id: asked.cardId,
    approved: answer.approved,
    approved_amount_cents: answer.approved_amount_cents,
    response_code: answer.response_code,
    decline_reason: reason,
    decline_detail: answer.decline_detail,
    retry_advice: reason === null ? null : DECLINE_REASONS[reason].retry,
    currency: asked.currency,
    max_approvable_amount_cents: answer.max_approvable_amount_cents,
    would_ask: answer.would_ask,
    trace: traceSteps(answer.trace),
    shadow: answer.shadow.map(({ controlId, version, reason }) => ({
      spending_control_id: controlId,
      version,
      decline_reason: reason,
    })),
    config: {
      program_version: config.program_version,
      cardholder_state_version: config.cardholder_version,
      card_state_version: config.card_version,
      controls_version: { program, cardholder, card },
      engine_build: config.engine_build,
    },
  }
}
