// Cards that passes represent.
import type { CardStatus } from '../../../shared/wire/config-records.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'

export type Cards = ReadonlyMap<string, CardStatus>

const SHOWN_IN = ['issued', 'active', 'suspended'] as const satisfies readonly CardStatus[]

/** Refuses an unknown card (400) and a terminated card (409). The caller locks the cards. */
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
