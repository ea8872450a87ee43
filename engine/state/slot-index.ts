// From the hash of a key to the slot of its record: thousands of small open-addressing tables of Int32. Each grows alone, by a
// quarter, so that one growth moves about a thousand entries at ten million records and memory stays near 6 bytes an entry.

export const RECORDS_PER_SLAB = 65_536
/** Slots are numbered round: an Int32 holds the slot, -1 is empty. */
export const SLOTS = 2 ** 31

const TABLES = 8192
const LOAD_MAX = 0.8
const LOAD_RESERVED = 0.65
const GROWTH = 5 / 4
const TABLE_ENTRIES_MIN = 12
const EMPTY = -1
const TWO_TO_32 = 2 ** 32
const NO_TABLE = new Int32Array([EMPTY])

/** Two numbers of 32 bits, evenly spread: they come from a keyed hash. */
export interface SlotHashes {
  low(slot: number): number
  high(slot: number): number
}

export class SlotIndex {
  readonly #hashes: SlotHashes
  readonly #tables: Int32Array[] = new Array<Int32Array>(TABLES).fill(NO_TABLE)
  readonly #counts = new Uint32Array(TABLES)
  #entries = 0

  constructor(hashes: SlotHashes) {
    this.#hashes = hashes
  }

  /** Bytes of all tables. */
  get bytes(): number {
    return this.#entries * Int32Array.BYTES_PER_ELEMENT
  }

  /** Makes room for so many entries at once, before they are added. */
  reserve(entries: number): void {
    const each = Math.ceil(entries / TABLES / LOAD_RESERVED)
    if (each < TABLE_ENTRIES_MIN) return
    for (let number = 0; number < TABLES; number++) this.#resize(number, each)
  }

  /** The table of a key. Walk it from `home` on by `following` until a slot matches or is negative. */
  table(low: number): Int32Array {
    return this.#tables[low % TABLES] ?? NO_TABLE
  }

  add(slot: number): void {
    const number = this.#hashes.low(slot) % TABLES
    const count = (this.#counts[number] as number) + 1
    const size = (this.#tables[number] ?? NO_TABLE).length
    if (count > size * LOAD_MAX)
      this.#resize(number, Math.max(TABLE_ENTRIES_MIN, Math.ceil(size * GROWTH)))
    this.#counts[number] = count
    place(this.#tables[number] ?? NO_TABLE, slot, this.#hashes.high(slot))
  }

  /** Takes a slot out and closes the gap, so that no walk ever ends too early. The slot must be in. */
  remove(slot: number): void {
    const number = this.#hashes.low(slot) % TABLES
    const table = this.#tables[number] ?? NO_TABLE
    const size = table.length
    let gap = home(this.#hashes.high(slot), size)
    while (table[gap] !== slot) gap = following(gap, size)
    for (let probe = following(gap, size); ; probe = following(probe, size)) {
      const other = table[probe] ?? EMPTY
      if (other === EMPTY) break
      const wanted = home(this.#hashes.high(other), size)
      if (distance(wanted, probe, size) < distance(gap, probe, size)) continue
      table[gap] = other
      gap = probe
    }
    table[gap] = EMPTY
    this.#counts[number] = (this.#counts[number] as number) - 1
  }

  #resize(number: number, size: number): void {
    const old = this.#tables[number] ?? NO_TABLE
    const table = new Int32Array(size).fill(EMPTY)
    for (const slot of old) {
      if (slot !== EMPTY) place(table, slot, this.#hashes.high(slot))
    }
    this.#tables[number] = table
    this.#entries += size - (old === NO_TABLE ? 0 : old.length)
  }
}

/** Where the walk for a key begins. */
export function home(high: number, size: number): number {
  return Math.floor((high * size) / TWO_TO_32)
}

/** The place after one, round the end of its table. */
export function following(probe: number, size: number): number {
  return probe + 1 === size ? 0 : probe + 1
}

function distance(from: number, to: number, size: number): number {
  return to >= from ? to - from : to + size - from
}

function place(table: Int32Array, slot: number, high: number): void {
  let probe = home(high, table.length)
  while (table[probe] !== EMPTY) probe = following(probe, table.length)
  table[probe] = slot
}
