// The messages being decided, by their keys. An open-addressing table over the keys' own bytes,
// because every message comes and goes: a Map would need a string per key, and grow and shrink with
// every batch of answers.
import type { Pending } from './line.ts'

/** Chosen: places for the messages of a busy second; the table doubles when it is half full. */
const PLACES_AT_FIRST = 4096

export class OpenMessages {
  #places: (Pending | null)[] = new Array<Pending | null>(PLACES_AT_FIRST).fill(null)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the open message with this key, or null. */
  find(key: Buffer): Pending | null {
    return this.#places[this.#placeOf(key)] ?? null
  }

  /** Opens a message; an open message stays open. */
  add(pending: Pending): void {
    const place = this.#placeOf(pending.message.messageKey)
    if (this.#places[place] === null) this.#size += 1
    this.#places[place] = pending
    if (2 * this.#size > this.#places.length) this.#grow()
  }

  /** Closes a message; an unknown message changes nothing. */
  delete(pending: Pending): void {
    const places = this.#places
    const last = places.length - 1
    let gap = this.#placeOf(pending.message.messageKey)
    if (places[gap] === null) return
    // Later records move up, so no walk ends too early.
    for (let place = (gap + 1) & last; ; place = (place + 1) & last) {
      const other = places[place] ?? null
      if (other === null) break
      const wanted = homeOf(other.message.messageKey) & last
      if (((place - wanted) & last) < ((place - gap) & last)) continue
      places[gap] = other
      gap = place
    }
    places[gap] = null
    this.#size -= 1
  }

  /** Returns the place of the message with this key, or the empty place for it. */
  #placeOf(key: Buffer): number {
    const last = this.#places.length - 1
    for (let place = homeOf(key) & last; ; place = (place + 1) & last) {
      const other = this.#places[place] ?? null
      if (other === null || areEqual(other.message.messageKey, key)) return place
    }
  }

  #grow(): void {
    const old = this.#places
    this.#places = new Array<Pending | null>(2 * old.length).fill(null)
    for (const pending of old)
      if (pending !== null) this.#places[this.#placeOf(pending.message.messageKey)] = pending
  }
}

/** A key comes from a keyed hash, so its first word is evenly spread. */
function homeOf(key: Buffer): number {
  return key.readUInt32LE(0)
}

/** A loop, because for sixteen bytes a call into the runtime costs more. */
function areEqual(one: Buffer, other: Buffer): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return one.length === other.length
}
