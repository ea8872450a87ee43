// One request of a connection, from however many pieces it arrives in. A request that comes in one
// piece is read where it lies; the pieces of any other are put together in a buffer that grows no
// further than the largest request.
import type { ErrorCode } from '../../shared/error-catalog.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import { HEAD_BYTES_MAX, HttpHead } from './http-head.ts'

/** `incomplete`: bytes are missing. `crowded`: bytes of another request follow. Else the fault. */
export type ReadRequest = 'whole' | 'incomplete' | 'crowded' | ErrorCode

const EMPTY = Buffer.alloc(0)
const SMALLEST_BYTES = 512
const LENGTH = /^\d{1,15}$/

/** A head has this much room; a larger one is a fault before its piece is kept. */
export class HttpRequest {
  readonly head = new HttpHead()
  /**
   * The bytes of the body once the request is whole; valid until `start`, or until the piece's own
   * memory is used again.
   */
  body: Buffer = EMPTY
  #kept: Buffer = EMPTY
  #length = 0
  #headDone = false
  #bodyLength = 0

  /** True from the first byte of a request until it is whole. */
  get begun(): boolean {
    return this.#length > 0
  }

  /** True where the sender waits for `100 Continue` before it sends the body. */
  get awaitsContinue(): boolean {
    return this.#headDone && this.head.expectsContinue && this.#length <= this.head.end
  }

  /** Forgets the request before. */
  start(): void {
    this.head.start()
    this.body = EMPTY
    this.#kept = EMPTY
    this.#length = 0
    this.#headDone = false
    this.#bodyLength = 0
  }

  /**
   * Takes the next piece. After a fault, `crowded` or `whole` no further piece is taken before
   * `start`.
   */
  read(piece: Buffer): ReadRequest {
    if (this.#length === 0) {
      const outcome = this.#look(piece, piece.length)
      if (outcome === 'incomplete') this.#keep(piece)
      return outcome
    }
    this.#keep(piece)
    return this.#look(this.#kept, this.#length)
  }

  #look(bytes: Buffer, length: number): ReadRequest {
    const { head } = this
    if (!this.#headDone) {
      const read = head.read(bytes, length)
      if (read === false) return 'incomplete'
      if (read !== true) return read
      this.#headDone = true
      const fault = this.#measure()
      if (fault !== null) return fault
    }
    const end = head.end + this.#bodyLength
    if (length < end) return 'incomplete'
    if (length > end) return 'crowded'
    this.body = bytes.subarray(head.end, end)
    return 'whole'
  }

  /**
   * Finds the length of the body. A POST states it; any other request without a length has no body.
   */
  #measure(): ErrorCode | null {
    const { duplicated, hasTransferEncoding, contentLength, method } = this.head
    if (duplicated !== null) return 'header_duplicated'
    if (hasTransferEncoding) return contentLength === null ? 'length_required' : 'malformed_request'
    if (contentLength === null || contentLength === '')
      return contentLength === null && method !== 'POST' ? null : 'length_required'
    if (!LENGTH.test(contentLength)) return 'malformed_request'
    const length = Number(contentLength)
    if (length > NETWORK_BODY_BYTES_MAX) return 'payload_too_large'
    this.#bodyLength = length
    return null
  }

  #keep(piece: Buffer): void {
    const max = HEAD_BYTES_MAX + NETWORK_BODY_BYTES_MAX + 1
    // Bytes beyond the largest request are not looked at: the part before them already shows the
    // fault.
    const taken = Math.min(piece.length, max - this.#length)
    const length = this.#length + taken
    if (this.#kept.length < length) {
      const grown = Buffer.allocUnsafeSlow(this.#roomFor(length, max))
      this.#kept.copy(grown, 0, 0, this.#length)
      this.#kept = grown
    }
    piece.copy(this.#kept, this.#length, 0, taken)
    this.#length = length
  }

  #roomFor(length: number, max: number): number {
    if (this.#headDone) return Math.max(length, this.head.end + this.#bodyLength)
    let room = SMALLEST_BYTES
    while (room < length) room *= 2
    return Math.min(room, max)
  }
}
