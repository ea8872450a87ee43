// Which rows a batch of changes puts: newer versions win, tombstones keep older ones out, indexes follow their card.
import type { CardFact, FactChange } from '../../shared/wire/facts.ts'
import { factKey, fingerprintKey, tokenKey } from './keys.ts'
import type { Stored } from './stored.ts'

type Get = (key: string) => Stored | undefined

/** Pure; a change of an equal or older version leaves no row. */
export function rowsOf(changes: readonly FactChange[], get: Get): Map<string, Stored> {
  const rows = new Map<string, Stored>()
  const look: Get = (key) => rows.get(key) ?? get(key)
  for (const change of changes) {
    const key = factKey(change.type, change.id)
    const known = look(key)
    if (known !== undefined && versionOf(known) >= change.version) continue
    if (known?.type === 'card') unlink(known, rows, look)
    if ('removed' in change) {
      rows.set(key, { type: 'removed', version: change.version })
      continue
    }
    rows.set(key, change)
    if (change.type === 'card') link(change, rows)
  }
  return rows
}

function versionOf(stored: Stored): number {
  return 'version' in stored ? stored.version : 0
}

function link(card: CardFact, rows: Map<string, Stored>): void {
  for (const key of indexKeys(card)) rows.set(key, { type: 'pointer', cardId: card.id })
}

/** Only what still points at this card: another may have taken its token in the same batch. */
function unlink(card: CardFact, rows: Map<string, Stored>, look: Get): void {
  for (const key of indexKeys(card)) {
    const pointer = look(key)
    if (pointer?.type === 'pointer' && pointer.cardId === card.id)
      rows.set(key, { type: 'pointer', cardId: null })
  }
}

function indexKeys(card: CardFact): readonly string[] {
  return [tokenKey(card.token), fingerprintKey(card.environment, card.fingerprint)]
}
