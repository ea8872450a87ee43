// One segment of the journal while the process knows it: which entries it holds and, sparsely,
// where.

/** An index point at most every so many bytes: a reader skips at most this much, and one batch. */
export const INDEX_STRIDE_BYTES = 64 * 1024

export class Segment {
  readonly ordinal: number
  readonly path: string
  readonly bytesMax: number
  /** Where the next batch goes. Everything before it is durable. */
  endBytes: number
  /** 0 while it holds nothing. */
  firstSeq = 0
  lastSeq = 0
  /** Pages being read from it: it is not recycled before they are done. */
  readers = 0
  readonly #seqs: number[] = []
  readonly #offsets: number[] = []

  constructor(place: { ordinal: number; path: string; bytes: number; beginsAt: number }) {
    this.ordinal = place.ordinal
    this.path = place.path
    this.bytesMax = place.bytes
    this.endBytes = place.beginsAt
  }

  /** A batch became durable at the end of this segment. */
  note(batch: { firstSeq: number; count: number; bytes: number }): void {
    const latest = this.#offsets.at(-1)
    if (latest === undefined || this.endBytes - latest >= INDEX_STRIDE_BYTES) {
      this.#seqs.push(batch.firstSeq)
      this.#offsets.push(this.endBytes)
    }
    if (this.firstSeq === 0) this.firstSeq = batch.firstSeq
    this.lastSeq = batch.firstSeq + batch.count - 1
    this.endBytes += batch.bytes
  }

  /** Offset of a batch at or before the one that holds `seq`. */
  offsetBefore(seq: number): number {
    let low = 0
    let high = this.#seqs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#seqs[middle] ?? 0) <= seq) low = middle
      else high = middle - 1
    }
    return this.#offsets[low] ?? this.endBytes
  }
}
