// Maps the hash of a key to the slot of its record: a thousand small open-addressing tables. Each
// grows alone, by a quarter, so one growth moves about ten thousand entries at ten million records
// and memory stays near 9 bytes an entry. A table uses pieces of one size, and its old pieces serve
// the next table: growth leaves no garbage. Sixteen bits of the key precede each slot, so neither a
// walk nor a growth has to read records scattered in memory, and a lookup is decided in one line of
// the processor's cache.
import { offHeapMemory } from './off-heap-memory.ts'

export const RECORDS_PER_SLAB = 65_536
/** Slots wrap around: an Int32 holds the slot. */
export const SLOTS = 2 ** 31

/**
 * Chosen: few enough that their directory stays in the processor's cache; more tables would slow
 * lookups, fewer would slow growth.
 */
const TABLES = 1024
const LOAD_MAX = 0.8
const LOAD_RESERVED = 0.65
const GROWTH = 5 / 4
const MARK_BITS = 16
const MARKS = 2 ** MARK_BITS
/** Instead of a mark: there is no slot. */
const EMPTY = 0
/** Words of a place: the mark, and the slot's lower and upper bits. */
const PLACE_WORDS = 3
const LOW_AT = 1
const HIGH_AT = 2
const HIGH_SHIFT = 16
const LOW_MASK = 0xffff

const PIECE_SHIFT = 7
const PIECE_PLACES = 1 << PIECE_SHIFT
const PIECE_MASK = PIECE_PLACES - 1
const SLAB_SHIFT = 17
const SLAB_PLACES = 1 << SLAB_SHIFT
const SLAB_MASK = SLAB_PLACES - 1
const SLAB_BYTES = SLAB_PLACES * PLACE_WORDS * Uint16Array.BYTES_PER_ELEMENT

/**
 * Records in the slots: keys whose first eight bytes are evenly spread, because they come from a
 * keyed hash.
 */
export interface SlotRecords {
  /** The first and the second word of the key in a slot, little-endian. */
  low(slot: number): number
  high(slot: number): number
  /** True if the record in a slot has this key. */
  holds(slot: number, key: Buffer): boolean
}

export class SlotIndex {
  readonly #records: SlotRecords
  /** Pieces in order of creation, many to a slab. */
  readonly #slabs: Uint16Array[] = []
  #made = 0
  /** Numbers of free pieces. */
  readonly #free: number[] = []
  /** Numbers of each table's pieces, in order; the array has a fixed capacity per table. */
  #pieces = new Uint32Array(TABLES)
  #piecesMax = 1
  readonly #places = new Uint32Array(TABLES)
  readonly #counts = new Uint32Array(TABLES)

  constructor(records: SlotRecords) {
    this.#records = records
  }

  /** Bytes of all pieces. */
  get bytes(): number {
    return this.#slabs.length * SLAB_BYTES
  }

  /** Allocates space for this many entries at once, before they are added. */
  reserve(entries: number): void {
    const each = Math.ceil(entries / TABLES / LOAD_RESERVED / PIECE_PLACES)
    for (let table = 0; table < TABLES; table++)
      if (each > this.#piecesOf(table)) this.#resize(table, each)
  }

  /** Returns the slot whose record has this key, or -1. */
  find(key: Buffer): number {
    const table = key.readUInt32LE(0) % TABLES
    const places = this.#places[table] as number
    if (places === 0) return -1
    const mark = markOf(key.readUInt32LE(4))
    for (let place = home(mark, places); ; place = following(place, places)) {
      const at = this.#at(table, place)
      const found = this.#mark(at)
      if (found === EMPTY) return -1
      if (found !== mark) continue
      const slot = this.#slot(at)
      if (this.#records.holds(slot, key)) return slot
    }
  }

  /** Adds a slot whose key is in no other slot. */
  add(slot: number): void {
    const table = this.#records.low(slot) % TABLES
    const count = (this.#counts[table] as number) + 1
    if (count > (this.#places[table] as number) * LOAD_MAX)
      this.#resize(table, Math.max(1, Math.ceil(this.#piecesOf(table) * GROWTH)))
    this.#counts[table] = count
    this.#put(table, markOf(this.#records.high(slot)), slot)
  }

  /** Removes a slot and closes the gap, so no walk ends too early. The slot must be present. */
  remove(slot: number): void {
    const table = this.#records.low(slot) % TABLES
    const places = this.#places[table] as number
    let gap = home(markOf(this.#records.high(slot)), places)
    let gapAt = this.#at(table, gap)
    while (this.#slot(gapAt) !== slot || this.#mark(gapAt) === EMPTY) {
      gap = following(gap, places)
      gapAt = this.#at(table, gap)
    }
    for (let place = following(gap, places); ; place = following(place, places)) {
      const at = this.#at(table, place)
      const mark = this.#mark(at)
      if (mark === EMPTY) break
      const wanted = home(mark, places)
      if (distance(wanted, place, places) < distance(gap, place, places)) continue
      this.#set(gapAt, mark, this.#slot(at))
      gap = place
      gapAt = at
    }
    this.#set(gapAt, EMPTY, 0)
    this.#counts[table] = (this.#counts[table] as number) - 1
  }

  /**
   * Gives a table this many pieces, more than before, and moves its entries to their new places.
   */
  #resize(table: number, pieces: number): void {
    if (pieces > this.#piecesMax) this.#makeRoom(pieces)
    const from = table * this.#piecesMax
    const old = this.#pieces.slice(from, from + this.#piecesOf(table))
    for (let number = 0; number < pieces; number++) this.#pieces[from + number] = this.#take()
    this.#places[table] = pieces << PIECE_SHIFT
    for (const piece of old) {
      const first = piece << PIECE_SHIFT
      for (let at = first; at < first + PIECE_PLACES; at++) {
        const mark = this.#mark(at)
        if (mark !== EMPTY) this.#put(table, mark, this.#slot(at))
      }
      this.#free.push(piece)
    }
  }

  #piecesOf(table: number): number {
    return (this.#places[table] as number) >> PIECE_SHIFT
  }

  /** Makes space for the numbers of this many pieces per table, and as many again. */
  #makeRoom(pieces: number): void {
    const max = pieces * 2
    const numbers = new Uint32Array(TABLES * max)
    for (let table = 0; table < TABLES; table++) {
      const from = table * this.#piecesMax
      numbers.set(this.#pieces.subarray(from, from + this.#piecesMax), table * max)
    }
    this.#pieces = numbers
    this.#piecesMax = max
  }

  /** Returns an empty piece. */
  #take(): number {
    const used = this.#free.pop()
    if (used === undefined) {
      const piece = this.#made++
      if (piece << PIECE_SHIFT === this.#slabs.length * SLAB_PLACES)
        this.#slabs.push(new Uint16Array(offHeapMemory(SLAB_BYTES)))
      return piece
    }
    const from = ((used << PIECE_SHIFT) & SLAB_MASK) * PLACE_WORDS
    this.#slab(used << PIECE_SHIFT).fill(EMPTY, from, from + PIECE_PLACES * PLACE_WORDS)
    return used
  }

  #put(table: number, mark: number, slot: number): void {
    const places = this.#places[table] as number
    let place = home(mark, places)
    let at = this.#at(table, place)
    while (this.#mark(at) !== EMPTY) {
      place = following(place, places)
      at = this.#at(table, place)
    }
    this.#set(at, mark, slot)
  }

  /** Returns the place of a table's entry among all pieces. */
  #at(table: number, place: number): number {
    const piece = this.#pieces[table * this.#piecesMax + (place >> PIECE_SHIFT)] as number
    return (piece << PIECE_SHIFT) | (place & PIECE_MASK)
  }

  #mark(at: number): number {
    return this.#slab(at)[(at & SLAB_MASK) * PLACE_WORDS] as number
  }

  #slot(at: number): number {
    const slab = this.#slab(at)
    const word = (at & SLAB_MASK) * PLACE_WORDS
    return (slab[word + LOW_AT] as number) | ((slab[word + HIGH_AT] as number) << HIGH_SHIFT)
  }

  #set(at: number, mark: number, slot: number): void {
    const slab = this.#slab(at)
    const word = (at & SLAB_MASK) * PLACE_WORDS
    slab[word] = mark
    slab[word + LOW_AT] = slot & LOW_MASK
    slab[word + HIGH_AT] = slot >>> HIGH_SHIFT
  }

  #slab(at: number): Uint16Array {
    return this.#slabs[at >> SLAB_SHIFT] as Uint16Array
  }
}

/**
 * Returns the upper bits of a word, which also give the start of its key's walk. Never equal to an
 * empty place.
 */
function markOf(high: number): number {
  return Math.max(1, high >>> MARK_BITS)
}

function home(mark: number, places: number): number {
  return Math.floor((mark * places) / MARKS)
}

/** Returns the next place, wrapping at the end of the table. */
function following(place: number, places: number): number {
  return place + 1 === places ? 0 : place + 1
}

function distance(from: number, to: number, places: number): number {
  return to >= from ? to - from : to + places - from
}
