// Derives from the entry method whether the card was at the merchant's.
import type { EntryMethod } from './schemas/network-message.ts'

export type CardPresence = 'present' | 'not_present'

/**
 * Chosen: a number that was typed in, read by eye or came in a way we do not know proves no card.
 */
export function cardPresence(entryMethod: EntryMethod): CardPresence {
  return entryMethod === 'chip' || entryMethod === 'contactless' || entryMethod === 'swipe'
    ? 'present'
    : 'not_present'
}
