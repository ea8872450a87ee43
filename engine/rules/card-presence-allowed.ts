// Payments with the card present, or without it, must be allowed, or not blocked, by every control.
import { cardPresence } from '../../shared/card-presence.ts'
import { listRule } from './list-rule.ts'

export const cardPresenceAllowed = listRule({
  id: 'card_presence_allowed',
  reason: 'card_presence_blocked',
  listOf: (control) => control.card_presence,
  valueOf: (judged) => cardPresence(judged.message.entryMethod),
})
