// A dry run: returns the engine's decision on an authorization now. It holds, counts, stores and
// announces nothing.
import { isoInstant } from '../../../shared/clock.ts'
import {
  type CardEvaluation,
  cardEvaluation,
  type EvaluateInput,
} from '../../../shared/schemas/card-evaluation.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import type { EvaluateAnswer, EvaluateRequest } from '../../../shared/wire/control.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { findCard } from './store.ts'
import type { CardRow } from './view.ts'

const MERCHANT_NAME_DEFAULT = 'Evaluation'

export interface EvaluatePort {
  /** The decision the engine would make now; null when the engine does not answer. */
  evaluate: (request: EvaluateRequest) => Promise<EvaluateAnswer | null>
}

/** The tenant’s own endpoint is not asked: `would_ask` tells whether it would be. */
export async function evaluateCard(
  context: Context,
  input: { cardId: string; asked: EvaluateInput },
  { evaluate }: EvaluatePort,
): Promise<CardEvaluation> {
  const { sql, principal } = context
  const card = await findCard(sql, principal, input.cardId)
  if (card === null) throw new Refusal('resource_missing')
  const message = messageOf(context, card, input.asked)
  const answer = await evaluate({
    card_id: card.id,
    environment: principal.environment,
    message,
  })
  if (answer === null) throw new Refusal('dependency_unavailable')
  return cardEvaluation({ cardId: card.id, currency: message.currency }, answer)
}

function messageOf({ now, newId }: Context, card: CardRow, asked: EvaluateInput): NetworkMessage {
  const { kind = 'authorization', currency = card.currency, merchant, ...rest } = asked
  if (kind !== 'authorization' && asked.amount_cents !== 0) {
    throw new Refusal('parameter_invalid', {
      param: 'amount_cents',
      message: 'This field must be 0 with kind ' + kind + '.',
    })
  }
  const id = newId('msg')
  return {
    ...rest,
    id,
    kind,
    currency,
    transmitted_at: isoInstant(now),
    network_transaction_id: id,
    card: { token: card.token, exp_month: card.expMonth, exp_year: card.expYear },
    merchant: {
      ...merchant,
      name: merchant.name ?? MERCHANT_NAME_DEFAULT,
      city: merchant.city ?? '',
    },
  }
}
