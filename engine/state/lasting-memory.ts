// Memory for what lasts as long as the engine runs, outside the heap. Nobody shares it: V8 counts ordinary memory outside towards
// the heap and looks through all of that for every 64 MB that have come, which is what 150,000 answers leave behind, and
// holds answers up for tens of milliseconds; what threads may share it counts nowhere. It is given back like any other when
// the heap is looked through for reasons of its own, which may not happen for hours: what comes and goes is taken from pieces
// that are used again.

/** So many bytes, all zeros. */
export function lastingMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes)
}

/** Pieces of one size that are taken and given back: there are as many as were ever taken at once. */
export class LastingPieces<Piece> {
  readonly #pieceBytes: number
  readonly #view: (memory: SharedArrayBuffer) => Piece
  readonly #free: Piece[] = []
  #made = 0

  /** `view` is what a piece is used through. */
  constructor(pieceBytes: number, view: (memory: SharedArrayBuffer) => Piece) {
    this.#pieceBytes = pieceBytes
    this.#view = view
  }

  /** Bytes of all pieces, taken or not. */
  get bytes(): number {
    return this.#made * this.#pieceBytes
  }

  /** A piece that nobody has; whatever was last in it still is. */
  take(): Piece {
    const used = this.#free.pop()
    if (used !== undefined) return used
    this.#made += 1
    return this.#view(lastingMemory(this.#pieceBytes))
  }

  giveBack(piece: Piece): void {
    this.#free.push(piece)
  }
}
