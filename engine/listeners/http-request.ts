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

/** A head has this much room; a larger one is a fault before its piece is kept. */
export class HttpRequest {
  readonly head = new HttpHead()
  /**
   * Once the request is whole: its bytes, with the body from `head.end` to `end`. Valid until the
   * piece's own memory is used again, and at most until `start`.
   */
  bytes: Buffer = EMPTY
  end = 0
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
    this.bytes = EMPTY
    this.#kept = EMPTY
    this.#length = 0
    this.#headDone = false
    this.#bodyLength = 0
  }

  /**
   * Takes the next piece, the first `length` bytes of `bytes`. After a fault, `crowded` or `whole`
   * no further piece is taken before `start`.
   */
  read(bytes: Buffer, length: number): ReadRequest {
    if (this.#length === 0) {
      const outcome = this.#look(bytes, length)
      if (outcome === 'incomplete') this.#keep(bytes, length)
      return outcome
    }
    this.#keep(bytes, length)
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
    this.bytes = bytes
    this.end = end
    return 'whole'
  }

  /**
   * Finds the length of the body. A POST states it; any other request without a length has no body.
   */
  #measure(): ErrorCode | null {
    const { duplicated, hasTransferEncoding, contentLength, method } = this.head
    if (duplicated !== null) return 'header_duplicated'
    if (hasTransferEncoding)
      return contentLength === 'absent' ? 'length_required' : 'malformed_request'
    if (contentLength === 'absent') return method === 'POST' ? 'length_required' : null
    if (contentLength === 'empty') return 'length_required'
    if (contentLength === 'malformed') return 'malformed_request'
    if (contentLength > NETWORK_BODY_BYTES_MAX) return 'payload_too_large'
    this.#bodyLength = contentLength
    return null
  }

  #keep(piece: Buffer, pieceLength: number): void {
    const max = HEAD_BYTES_MAX + NETWORK_BODY_BYTES_MAX + 1
    // Bytes beyond the largest request are not looked at: the part before them already shows the
    // fault.
    const taken = Math.min(pieceLength, max - this.#length)
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
