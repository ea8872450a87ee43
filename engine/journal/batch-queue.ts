// Entries that wait for their write, laid out as batches: while one write is in flight, the next
// batch collects here.
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import { BATCH_BYTES_MAX, Batch } from './batch.ts'

/** Buffers kept for the next batches. */
const FREE_MAX = 4
/**
 * Chosen: bytes that may wait in memory without room to write; the engine refuses messages long
 * before (503).
 */
const WAITING_BYTES_MAX = 64 * BATCH_BYTES_MAX

export class BatchQueue {
  readonly #batchBytesMax: number
  readonly #clock: Clock
  readonly #waiting: Batch[] = []
  readonly #free: Batch[] = []

  constructor(options: { batchBytesMax: number; clock: Clock }) {
    this.#batchBytesMax = options.batchBytesMax
    this.#clock = options.clock
  }

  /** Copies the entry after the last one. The caller guarantees that it fits an empty batch. */
  add(entry: Buffer, seq: number): void {
    let batch = this.#waiting.at(-1)
    if (batch === undefined || !batch.fits(entry.length)) {
      assert(
        (this.#waiting.length + 1) * this.#batchBytesMax <= WAITING_BYTES_MAX,
        'more waits for the journal than WAITING_BYTES_MAX',
      )
      batch = this.#free.pop() ?? new Batch(this.#batchBytesMax)
      batch.begin(seq, this.#clock.monotonicNs())
      this.#waiting.push(batch)
    }
    batch.add(entry)
  }

  /** The next batch to write; it collects until it is taken. */
  get head(): Batch | undefined {
    return this.#waiting[0]
  }

  take(): Batch | undefined {
    return this.#waiting.shift()
  }

  release(batch: Batch): void {
    if (this.#free.length < FREE_MAX) this.#free.push(batch)
  }

  /** Bytes of all waiting entries. */
  get bytes(): number {
    let sum = 0
    for (const batch of this.#waiting) sum += batch.bytes
    return sum
  }
}
