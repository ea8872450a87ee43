// From the hash of a key to the slot of its record: thousands of small open-addressing tables. Each grows alone, by a quarter, so
// that one growth moves about a thousand entries at ten million records and memory stays near 9 bytes an entry. Beside each slot
// stand sixteen bits of its key, so that neither a walk nor a growth has to read records that lie anywhere in memory.

export const RECORDS_PER_SLAB = 65_536
/** Slots are numbered round: an Int32 holds the slot. */
export const SLOTS = 2 ** 31

const TABLES = 8192
const LOAD_MAX = 0.8
const LOAD_RESERVED = 0.65
const GROWTH = 5 / 4
const TABLE_ENTRIES_MIN = 12
const MARK_BITS = 16
const MARKS = 2 ** MARK_BITS
/** In the place of a mark: there is no slot. */
const EMPTY = 0

/** What stands in the slots: keys whose first eight bytes are evenly spread, because they come from a keyed hash. */
export interface SlotRecords {
  /** The first and the second word of the key in a slot, little-endian. */
  low(slot: number): number
  high(slot: number): number
  /** True where the record in a slot has this key. */
  holds(slot: number, key: Buffer): boolean
}

interface Table {
  readonly slots: Int32Array
  readonly marks: Uint16Array
}

const NO_TABLE = tableOf(1)

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
    return this.#entries * (Int32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT)
  }

  /** Makes room for so many entries at once, before they are added. */
  reserve(entries: number): void {
    const each = Math.ceil(entries / TABLES / LOAD_RESERVED)
    if (each < TABLE_ENTRIES_MIN) return
    for (let number = 0; number < TABLES; number++) this.#resize(number, each)
  }

  /** The slot whose record has this key, or -1. */
  find(key: Buffer): number {
    const { slots, marks } = this.#tables[key.readUInt32LE(0) % TABLES] ?? NO_TABLE
    const size = marks.length
    const mark = markOf(key.readUInt32LE(4))
    for (let probe = home(mark, size); marks[probe] !== EMPTY; probe = following(probe, size)) {
      if (marks[probe] !== mark) continue
      const slot = slots[probe] as number
      if (this.#records.holds(slot, key)) return slot
    }
    return -1
  }

  /** Puts a slot in whose key is in no other one. */
  add(slot: number): void {
    const number = this.#records.low(slot) % TABLES
    const count = (this.#counts[number] as number) + 1
    const size = (this.#tables[number] ?? NO_TABLE).slots.length
    if (count > size * LOAD_MAX)
      this.#resize(number, Math.max(TABLE_ENTRIES_MIN, Math.ceil(size * GROWTH)))
    this.#counts[number] = count
    place(this.#tables[number] ?? NO_TABLE, slot, markOf(this.#records.high(slot)))
  }

  /** Takes a slot out and closes the gap, so that no walk ever ends too early. The slot must be in. */
  remove(slot: number): void {
    const number = this.#records.low(slot) % TABLES
    const { slots, marks } = this.#tables[number] ?? NO_TABLE
    const size = marks.length
    let gap = home(markOf(this.#records.high(slot)), size)
    while (slots[gap] !== slot || marks[gap] === EMPTY) gap = following(gap, size)
    for (let probe = following(gap, size); marks[probe] !== EMPTY; probe = following(probe, size)) {
      const mark = marks[probe] as number
      const wanted = home(mark, size)
      if (distance(wanted, probe, size) < distance(gap, probe, size)) continue
      slots[gap] = slots[probe] as number
      marks[gap] = mark
      gap = probe
    }
    marks[gap] = EMPTY
    this.#counts[number] = (this.#counts[number] as number) - 1
  }

  #resize(number: number, size: number): void {
    const { slots, marks } = this.#tables[number] ?? NO_TABLE
    const table = tableOf(size)
    for (let index = 0; index < marks.length; index++) {
      const mark = marks[index] as number
      if (mark !== EMPTY) place(table, slots[index] as number, mark)
    }
    this.#entries += size - (this.#tables[number] === NO_TABLE ? 0 : marks.length)
    this.#tables[number] = table
  }
}

function tableOf(size: number): Table {
  return { slots: new Int32Array(size), marks: new Uint16Array(size) }
}

/** The upper bits of a word, which also say where the walk for its key begins. Never that of an empty place. */
function markOf(high: number): number {
  return Math.max(1, high >>> MARK_BITS)
}

function home(mark: number, size: number): number {
  return Math.floor((mark * size) / MARKS)
}

/** The place after one, round the end of its table. */
function following(probe: number, size: number): number {
  return probe + 1 === size ? 0 : probe + 1
}

function distance(from: number, to: number, size: number): number {
  return to >= from ? to - from : to + size - from
}

function place({ slots, marks }: Table, slot: number, mark: number): void {
  let probe = home(mark, marks.length)
  while (marks[probe] !== EMPTY) probe = following(probe, marks.length)
  slots[probe] = slot
  marks[probe] = mark
}
