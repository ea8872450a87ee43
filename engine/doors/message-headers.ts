// What the headers of a message say, read in one pass: the library makes two texts of every header it is asked for. One object
// serves a door, because a message's headers are read in one turn.
import type { HttpRequest } from 'uWebSockets.js'

/** Headers that may appear only once: read twice, two readers could disagree about the message. By their bit. */
const SINGLE: ReadonlyMap<string, number> = new Map([
  ['content-length', 1],
  ['host', 2],
  ['svc-signature', 4],
  ['svc-key-id', 8],
  ['transfer-encoding', 16],
])
const TRANSFER_ENCODING = 16

export class MessageHeaders {
  signature = ''
  keyId = ''
  /** As it was sent; empty where it was not. */
  length = ''
  /** A header that stands there twice and may not; null where none does. */
  duplicated: string | null = null
  #seen = 0
  readonly #note = (name: string, value: string): void => {
    const bit = SINGLE.get(name)
    if (bit === undefined) return
    if ((this.#seen & bit) !== 0) this.duplicated = name
    this.#seen |= bit
    if (name === 'svc-signature') this.signature = value
    else if (name === 'content-length') this.length = value
    else if (name === 'svc-key-id') this.keyId = value
  }

  /** True where the length of the body would be found by reading it. */
  get hasTransferEncoding(): boolean {
    return (this.#seen & TRANSFER_ENCODING) !== 0
  }

  /** Everything it said of the request before is gone. */
  read(request: HttpRequest): void {
    this.signature = ''
    this.keyId = ''
    this.length = ''
    this.duplicated = null
    this.#seen = 0
    request.forEach(this.#note)
  }
}
