// One answer of the HTTP port: its text, and whether it is the last of its connection.
import { ERRORS, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import type { Reply } from '../line/line.ts'

/** Seconds after which a refused sender may try again. */
const RETRY_AFTER_S = '1'
const UNAUTHORIZED = 401
const UNAVAILABLE = 503
/**
 * A connection that rests is closed a little later: a sender that heeds it sends nothing into a
 * closing one.
 */
const KEEP_ALIVE = 'Keep-Alive: timeout=8\r\n'
const LAST = 'Connection: close\r\n'
const OK = 'HTTP/1.1 200 OK\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const LENGTH = 'Content-Length: '
const HEAD_END = '\r\n\r\n'
const REASONS: { readonly [status: number]: string } = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  411: 'Length Required',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported',
}
/** The head of an answer to a signed message, up to the digits of its length. */
export function okHeadOf(commonLines: string): string {
  return OK + JSON_TYPE + commonLines + KEEP_ALIVE + LENGTH
}

/** Asks the sender to continue with the body that it announced. */
export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** The connection as its answer needs it. */
export interface ReplyTarget {
  /** The reply that may be sent now; null where there is none. */
  reply: HttpReply | null
  /**
   * True if the next answer has to be the last, because the sender asked for it or the process
   * stops.
   */
  readonly closing: boolean
  /** Header lines of every answer, `Date` among them. */
  readonly commonLines: string
  /** `okHeadOf` of these lines. */
  readonly okHead: string
  /** Writes the answer. `authenticated`: the message bore a right signature. */
  write(text: string, encoding: BufferEncoding, last: boolean, authenticated: boolean): void
}

export class HttpReply implements Reply {
  readonly #target: ReplyTarget
  readonly #bodiless: boolean

  /** `bodiless`: the answer to a HEAD request. */
  constructor(target: ReplyTarget, bodiless: boolean) {
    this.#target = target
    this.#bodiless = bodiless
    target.reply = this
  }

  /** False once the reply was sent or the sender hung up. */
  get open(): boolean {
    return this.#target.reply === this
  }

  /**
   * Chosen: a sender that cannot sign has no connection, so a 401 is the last answer of its own.
   */
  send(status: number, body: string): void {
    if (!this.open) return
    const last = status === UNAUTHORIZED || this.#target.closing
    if (status === 200 && !last) return this.#sendOk(body)
    // A 503 comes before the check of the signature.
    const authenticated = status !== UNAUTHORIZED && status !== UNAVAILABLE
    this.#send({ status, body, last, authenticated, typeLine: JSON_TYPE, more: '' })
  }

  /**
   * The last answer of its connection: two readers could disagree about the end of a refused
   * message.
   */
  error(code: ErrorCode, param: string | null = null, allow?: string): void {
    const body = JSON.stringify(errorBody(code, param))
    const more = allow === undefined ? '' : 'Allow: ' + allow + '\r\n'
    const { status } = ERRORS[code]
    this.#send({ status, body, last: true, authenticated: false, typeLine: JSON_TYPE, more })
  }

  /** The last answer too: a caller that signed nothing holds no connection. */
  page(status: number, body: string, type = 'application/json'): void {
    const typeLine = 'Content-Type: ' + type + '\r\n'
    this.#send({ status, body, last: true, authenticated: false, typeLine, more: '' })
  }

  /** As `#send` writes it, by the text that the port made for all such answers of this second. */
  #sendOk(body: string): void {
    const target = this.#target
    target.reply = null
    const length = Buffer.byteLength(body)
    const encoding = length === body.length ? 'latin1' : 'utf8'
    const head = target.okHead + length + HEAD_END
    target.write(this.#bodiless ? head : head + body, encoding, false, true)
  }

  #send({ status, body, last, authenticated, typeLine, more }: Answer): void {
    if (!this.open) return
    const target = this.#target
    target.reply = null
    const length = Buffer.byteLength(body)
    const head =
      (status === 200 ? OK : 'HTTP/1.1 ' + status + ' ' + (REASONS[status] ?? 'Error') + '\r\n') +
      typeLine +
      (status === UNAVAILABLE ? more + 'Retry-After: ' + RETRY_AFTER_S + '\r\n' : more) +
      target.commonLines +
      (last ? LAST : KEEP_ALIVE) +
      LENGTH +
      length +
      HEAD_END
    // Where each character is a byte, the short encoding is the same and much quicker.
    const encoding = length === body.length ? 'latin1' : 'utf8'
    target.write(this.#bodiless ? head : head + body, encoding, last, authenticated)
  }
}

interface Answer {
  status: number
  body: string
  last: boolean
  authenticated: boolean
  typeLine: string
  /** Further header lines. */
  more: string
}
