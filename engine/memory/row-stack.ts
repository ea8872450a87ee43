// Row numbers, last in first out, in pieces of one size outside the heap. A heap array would be
// copied whole whenever it is full, to one half larger: with five million rows that delayed every
// answer by a tenth of a second, and the garbage collector scanned all of it.
import { OffHeapPieces } from './off-heap-memory.ts'

/** Instead of a row: there is none. */
export const NO_ROW = -1

const PIECE_ROWS = 2048
const ROW_BYTES = 4

/** Memory of row stacks: an hour's stack leaves its pieces to the stack of another hour. */
export class RowPieces extends OffHeapPieces<Int32Array> {
  constructor() {
    super(PIECE_ROWS * ROW_BYTES, (memory) => new Int32Array(memory))
  }
}

export class RowStack {
  readonly #memory: RowPieces
  readonly #pieces: Int32Array[] = []
  /** Rows in the last piece; full if there is no piece. */
  #filled = PIECE_ROWS

  constructor(memory: RowPieces) {
    this.#memory = memory
  }

  push(row: number): void {
    if (this.#filled === PIECE_ROWS) {
      this.#pieces.push(this.#memory.take())
      this.#filled = 0
    }
    const piece = this.#pieces[this.#pieces.length - 1] as Int32Array
    piece[this.#filled] = row
    this.#filled += 1
  }

  /** Returns the youngest row, or NO_ROW. */
  last(): number {
    const piece = this.#pieces[this.#pieces.length - 1]
    return piece === undefined ? NO_ROW : (piece[this.#filled - 1] as number)
  }

  /** Removes the youngest row, which must exist. */
  pop(): void {
    this.#filled -= 1
    if (this.#filled > 0) return
    this.#memory.giveBack(this.#pieces.pop() as Int32Array)
    this.#filled = PIECE_ROWS
  }
}
