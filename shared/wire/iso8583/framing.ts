// Frames on a TCP link: a length of two bytes, most significant first, then as many bytes. The
// reader takes whatever pieces the network delivers and never holds more than one frame.

/** Bytes of the length in front of a frame's content. */
export const HEAD_BYTES = 2

/** A frame as bytes, head included. The content has at most 65,535 of them. */
export function frameOf(content: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + content.length)
  frame.writeUInt16BE(content.length, 0)
  content.copy(frame, HEAD_BYTES)
  return frame
}

/** Writes the length into bytes whose first two were left free for it, and returns them. */
export function framed(bytes: Buffer): Buffer {
  bytes.writeUInt16BE(bytes.length - HEAD_BYTES, 0)
  return bytes
}

/** Cuts a stream of bytes into frames. One per direction of a link. */
export class FrameReader {
  readonly #contentBytesMax: number
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headFilled = 0
  /** The frame being filled, once its length is known and its bytes came in pieces. */
  #content: Buffer | null = null
  #filled = 0
  #broken = false

  constructor(contentBytesMax: number) {
    this.#contentBytesMax = contentBytesMax
  }

  /** A frame has begun and is not whole: a sender that stops here holds up everything behind it. */
  get midFrame(): boolean {
    return this.#headFilled > 0
  }

  /**
   * Takes the next bytes and hands out the content of every frame that is whole now, an empty one
   * included. False once a frame announced more than the longest content: where it ends cannot be
   * believed, so nothing is read any more.
   */
  read(chunk: Buffer, onFrame: (content: Buffer) => void): boolean {
    let at = 0
    while (!this.#broken && (at < chunk.length || this.#frameIsWhole())) {
      if (this.#headFilled < HEAD_BYTES) at += this.#fillHead(chunk, at)
      else at += this.#fillContent(chunk, at, onFrame)
    }
    return !this.#broken
  }

  /** An empty frame is whole as soon as its head is. */
  #frameIsWhole(): boolean {
    return this.#headFilled === HEAD_BYTES && this.#filled === this.#length()
  }

  #length(): number {
    return this.#head.readUInt16BE(0)
  }

  #fillHead(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#headFilled, at, at + HEAD_BYTES - this.#headFilled)
    this.#headFilled += taken
    if (this.#headFilled === HEAD_BYTES) this.#broken = this.#length() > this.#contentBytesMax
    return taken
  }

  #fillContent(chunk: Buffer, at: number, onFrame: (content: Buffer) => void): number {
    const length = this.#length()
    const wanted = length - this.#filled
    const taken = Math.min(wanted, chunk.length - at)
    if (this.#filled === 0 && taken === length) {
      // The usual case: the whole frame is in this chunk, and nothing is copied.
      this.#startOver()
      onFrame(chunk.subarray(at, at + length))
      return taken
    }
    this.#content ??= Buffer.allocUnsafe(length)
    chunk.copy(this.#content, this.#filled, at, at + taken)
    this.#filled += taken
    if (this.#filled === length) {
      const content = this.#content
      this.#startOver()
      onFrame(content)
    }
    return taken
  }

  #startOver(): void {
    this.#headFilled = 0
    this.#content = null
    this.#filled = 0
  }
}
