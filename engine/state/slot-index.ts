// From the hash of a key to the slot of its record: a thousand small open-addressing tables. Each grows alone, by a quarter, so
// that one growth moves about ten thousand entries at ten million records and memory stays near 9 bytes an entry. Before each slot
// stand sixteen bits of its key, so that neither a walk nor a growth has to read records that lie anywhere in memory, and what is
// looked for is found, or missed, in one line of the processor's cache.
import { lastingMemory } from './lasting-memory.ts'

export const RECORDS_PER_SLAB = 65_536
/** Slots are numbered round: an Int32 holds the slot. */
export const SLOTS = 2 ** 31

/** Chosen: so few that what leads to them stays in the processor's cache; more would be found slower, fewer would grow slower. */
const TABLES = 1024
const LOAD_MAX = 0.8
const LOAD_RESERVED = 0.65
const GROWTH = 5 / 4
const TABLE_ENTRIES_MIN = 12
const MARK_BITS = 16
const MARKS = 2 ** MARK_BITS
/** In the place of a mark: there is no slot. */
const EMPTY = 0
/** A place of a table: the mark, and the slot's lower and upper bits. */
const PLACE = 3
const LOW_AT = 1
const HIGH_AT = 2
const HIGH_SHIFT = 16
const LOW_MASK = 0xffff

/** What stands in the slots: keys whose first eight bytes are evenly spread, because they come from a keyed hash. */
export interface SlotRecords {
  /** The first and the second word of the key in a slot, little-endian. */
  low(slot: number): number
  high(slot: number): number
  /** True where the record in a slot has this key. */
  holds(slot: number, key: Buffer): boolean
}

type Table = Uint16Array

const NO_TABLE: Table = new Uint16Array(PLACE)

export class SlotIndex {
  readonly #records: SlotRecords
  readonly #tables: Table[] = new Array<Table>(TABLES).fill(NO_TABLE)
  readonly #counts = new Uint32Array(TABLES)
  #entries = 0

  constructor(records: SlotRecords) {
    this.#records = records
  }

  /** Bytes of all tables. */
  get bytes(): number {
    return this.#entries * PLACE * Uint16Array.BYTES_PER_ELEMENT
  }

  /** Makes room for so many entries at once, before they are added. */
  reserve(entries: number): void {
    const each = Math.ceil(entries / TABLES / LOAD_RESERVED)
    if (each < TABLE_ENTRIES_MIN) return
    for (let number = 0; number < TABLES; number++) this.#resize(number, each)
  }

  /** The slot whose record has this key, or -1. */
  find(key: Buffer): number {
    const table = this.#tables[key.readUInt32LE(0) % TABLES] ?? NO_TABLE
    const mark = markOf(key.readUInt32LE(4))
    for (let at = home(mark, table); table[at] !== EMPTY; at = following(at, table)) {
      if (table[at] !== mark) continue
      const slot = slotAt(table, at)
      if (this.#records.holds(slot, key)) return slot
    }
    return -1
  }

  /** Puts a slot in whose key is in no other one. */
  add(slot: number): void {
    const number = this.#records.low(slot) % TABLES
    const count = (this.#counts[number] as number) + 1
    const size = sizeOf(this.#tables[number] ?? NO_TABLE)
    if (count > size * LOAD_MAX)
      this.#resize(number, Math.max(TABLE_ENTRIES_MIN, Math.ceil(size * GROWTH)))
    this.#counts[number] = count
    place(this.#tables[number] ?? NO_TABLE, slot, markOf(this.#records.high(slot)))
  }

  /** Takes a slot out and closes the gap, so that no walk ever ends too early. The slot must be in. */
  remove(slot: number): void {
    const number = this.#records.low(slot) % TABLES
    const table = this.#tables[number] ?? NO_TABLE
    let gap = home(markOf(this.#records.high(slot)), table)
    while (slotAt(table, gap) !== slot || table[gap] === EMPTY) gap = following(gap, table)
    for (let at = following(gap, table); table[at] !== EMPTY; at = following(at, table)) {
      const wanted = home(table[at] as number, table)
      if (distance(wanted, at, table) < distance(gap, at, table)) continue
      table.copyWithin(gap, at, at + PLACE)
      gap = at
    }
    table[gap] = EMPTY
    this.#counts[number] = (this.#counts[number] as number) - 1
  }

  #resize(number: number, size: number): void {
    const old = this.#tables[number] ?? NO_TABLE
    const table = new Uint16Array(lastingMemory(size * PLACE * Uint16Array.BYTES_PER_ELEMENT))
    for (let at = 0; at < old.length; at += PLACE) {
      const mark = old[at] as number
      if (mark !== EMPTY) place(table, slotAt(old, at), mark)
    }
    this.#entries += size - (old === NO_TABLE ? 0 : sizeOf(old))
    this.#tables[number] = table
  }
}

function sizeOf(table: Table): number {
  return table.length / PLACE
}

function slotAt(table: Table, at: number): number {
  return (table[at + LOW_AT] as number) | ((table[at + HIGH_AT] as number) << HIGH_SHIFT)
}

/** The upper bits of a word, which also say where the walk for its key begins. Never that of an empty place. */
function markOf(high: number): number {
  return Math.max(1, high >>> MARK_BITS)
}

function home(mark: number, table: Table): number {
  return Math.floor((mark * sizeOf(table)) / MARKS) * PLACE
}

/** The place after one, round the end of its table. */
function following(at: number, table: Table): number {
  return at + PLACE === table.length ? 0 : at + PLACE
}

function distance(from: number, to: number, table: Table): number {
  return to >= from ? to - from : to + table.length - from
}

function place(table: Table, slot: number, mark: number): void {
  let at = home(mark, table)
  while (table[at] !== EMPTY) at = following(at, table)
  table[at] = mark
  table[at + LOW_AT] = slot & LOW_MASK
  table[at + HIGH_AT] = slot >>> HIGH_SHIFT
}
