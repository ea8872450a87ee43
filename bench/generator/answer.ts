// Where one HTTP answer ends. A server's answers look alike: its head is found once, and of the
// next one only looked at where it should be.

const SPACE = 32
const ZERO = 48
const NINE = 57
const CR = 13
const LF = 10
const STATUS_AT = 9
/** Digits of a status. */
const STATUS_DIGITS = 3

/** The result for an answer whose length is not there yet. */
export const INCOMPLETE = 0
/** The result for an answer without a length, which servers under measurement never send. */
export const ENDLESS = -1

export class AnswerReader {
  /**
   * Where the digits of the length begin, how many they are, and where the body begins, in the last
   * answer.
   */
  #lengthAt = 0
  #digits = 0
  #bodyAt = 0

  /** Bytes of the whole answer at the start of `bytes`, INCOMPLETE or ENDLESS. */
  total(bytes: Uint8Array, length: number): number {
    const bodyAt = this.#bodyAt
    if (bodyAt > 0 && length >= bodyAt && this.#looksAlike(bytes)) {
      return bodyAt + numberAt(bytes, this.#lengthAt, this.#digits)
    }
    return this.#learn(Buffer.from(bytes.buffer, bytes.byteOffset, length))
  }

  #looksAlike(bytes: Uint8Array): boolean {
    const bodyAt = this.#bodyAt
    const endAt = this.#lengthAt + this.#digits
    return (
      bytes[bodyAt - 1] === LF &&
      bytes[bodyAt - 2] === CR &&
      bytes[bodyAt - 3] === LF &&
      bytes[bodyAt - 4] === CR &&
      bytes[endAt] === CR &&
      bytes[this.#lengthAt - 1] === SPACE &&
      isDigit(bytes[this.#lengthAt]) &&
      isDigit(bytes[endAt - 1])
    )
  }

  #learn(answer: Buffer): number {
    const endAt = answer.indexOf('\r\n\r\n')
    if (endAt < 0) return INCOMPLETE
    const found = /\r\ncontent-length: (\d{1,9})\r\n/i.exec(answer.toString('latin1', 0, endAt + 2))
    if (found === null) return ENDLESS
    const digits = found[1] ?? ''
    this.#lengthAt = found.index + found[0].length - 2 - digits.length
    this.#digits = digits.length
    this.#bodyAt = endAt + 4
    return this.#bodyAt + Number(digits)
  }
}

/** The status of an answer that begins in `bytes`. */
export function statusIn(bytes: Uint8Array): number {
  return numberAt(bytes, STATUS_AT, STATUS_DIGITS)
}

function numberAt(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0
  for (let index = at; index < at + digits; index++)
    value = value * 10 + (bytes[index] as number) - ZERO
  return value
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}
