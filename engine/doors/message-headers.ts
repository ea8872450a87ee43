// What the headers of a message say, read in one pass: the library makes two texts of every header it is asked for. One object
// serves a door, because a message's headers are read in one turn.
import type { HttpRequest } from 'uWebSockets.js'

/** Headers that may appear only once: read twice, two readers could disagree about the message. By their bit. */
const CONTENT_LENGTH = 1
const HOST = 2
const SVC_SIGNATURE = 4
const SVC_KEY_ID = 8
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
    const bit = bitOf(name)
    if (bit === 0) return
    if ((this.#seen & bit) !== 0) this.duplicated = name
    this.#seen |= bit
    if (bit === SVC_SIGNATURE) this.signature = value
    else if (bit === CONTENT_LENGTH) this.length = value
    else if (bit === SVC_KEY_ID) this.keyId = value
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

/** 0 for a header that may stand there twice. By length first: a name that has just arrived is dear to look up. */
function bitOf(name: string): number {
  switch (name.length) {
    case 4:
      return name === 'host' ? HOST : 0
    case 10:
      return name === 'svc-key-id' ? SVC_KEY_ID : 0
    case 13:
      return name === 'svc-signature' ? SVC_SIGNATURE : 0
    case 14:
      return name === 'content-length' ? CONTENT_LENGTH : 0
    case 17:
      return name === 'transfer-encoding' ? TRANSFER_ENCODING : 0
    default:
      return 0
  }
}
