// Converts the holds of a first-release snapshot to transactions. The first release kept no message
// links, so these transactions can only expire.
import { hash } from 'node:crypto'
import { noSums } from '../../shared/transaction-sums.ts'
import type { Meters } from './meters.ts'
import type { Transactions } from './transactions.ts'
import type { WindowRef } from './window-ref.ts'

const AMOUNT_AT = 16
const RECEIVED_AT = 24
const COUNT_AT = 32
const PLACES_AT = 36
const PLACES_INLINE = 8
const ROW_BYTES = PLACES_AT + PLACES_INLINE * 8
/** Milliseconds of every hold in the first release. */
const HOLD_MS = 31 * 24 * 3_600_000

/**
 * Adds a chunk of holds; `overflow` holds places beyond the inline ones, by place among all holds.
 */
export function restoreHolds(
  { meters, transactions }: { meters: Meters; transactions: Transactions },
  chunk: Buffer,
  overflow: ReadonlyMap<number, readonly WindowRef[]>,
): void {
  for (let at = 0; at < chunk.length; at += ROW_BYTES) {
    const transaction = Buffer.from(chunk.subarray(at, at + 16))
    const authorized = chunk.readDoubleLE(at + AMOUNT_AT)
    const receivedAtMs = chunk.readDoubleLE(at + RECEIVED_AT)
    const places = placesAt(chunk, at, overflow.get(transactions.size))
    const sums = { ...noSums(), authorized }
    // No message has this link; it only spreads the index evenly.
    const link = hash('sha256', transaction, 'buffer').subarray(0, 16)
    const row = transactions.add({ link, transaction, sums, receivedAtMs, byNotification: false })
    transactions.setPlaces(row, places)
    const effect = {
      link,
      sequence: 1,
      event: 'authorized' as const,
      amountCents: authorized,
      sums,
      flags: 0,
      holdExpiresAtMs: authorized > 0 ? receivedAtMs + HOLD_MS : 0,
      early: null,
    }
    transactions.change(row, effect, receivedAtMs)
    // The old windows hold the amount, but counted no authorizations.
    if (authorized > 0) for (const { meter, day } of places) meters.use(meter, day, 0, 1)
  }
}

function placesAt(chunk: Buffer, at: number, more: readonly WindowRef[] = []): WindowRef[] {
  const inline = Math.min(chunk.readUInt32LE(at + COUNT_AT), PLACES_INLINE)
  const places: WindowRef[] = []
  for (let index = 0; index < inline; index++) {
    const from = at + PLACES_AT + index * 8
    places.push({ meter: chunk.readUInt32LE(from), day: chunk.readUInt32LE(from + 4) })
  }
  places.push(...more)
  return places
}
