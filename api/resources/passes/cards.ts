// Cards that passes represent.
import type { CardStatus } from '../../../shared/wire/facts.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'

export type Cards = ReadonlyMap<string, CardStatus>

const SHOWN_IN = ['issued', 'active', 'suspended'] as const satisfies readonly CardStatus[]

/** Refuses a card that the tenant does not have (400), and one that is terminated (409). The cards are held by the caller. */
export function requireCard(cards: Cards, cardId: string): void {
  const status = cards.get(cardId)
  if (status === undefined) {
    throw new Refusal('parameter_invalid', {
      param: 'card_id',
      message: 'There is no card of yours with this id.',
    })
  }
  requireState<CardStatus>(status, SHOWN_IN)
}
