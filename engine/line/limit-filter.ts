// Selects the authorizations that a limit counts. A filter is also part of its windows' key, as
// canonical text, so two limits with the same filter share their windows and a rewritten limit
// keeps them. Part of gather.
import { controlKind } from '../../shared/authorization-kind.ts'
import { cardPresence } from '../../shared/card-presence.ts'
import type { LimitFilter } from '../../shared/wire/config-records.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { isListed, isMccListed } from '../rules/listed.ts'

const texts = new WeakMap<LimitFilter, string>()

/** True if the limit counts the message; without a filter a limit counts every message. */
export function passesFilter(filter: LimitFilter | null, message: MessageRecord): boolean {
  if (filter === null) return true
  const { mccs, countries, kinds, card_present: present } = filter
  if (mccs !== null && !isMccListed(mccs, message.mcc)) return false
  if (countries !== null && !isListed(countries, message.country)) return false
  if (kinds !== null && !isListed(kinds, controlKind(message)) && !addsTo(kinds, message))
    return false
  return present === null || present === (cardPresence(message.entryMethod) === 'present')
}

/**
 * Chosen: an increment also counts as the kind of its original, or a limit on purchases would let
 * them grow.
 */
function addsTo(kinds: readonly string[], { kind, transactionType }: MessageRecord): boolean {
  if (kind !== 'incremental') return false
  return isListed(kinds, controlKind({ kind: 'authorization', transactionType }))
}

/** Returns the same text for equal filters in any order; empty without a filter. */
export function filterText(filter: LimitFilter | null): string {
  if (filter === null) return ''
  let text = texts.get(filter)
  if (text === undefined) {
    text = textOf(filter)
    texts.set(filter, text)
  }
  return text
}

function textOf({ mccs, countries, kinds, card_present: present }: LimitFilter): string {
  const parts: string[] = []
  if (mccs !== null) parts.push('mccs=' + mccs.toSorted().join(','))
  if (countries !== null) parts.push('countries=' + countries.toSorted().join(','))
  if (kinds !== null) parts.push('kinds=' + kinds.toSorted().join(','))
  if (present !== null) parts.push('card_present=' + present)
  return parts.join(';')
}
