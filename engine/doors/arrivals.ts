// Messages whose bytes came in one turn of the event loop. All of them are read first and decided then, one after the other: between
// two calls of the system a processor forgets where memory lies, and the line looks at hundreds of places.
import type { SignedMessage } from '../line/receive.ts'
import type { HttpReply } from './http-reply.ts'

/** Chosen: a thousand usual messages. What has no room there has memory of its own. */
const SHARED_BYTES = 1024 * 1024

export interface ArrivedMessage extends SignedMessage {
  reply: HttpReply
}

export interface ArrivalsOptions {
  /** Decides a message whose sender is still there. */
  decide(message: ArrivedMessage): void
  /** All that came in this turn was decided. */
  decided(): void
}

export class Arrivals {
  readonly #options: ArrivalsOptions
  readonly #shared = Buffer.allocUnsafeSlow(SHARED_BYTES)
  #used = 0
  #arrived: ArrivedMessage[] = []

  constructor(options: ArrivalsOptions) {
    this.#options = options
  }

  /** The same bytes, until their message is decided. */
  copy(bytes: Uint8Array): Buffer {
    const end = this.#used + bytes.length
    if (end > SHARED_BYTES) return Buffer.from(bytes)
    const copied = this.#shared.subarray(this.#used, end)
    copied.set(bytes)
    this.#used = end
    return copied
  }

  /** To be decided when everything that came with it is read. */
  add(message: ArrivedMessage): void {
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
