// One connection of the HTTP port. It carries one request at a time, and each of its waits has an
// end: for a request to be whole, for the next one, for its answers to be taken, for its peer to
// close.
import type { Socket } from 'node:net'
import type { Clock } from '../../shared/clock.ts'
import type { ConnectionSlots, Slot } from '../../shared/connection-slots.ts'
import { CONTINUE, HttpReply, type ReplyTarget } from './http-reply.ts'
import { HttpRequest } from './http-request.ts'

/** Data that all connections of one port share. */
export interface HttpPort {
  readonly clock: Clock
  readonly slots: ConnectionSlots
  /** Header lines of every answer, `Date` among them. */
  readonly commonLines: string
  /** The head of an answer to a signed message, up to the digits of its length. */
  readonly okHead: string
  /**
   * The process stops: each answer is the last of its connection, so that the next message finds
   * the successor.
   */
  leaving: boolean
  /** A whole request. Its bytes are valid until this call returns. */
  handle(request: HttpRequest, reply: HttpReply, connection: HttpConnection): void
}

/** Until the first request of a connection has begun. */
const FIRST_MS_MAX = 5000
/** From the first byte of a request to its last: twice as long as its answer may take. */
const REQUEST_MS_MAX = 3000
/** Milliseconds between two requests; a little longer than the `Keep-Alive` header states. */
const REST_MS_MAX = 10_000
/** Without the peer taking an answer. */
const UNTAKEN_MS_MAX = 10_000
/** Bytes of answers that the peer has not taken. */
const UNTAKEN_BYTES_MAX = 16 * 1024
/**
 * After the last answer: a connection that closes with unread bytes is reset, and its peer may not
 * see the answer.
 */
const LINGER_MS_MAX = 1000
const LINGER_BYTES_MAX = 128 * 1024
const NS_PER_MS = 1e6
const FROM_NEXT_CHECK = -1

export class HttpConnection implements ReplyTarget {
  reply: HttpReply | null = null
  readonly socket: Socket
  readonly #port: HttpPort
  readonly #slot: Slot
  readonly #request = new HttpRequest()
  #limitMs = FIRST_MS_MAX
  /**
   * Since when `#limitMs` counts, monotonic nanoseconds; `FROM_NEXT_CHECK` between two requests,
   * so that an answer need not look at the clock.
   */
  #sinceNs: number
  #lingering = false
  #dropped = 0

  constructor(socket: Socket, slot: Slot, port: HttpPort, onClose: () => void) {
    this.socket = socket
    this.#slot = slot
    this.#port = port
    this.#sinceNs = port.clock.monotonicNs()
    this.#request.start()
    // Half-closed connections are closed: a network waits for its answer with both halves open.
    socket.on('end', () => {
      this.reply = null
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.reply = null
      onClose()
    })
  }

  get closing(): boolean {
    return this.#port.leaving || this.#request.head.closes
  }

  get commonLines(): string {
    return this.#port.commonLines
  }

  get okHead(): string {
    return this.#port.okHead
  }

  write(text: string, encoding: BufferEncoding, last: boolean, authenticated: boolean): void {
    const { socket } = this
    if (authenticated) this.#port.slots.authenticate(this.#slot)
    if (socket.writableLength > UNTAKEN_BYTES_MAX) return void socket.destroy()
    if (last) {
      this.#lingering = true
      this.#wait(LINGER_MS_MAX)
      socket.end(text, encoding)
      return
    }
    socket.write(text, encoding)
    this.#request.start()
    this.#limitMs = REST_MS_MAX
    this.#sinceNs = FROM_NEXT_CHECK
  }

  /** Closes the connection where one of its waits took too long. */
  check(nowNs: number): void {
    const { socket } = this
    // A decision has an end of its own.
    if (this.reply !== null) return
    if (this.#sinceNs === FROM_NEXT_CHECK) this.#sinceNs = nowNs
    const waitedMs = (nowNs - this.#sinceNs) / NS_PER_MS
    if (socket.writableLength > 0 && !this.#lingering) {
      if (waitedMs > UNTAKEN_MS_MAX) socket.destroy()
    } else if (waitedMs > this.#limitMs) socket.destroy()
  }

  /** Takes the next piece: the first `length` bytes of `bytes`, valid until this call returns. */
  read(bytes: Buffer, length: number): void {
    if (this.#lingering) return this.#drop(length)
    // A second request before the first is answered.
    if (this.reply !== null) return void this.socket.destroy()
    const request = this.#request
    const { begun } = request
    const outcome = request.read(bytes, length)
    if (outcome === 'whole') {
      const reply = new HttpReply(this, request.head.method === 'HEAD')
      return this.#port.handle(request, reply, this)
    }
    if (outcome === 'incomplete') return this.#await(begun)
    if (outcome === 'crowded') return void this.socket.destroy()
    const { method, duplicated } = request.head
    const param = outcome === 'header_duplicated' ? duplicated : null
    new HttpReply(this, method === 'HEAD').error(outcome, param)
  }

  /** The rest of the request is to come; `begun`: an earlier piece has begun its wait. */
  #await(begun: boolean): void {
    const request = this.#request
    if (!begun) this.#wait(REQUEST_MS_MAX)
    if (!request.awaitsContinue) return
    request.head.expectsContinue = false
    this.socket.write(CONTINUE, 'latin1')
  }

  #drop(length: number): void {
    this.#dropped += length
    if (this.#dropped > LINGER_BYTES_MAX) this.socket.destroy()
  }

  #wait(limitMs: number): void {
    this.#limitMs = limitMs
    this.#sinceNs = this.#port.clock.monotonicNs()
  }
}
