// One answer of the HTTP port. Never leaves while the library still reads what arrived, never waits for a reader who does
// not read: either closes the connection.

import type { HttpResponse } from 'uWebSockets.js'
import { ERRORS, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import type { Reply } from '../line/line.ts'

/** Seconds after which a refused sender may try again. */
const RETRY_AFTER_S = '1'
const UNAUTHORIZED = 401
/** The library closes a connection that rests for 8 to 12 s: who is told rests no longer, and sends nothing into a closing one. */
const KEEP_ALIVE = 'timeout=8'
/** RFC 6797: seconds for which a browser reaches this host by HTTPS only. */
const HTTPS_ONLY = 'max-age=31536000'
const STATUS_LINES: { readonly [status: number]: string } = {
  400: '400 Bad Request',
  401: '401 Unauthorized',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  411: '411 Length Required',
  413: '413 Payload Too Large',
  503: '503 Service Unavailable',
}

/** What all replies of a door share. */
export interface DoorState {
  /** The process leaves: every answer is the last of its connection, so that the next message finds our successor. */
  leaving: boolean
  /** The port speaks TLS. */
  readonly secure: boolean
}

export class HttpReply implements Reply {
  readonly #res: HttpResponse
  readonly #door: DoorState
  #open = true
  /**
   * True while the library is inside the bytes of this request. An answer now would let it go on to a second request in the
   * same bytes; one turn later it has closed a connection on which there was one.
   */
  #reading = true

  constructor(res: HttpResponse, door: DoorState) {
    this.#res = res
    this.#door = door
    res.onAborted(() => {
      this.#open = false
    })
  }

  /** False once it was answered or its sender hung up. */
  get open(): boolean {
    return this.#open
  }

  /** The library has taken everything of this request. */
  read(): void {
    this.#reading = false
  }

  /** Chosen: who cannot sign has no connection, so a 401 is the last answer of its own. */
  send(status: number, body: string): void {
    const last = status === UNAUTHORIZED || this.#door.leaving
    this.#send({ status, body, last, type: 'application/json' })
  }

  /** The last answer of its connection: where the refused message ends, two readers could disagree. */
  error(code: ErrorCode, param: string | null = null, allow?: string): void {
    const body = JSON.stringify(errorBody(code, param))
    this.#send({ status: ERRORS[code].status, body, last: true, type: 'application/json', allow })
  }

  /** The last answer too: nobody who signed nothing holds a connection. */
  page(status: number, body: string, type = 'application/json'): void {
    this.#send({ status, body, last: true, type })
  }

  #send(answer: Answer): void {
    if (!this.#open) return
    if (this.#reading) {
      this.#reading = false
      setImmediate(() => this.#send(answer))
      return
    }
    this.#open = false
    let taken = true
    this.#res.cork(() => {
      // The library says 200 by itself.
      if (answer.status !== 200)
        this.#res.writeStatus(STATUS_LINES[answer.status] ?? answer.status + ' Error')
      if (answer.status === 503) this.#res.writeHeader('Retry-After', RETRY_AFTER_S)
      if (answer.allow !== undefined) this.#res.writeHeader('Allow', answer.allow)
      this.#res.writeHeader('Content-Type', answer.type)
      this.#res.writeHeader('X-Content-Type-Options', 'nosniff')
      if (this.#door.secure) this.#res.writeHeader('Strict-Transport-Security', HTTPS_ONLY)
      if (answer.last) this.#res.end(answer.body, true)
      else {
        this.#res.writeHeader('Keep-Alive', KEEP_ALIVE)
        taken = this.#res.tryEnd(answer.body, Buffer.byteLength(answer.body))[1]
      }
    })
    // The sender reads no answers: the kernel's buffer for it is full, and we keep none of our own.
    if (!taken) this.#res.close()
  }
}

interface Answer {
  status: number
  body: string
  last: boolean
  type: string
  allow?: string | undefined
}
