// Chooses the rows that a batch of changes writes: newer versions win, tombstones keep older ones
// out, indexes follow their card.
import type { CardConfig, ConfigChange, ConfigRecord } from '../../shared/wire/config-records.ts'
import { configKey, fingerprintKey, isOfSubject, tokenKey } from './keys.ts'
import { ofType, type Stored, type Subject, type Tombstone } from './stored.ts'

type Get = (key: string) => Stored | undefined

/** Pure; a change of an equal or older version writes no row. */
export function rowsOf(changes: readonly ConfigChange[], get: Get): Map<string, Stored> {
  const rows = new Map<string, Stored>()
  const look: Get = (key) => rows.get(key) ?? get(key)
  for (const change of changes) {
    const key = configKey(change.type, change.id)
    const known = look(key)
    if (isOfSubject(change.type)) {
      const subject = known?.type === 'subject' ? known : EMPTY_SUBJECT
      const changed = changedSubject(subject, change)
      if (changed === null) continue
      rows.set(key, changed)
      relink(subject, changed, rows, look)
    } else if (known === undefined || !('version' in known) || known.version < change.version)
      rows.set(key, partOf(change))
  }
  return rows
}

const EMPTY_SUBJECT: Subject = { type: 'subject', own: null, controls: null }

/** Null if the known version is as new. */
function changedSubject(known: Subject, change: ConfigChange): Subject | null {
  const part = change.type === 'controls' ? 'controls' : 'own'
  const before = known[part]
  if (before !== null && before.version >= change.version) return null
  return { ...known, [part]: partOf(change) }
}

function partOf(change: ConfigChange): ConfigRecord | Tombstone {
  return 'removed' in change ? { type: 'removed', version: change.version } : change
}

/**
 * A card is found by its current token and PAN; the token has a copy of the row, so one look-up is
 * enough.
 */
function relink(known: Subject, changed: Subject, rows: Map<string, Stored>, look: Get): void {
  if (known.own === changed.own) {
    const card = ofType('card', changed.own)
    if (card !== null && isOf(card, look(tokenKey(card.token))))
      rows.set(tokenKey(card.token), changed)
    return
  }
  const [before, after] = [ofType('card', known.own), ofType('card', changed.own)]
  if (before !== null) unlink(before, rows, look)
  if (after === null) return
  rows.set(tokenKey(after.token), changed)
  rows.set(fingerprintKeyOf(after), { type: 'pointer', cardId: after.id })
}

/**
 * Only rows that still lead to this card: another card may have taken its token in the same batch.
 */
function unlink(card: CardConfig, rows: Map<string, Stored>, look: Get): void {
  for (const key of [tokenKey(card.token), fingerprintKeyOf(card)])
    if (isOf(card, look(key))) rows.set(key, { type: 'pointer', cardId: null })
}

/** True for a row that leads to the card. */
function isOf({ id }: CardConfig, row: Stored | undefined): boolean {
  if (row?.type === 'pointer') return row.cardId === id
  return ofType('card', ofType('subject', row)?.own)?.id === id
}

function fingerprintKeyOf({ environment, fingerprint }: CardConfig): string {
  return fingerprintKey(environment, fingerprint)
}
