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

  /** Copies the bytes; the copy is valid until their message is decided. */
  copy(bytes: Uint8Array): Buffer {
    const end = this.#used + bytes.length
    if (end > SHARED_BYTES) return Buffer.from(bytes)
    const copied = this.#shared.subarray(this.#used, end)
    copied.set(bytes)
    this.#used = end
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
