// The batches of a shard that the agreement store holds: a member's view, kept from what it reads,
// watches, appends and trims.

/**
 * Bytes of entries, before deflating, that two members do not hold yet; beyond it new messages are
 * refused. A cell's etcd has one bound, which its shards share equally.
 */
const [SHARD_BYTES_MAX, CELL_BYTES_MAX] = [64 * 1024 * 1024, 512 * 1024 * 1024]

export interface TailBatch {
  key: string
  /** Sequence of the last entry; for the founding batch the one before the first. */
  lastSeq: number
  bytes: number
}

export class Tail {
  readonly bytesMax: number
  readonly #batches: TailBatch[] = []
  #bytes = 0

  /** `shards` of the cell share the space of one etcd. */
  constructor(shards = 1) {
    this.bytesMax = Math.min(SHARD_BYTES_MAX, Math.floor(CELL_BYTES_MAX / shards))
  }

  /** The newest batch; appends compare that it is there. */
  get last(): TailBatch | undefined {
    return this.#batches.at(-1)
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#batches.length
  }

  /** Adds a batch behind the newest; one that is known changes nothing. */
  add(batch: TailBatch): void {
    const { last } = this
    if (last !== undefined && batch.key <= last.key) return
    this.#batches.push(batch)
    this.#bytes += batch.bytes
  }

  /** Drops the batches before `key`. */
  dropBefore(key: string): void {
    for (;;) {
      const [oldest] = this.#batches
      if (oldest === undefined || oldest.key >= key) return
      this.#batches.shift()
      this.#bytes -= oldest.bytes
    }
  }

  clear(): void {
    this.#batches.length = 0
    this.#bytes = 0
  }

  /**
   * The first key that a trim keeps: batches before it end at or before `heldSeq`. Null where
   * nothing may go; the newest batch never does.
   */
  keptFrom(heldSeq: number): string | null {
    const kept = this.#batches.findIndex(({ lastSeq }) => lastSeq > heldSeq)
    const at = kept === -1 ? this.#batches.length - 1 : kept
    const batch = at <= 0 ? undefined : this.#batches[at]
    return batch?.key ?? null
  }
}
