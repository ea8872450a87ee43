// Rows of one size outside the heap, in slabs. Three views share the same memory, little-endian as
// the machine is, so numbers are read and written without a call.
import { offHeapMemory } from './off-heap-memory.ts'

const ROWS_PER_SLAB = 2048
const DOUBLE_SHIFT = 3
const WORD_SHIFT = 2

interface Slab {
  readonly bytes: Buffer
  readonly doubles: Float64Array
  readonly words: Uint32Array
}

export class RowMemory {
  readonly #rowBytes: number
  readonly #slabs: Slab[] = []

  /** Row size in bytes, a multiple of eight, so doubles and words in a row are aligned. */
  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes
  }

  /** Allocates a row; call it for each row in order from 0. The row is all zeros. */
  reach(row: number): void {
    if (row < this.#slabs.length * ROWS_PER_SLAB) return
    const memory = offHeapMemory(this.#rowBytes * ROWS_PER_SLAB)
    this.#slabs.push({
      bytes: Buffer.from(memory),
      doubles: new Float64Array(memory),
      words: new Uint32Array(memory),
    })
  }

  /** Returns the bytes of the row's slab, in which the row begins at `at(row)`. */
  bytes(row: number): Buffer {
    return this.#slab(row).bytes
  }

  at(row: number): number {
    return (row % ROWS_PER_SLAB) * this.#rowBytes
  }

  double(row: number, offset: number): number {
    return this.#slab(row).doubles[(this.at(row) + offset) >> DOUBLE_SHIFT] as number
  }

  setDouble(row: number, offset: number, value: number): void {
    this.#slab(row).doubles[(this.at(row) + offset) >> DOUBLE_SHIFT] = value
  }

  word(row: number, offset: number): number {
    return this.#slab(row).words[(this.at(row) + offset) >> WORD_SHIFT] as number
  }

  setWord(row: number, offset: number, value: number): void {
    this.#slab(row).words[(this.at(row) + offset) >> WORD_SHIFT] = value
  }

  /**
   * True if the row has these bytes at `offset`. A loop, because for sixteen bytes a call into the
   * runtime costs more.
   */
  holds(row: number, offset: number, wanted: Uint8Array): boolean {
    const { bytes } = this.#slab(row)
    const from = this.at(row) + offset
    for (let index = 0; index < wanted.length; index++)
      if (bytes[from + index] !== wanted[index]) return false
    return true
  }

  #slab(row: number): Slab {
    return this.#slabs[(row / ROWS_PER_SLAB) | 0] as Slab
  }
}
