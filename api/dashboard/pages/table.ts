// Every page and every form of the dashboard, in the order of the menu.
import type { ActionDefinition, PageDefinition } from '../page.ts'
import { card, cardMoves, cards } from './cards.ts'
import { editControl, makeControl, newControl, saveControl } from './control-editor.ts'
import { control, controlMoves, controls } from './controls.ts'
import { countAgain, deliveries, delivery, replayOne, sendAgain } from './deliveries.ts'
import { event, events } from './events.ts'
import { key, keyMoves, keys, makeKey, newKey } from './keys.ts'
import { overview } from './overview.ts'
import { search } from './search.ts'
import { transaction, tryAgain } from './transaction.ts'
import { declines, transactions } from './transactions.ts'
import { endpoint, endpointMoves, makeEndpoint, newEndpoint, webhooks } from './webhooks.ts'

export const PAGES: readonly PageDefinition[] = [
  ...[overview, transactions, transaction, declines],
  ...[cards, card, controls, newControl, control, editControl],
  ...[keys, newKey, key, webhooks, newEndpoint, endpoint, deliveries, delivery, events, event],
  search,
]

export const ACTIONS: readonly ActionDefinition[] = [
  ...[tryAgain, ...cardMoves, ...controlMoves, makeControl, saveControl],
  ...[makeKey, ...keyMoves, makeEndpoint, ...endpointMoves],
  ...[countAgain, sendAgain, replayOne],
]
