// Memory outside the heap for data that lasts as long as the engine runs. It is shared memory
// without a second user: V8 counts ordinary external memory towards the heap, and marks all of it
// for every 64 MB added (the size of 150,000 answers), which delays answers by tens of
// milliseconds; shareable memory is not counted. Like any other, it is freed when V8 collects the
// heap for other reasons, perhaps hours later: so temporary data uses pieces that are reused.

/** Returns this many bytes, all zeros. */
export function offHeapMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes)
}

/** Pieces of one size that are taken and returned: their number is the most ever in use at once. */
export class OffHeapPieces<Piece> {
  readonly #pieceBytes: number
  readonly #view: (memory: SharedArrayBuffer) => Piece
  readonly #free: Piece[] = []
  #made = 0

  /** `view` gives access to a piece. */
  constructor(pieceBytes: number, view: (memory: SharedArrayBuffer) => Piece) {
    this.#pieceBytes = pieceBytes
    this.#view = view
  }

  /** Bytes of all pieces, in use or not. */
  get bytes(): number {
    return this.#made * this.#pieceBytes
  }

  /** Returns a free piece with its old content. */
  take(): Piece {
    const used = this.#free.pop()
    if (used !== undefined) return used
    this.#made += 1
    return this.#view(offHeapMemory(this.#pieceBytes))
  }

  giveBack(piece: Piece): void {
    this.#free.push(piece)
  }
}
