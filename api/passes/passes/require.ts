// Requirements on a pass before it is issued or changed: its card, and its fit to the template.
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { CardStatus } from '../../../shared/wire/config-records.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { misfitOf } from '../templates/index.ts'
import { fillTemplate } from '../wallets/model/render.ts'
import type { PassRow } from './view.ts'

/** Cards that passes represent. */
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

/**
 * Refuses (400) values that no wallet could show. Chosen: a pass is checked at issue and at change,
 * never after a template change: wallets then leave out misfits.
 */
export function requireFit(content: PassContent, row: PassRow): void {
  const misfit = misfitOf(fillTemplate(content, row))
  if (misfit === null) return
  throw new Refusal('parameter_invalid', {
    param: 'values',
    message: misfit.sentence + ' (' + misfit.at + ' of the template)',
  })
}
