// Messages whose bytes came in one turn of the event loop. The engine reads all of them first and
// then decides them in order: between two system calls a processor's caches go cold, and one
// decision touches hundreds of places in memory.
import type { SignedMessage } from '../line/receive.ts'
import type { HttpReply } from './http-reply.ts'

/**
 * Chosen: room for a thousand usual messages. A message that does not fit gets memory of its own.
 */
const SHARED_BYTES = 1024 * 1024

export interface BatchedMessage extends SignedMessage {
  reply: HttpReply
}

export interface RequestBatchOptions {
  /** Decides a message whose sender is still connected. */
  decide(message: BatchedMessage): void
  /** Every message of this turn was decided. */
  decided(): void
}

export class RequestBatch {
  readonly #options: RequestBatchOptions
  readonly #shared = Buffer.allocUnsafeSlow(SHARED_BYTES)
  #used = 0
  #arrived: BatchedMessage[] = []

  constructor(options: RequestBatchOptions) {
    this.#options = options
  }

  /** Copies the bytes of this range; the copy is valid until their message is decided. */
  copy(bytes: Buffer, from: number, end: number): Buffer {
    const used = this.#used + end - from
    if (used > SHARED_BYTES) return Buffer.from(bytes.subarray(from, end))
    bytes.copy(this.#shared, this.#used, from, end)
    const copied = this.#shared.subarray(this.#used, used)
    this.#used = used
    return copied
  }

  /** Queues a message until everything that came with it is read. */
  add(message: BatchedMessage): void {
    if (this.#arrived.length === 0) setImmediate(this.#decideAll)
    this.#arrived.push(message)
  }

  readonly #decideAll = (): void => {
    const arrived = this.#arrived
    this.#arrived = []
    for (const message of arrived) if (message.reply.open) this.#options.decide(message)
    this.#used = 0
    this.#options.decided()
  }
}
