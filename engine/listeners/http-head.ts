// Parses the head of an HTTP/1.1 request line by line from its bytes. The parser refuses every head
// that two readers could read two ways: bare line feeds, folded headers, control characters, spaces
// before a colon, a repeated header that must be single. A sender repeats its head from message to
// message: a head that differs from the one before only in its signature and in the digits of its
// length is compared and not parsed.
import type { ErrorCode } from '../../shared/error-catalog.ts'

/** Bytes of request line and headers, with the empty line. */
export const HEAD_BYTES_MAX = 4096
const HEADERS_MAX = 100

/** Marks of a template. No head holds these bytes, because a control character is a fault. */
const ANY_VISIBLE = 0
const ANY_DIGIT = 1
const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const SLASH = 47
const ZERO = 48
const NINE = 57
const QUESTION_MARK = 63
const DELETE = 127
const TO_LOWER_CASE = 32

/** RFC 9110 5.6.2: the characters of a method and of a header's name. */
const IS_TOKEN = new Uint8Array(256)
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  IS_TOKEN[character.charCodeAt(0)] = 1

const VERSION = 'HTTP/1.1'
const ANY_VERSION = /^HTTP\/\d(?:\.\d)?$/

/** Headers that are read. */
type HeaderName =
  | 'host'
  | 'expect'
  | 'connection'
  | 'svc-key-id'
  | 'svc-signature'
  | 'content-length'
  | 'transfer-encoding'
const NAMES: { readonly [length: number]: readonly HeaderName[] } = {
  4: ['host'],
  6: ['expect'],
  10: ['connection', 'svc-key-id'],
  13: ['svc-signature'],
  14: ['content-length'],
  17: ['transfer-encoding'],
}

/**
 * Headers that may appear only once, by their bit: read twice, two readers could disagree about the
 * message.
 */
const ONCE: { readonly [Name in HeaderName]?: number } = {
  'content-length': 1,
  host: 2,
  'svc-signature': 4,
  'svc-key-id': 8,
  'transfer-encoding': 16,
}
/** More digits are no length that anybody sends. */
const LENGTH_DIGITS_MAX = 15
const EMPTY = Buffer.alloc(0)
const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i

/** One head at a time; `start` begins the next. */
export class HttpHead {
  method = ''
  /** Without the query. */
  path = ''
  signature = ''
  keyId = ''
  contentLength: number | 'absent' | 'empty' | 'malformed' = 'absent'
  hasTransferEncoding = false
  expectsContinue = false
  closes = false
  /** The header that stands there twice and may not; null where none does. */
  duplicated: string | null = null
  /** Offset of the first byte behind the head, once it is whole. */
  end = 0
  #seen = 0
  #hasHost = false
  #lines = 0
  /** Offset of the first line that is not read yet. */
  #from = 0
  #begun = false
  /**
   * The head before, with marks in place of its signature and of the digits of its length; valid
   * up to `#templateEnd`, which is 0 where no head may be compared with it.
   */
  #template: Buffer = EMPTY
  #templateEnd = 0
  #signatureAt = 0
  #signatureEnd = 0
  #lengthAt = 0
  #lengthEnd = 0

  /** The next bytes begin another head. */
  start(): void {
    this.#begun = false
  }

  /**
   * Reads on in the bytes of the request, which begin at offset 0 and are the same as before up to
   * where they ended. True when the head is whole, false while bytes are missing, or the fault.
   */
  read(bytes: Buffer, length: number): boolean | ErrorCode {
    if (!this.#begun) {
      this.#begun = true
      if (this.#repeats(bytes, length)) return true
      this.#forget()
    }
    let from = this.#from
    for (let at = from; at < length; at++) {
      const byte = bytes[at] as number
      if (byte >= SPACE && byte !== DELETE) continue
      if (byte === TAB && this.#lines > 0) continue
      if (byte !== CR) return 'malformed_request'
      if (at + 1 === length) break
      if (bytes[at + 1] !== LF) return 'malformed_request'
      if (at === from) return this.#finish(bytes, at + 2)
      const fault =
        this.#lines === 0 ? this.#readLine(bytes, at) : this.#readHeader(bytes, from, at)
      if (fault !== null) return fault
      this.#lines += 1
      at += 1
      from = at + 1
      this.#from = from
    }
    return length > HEAD_BYTES_MAX ? 'headers_too_large' : false
  }

  /** True where the bytes begin with the head before, but for another signature and length. */
  #repeats(bytes: Buffer, length: number): boolean {
    const template = this.#template
    const end = this.#templateEnd
    if (end === 0 || length < end) return false
    for (let at = 0; at < end; at++) {
      const expected = template[at] as number
      const byte = bytes[at] as number
      if (expected > ANY_DIGIT) {
        if (byte !== expected) return false
      } else if (expected === ANY_VISIBLE) {
        if (byte <= SPACE || byte >= DELETE) return false
      } else if (byte < ZERO || byte > NINE) return false
    }
    this.end = end
    this.signature = bytes.toString('latin1', this.#signatureAt, this.#signatureEnd)
    this.contentLength = lengthAt(bytes, this.#lengthAt, this.#lengthEnd)
    return true
  }

  #forget(): void {
    this.signature = ''
    this.keyId = ''
    this.contentLength = 'absent'
    this.hasTransferEncoding = false
    this.expectsContinue = false
    this.closes = false
    this.duplicated = null
    this.#seen = 0
    this.#hasHost = false
    this.#lines = 0
    this.#from = 0
    this.#templateEnd = 0
    this.#signatureEnd = 0
    this.#lengthEnd = 0
  }

  #finish(bytes: Buffer, end: number): boolean | ErrorCode {
    this.end = end
    if (this.#lines === 0 || !this.#hasHost) return 'malformed_request'
    if (end > HEAD_BYTES_MAX) return 'headers_too_large'
    this.#keepTemplate(bytes)
    return true
  }

  /** Only of a usual head: signed, with a length, and nothing that ends or bends the exchange. */
  #keepTemplate(bytes: Buffer): void {
    if (this.#signatureEnd === 0 || typeof this.contentLength !== 'number') return
    if (this.duplicated !== null || this.hasTransferEncoding) return
    if (this.expectsContinue || this.closes) return
    if (this.#template.length < this.end) this.#template = Buffer.allocUnsafeSlow(this.end)
    bytes.copy(this.#template, 0, 0, this.end)
    this.#template.fill(ANY_VISIBLE, this.#signatureAt, this.#signatureEnd)
    this.#template.fill(ANY_DIGIT, this.#lengthAt, this.#lengthEnd)
    this.#templateEnd = this.end
  }

  /** `POST /path?query HTTP/1.1`. */
  #readLine(bytes: Buffer, end: number): ErrorCode | null {
    let at = 0
    while (IS_TOKEN[bytes[at] as number] === 1) at += 1
    if (at === 0 || bytes[at] !== SPACE) return 'malformed_request'
    const methodEnd = at
    const targetAt = at + 1
    const targetEnd = bytes.lastIndexOf(SPACE, end)
    if (targetEnd <= targetAt) return 'malformed_request'
    const version = bytes.toString('latin1', targetEnd + 1, end)
    if (version !== VERSION)
      return ANY_VERSION.test(version) ? 'http_version_unsupported' : 'malformed_request'
    if (bytes[targetAt] !== SLASH) return 'malformed_request'
    let pathEnd = targetEnd
    for (at = targetAt; at < targetEnd; at++) {
      const byte = bytes[at] as number
      if (byte === SPACE || byte > DELETE) return 'malformed_request'
      if (byte === QUESTION_MARK && pathEnd === targetEnd) pathEnd = at
    }
    this.method = bytes.toString('latin1', 0, methodEnd)
    this.path = bytes.toString('latin1', targetAt, pathEnd)
    return null
  }

  #readHeader(bytes: Buffer, from: number, end: number): ErrorCode | null {
    if (this.#lines > HEADERS_MAX) return 'headers_too_large'
    let colon = from
    while (IS_TOKEN[bytes[colon] as number] === 1) colon += 1
    if (colon === from || bytes[colon] !== COLON) return 'malformed_request'
    const name = nameAt(bytes, from, colon)
    if (name === null) return null
    let first = colon + 1
    let last = end
    while (first < last && isBlank(bytes[first])) first += 1
    while (last > first && isBlank(bytes[last - 1])) last -= 1
    this.#take(name, bytes, first, last)
    return null
  }

  #take(name: HeaderName, bytes: Buffer, from: number, end: number): void {
    const bit = ONCE[name] ?? 0
    if ((this.#seen & bit) !== 0) this.duplicated = name
    this.#seen |= bit
    if (name === 'content-length') {
      this.contentLength = lengthAt(bytes, from, end)
      this.#lengthAt = from
      this.#lengthEnd = end
      return
    }
    const value = bytes.toString('latin1', from, end)
    switch (name) {
      case 'svc-signature':
        this.signature = value
        this.#signatureAt = from
        this.#signatureEnd = end
        return
      case 'svc-key-id':
        this.keyId = value
        return
      case 'host':
        this.#hasHost = value !== ''
        return
      case 'transfer-encoding':
        this.hasTransferEncoding = true
        return
      case 'connection':
        if (CLOSE.test(value)) this.closes = true
        return
      case 'expect':
        if (value.toLowerCase() === '100-continue') this.expectsContinue = true
    }
  }
}

function lengthAt(bytes: Buffer, from: number, end: number): number | 'empty' | 'malformed' {
  if (end === from) return 'empty'
  if (end - from > LENGTH_DIGITS_MAX) return 'malformed'
  let length = 0
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number
    if (byte < ZERO || byte > NINE) return 'malformed'
    length = length * 10 + byte - ZERO
  }
  return length
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB
}

/** Null for a header that is not read. */
function nameAt(bytes: Buffer, from: number, end: number): HeaderName | null {
  for (const name of NAMES[end - from] ?? []) {
    let at = 0
    while (at < name.length && lowerCase(bytes[from + at] as number) === name.charCodeAt(at))
      at += 1
    if (at === name.length) return name
  }
  return null
}

function lowerCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte | TO_LOWER_CASE : byte
}
