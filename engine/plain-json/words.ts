// A fixed set of words, recognised directly in the bytes: no string is made first.

const QUOTE = 0x22
/** The number of slots doubles until no two words share one. */
const SLOTS_AT_FIRST = 16
/** FNV-1a. */
const PRIME = 0x01000193

export interface Word<Item> {
  readonly bytes: Uint8Array
  /** Value of the word. */
  readonly item: Item
}

export class Words<Item> {
  readonly #slots: readonly (Word<Item> | null)[]

  /** The words are few, so each gets a slot of its own. */
  constructor(items: readonly (readonly [word: string, item: Item])[]) {
    const words = items.map(([word, item]) => ({ bytes: Buffer.from(word), item }))
    let slots: (Word<Item> | null)[] = [null]
    for (let count = SLOTS_AT_FIRST; filled(slots) < words.length; count *= 2) {
      slots = new Array<Word<Item> | null>(count).fill(null)
      for (const word of words) slots[slotOf(word.bytes) & (count - 1)] = word
    }
    this.#slots = slots
  }

  /**
   * Returns the word from here to the next quote, or null. The guess is compared first: a right
   * guess needs no lookup.
   */
  at(body: Uint8Array, from: number, guess: Word<Item> | null): Word<Item> | null {
    if (guess !== null && standsAt(body, from, guess.bytes)) return guess
    let hash = 0
    for (let at = from; at < body.length && body[at] !== QUOTE; at++)
      hash = hashed(hash, body[at] as number)
    const word = this.#slots[hash & (this.#slots.length - 1)] ?? null
    return word !== null && standsAt(body, from, word.bytes) ? word : null
  }
}

/** True if the word and a closing quote are at this position. */
function standsAt(body: Uint8Array, from: number, word: Uint8Array): boolean {
  const end = from + word.length
  if (end >= body.length || body[end] !== QUOTE) return false
  for (let at = 0; at < word.length; at++) if (word[at] !== body[from + at]) return false
  return true
}

function slotOf(bytes: Uint8Array): number {
  return bytes.reduce((hash, byte) => hashed(hash, byte), 0)
}

function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, PRIME)
}

function filled(slots: readonly unknown[]): number {
  return slots.filter((word) => word !== null).length
}
