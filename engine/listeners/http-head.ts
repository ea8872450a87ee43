// Parses the head of an HTTP/1.1 request line by line from its bytes. The parser refuses every head
// that two readers could read two ways: bare line feeds, folded headers, control characters, spaces
// before a colon, a repeated header that must be single.
import type { ErrorCode } from '../../shared/error-catalog.ts'

/** Bytes of request line and headers, with the empty line. */
export const HEAD_BYTES_MAX = 4096
const HEADERS_MAX = 100

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const SLASH = 47
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
const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i

/** One head at a time; `start` begins the next. */
export class HttpHead {
  method = ''
  /** Without the query. */
  path = ''
  signature = ''
  keyId = ''
  /** As it was sent; null where it was not. */
  contentLength: string | null = null
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

  /** Forgets the head before. */
  start(): void {
    this.signature = ''
    this.keyId = ''
    this.contentLength = null
    this.hasTransferEncoding = false
    this.expectsContinue = false
    this.closes = false
    this.duplicated = null
    this.#seen = 0
    this.#hasHost = false
    this.#lines = 0
    this.#from = 0
  }

  /**
   * Reads on in the bytes of the request, which begin at offset 0 and are the same as before up to
   * where they ended. True when the head is whole, false while bytes are missing, or the fault.
   */
  read(bytes: Buffer, length: number): boolean | ErrorCode {
    let from = this.#from
    for (let at = from; at < length; at++) {
      const byte = bytes[at] as number
      if (byte >= SPACE && byte !== DELETE) continue
      if (byte === TAB && this.#lines > 0) continue
      if (byte !== CR) return 'malformed_request'
      if (at + 1 === length) break
      if (bytes[at + 1] !== LF) return 'malformed_request'
      if (at === from) return this.#finish(at + 2)
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

  #finish(end: number): boolean | ErrorCode {
    this.end = end
    if (this.#lines === 0 || !this.#hasHost) return 'malformed_request'
    return end > HEAD_BYTES_MAX ? 'headers_too_large' : true
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
    this.#take(name, bytes.toString('latin1', first, last))
    return null
  }

  #take(name: HeaderName, value: string): void {
    const bit = ONCE[name] ?? 0
    if ((this.#seen & bit) !== 0) this.duplicated = name
    this.#seen |= bit
    switch (name) {
      case 'svc-signature':
        this.signature = value
        return
      case 'svc-key-id':
        this.keyId = value
        return
      case 'content-length':
        this.contentLength = value
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
