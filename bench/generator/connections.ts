// Open connections of a generator, each with at most one request under way: a server under
// measurement never gets two at once.
import { connect, type Socket } from 'node:net'
import { AnswerReader, ENDLESS, INCOMPLETE, statusIn } from './answer.ts'
import type { Answered, Lane } from './lane.ts'
import { READ_BUFFER, type StreamHandle, takeOver, write } from './stream.ts'

const OPENING_MAX = 64

/** An engine takes 1,024 connections of one address, those that are being closed among them. */
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
let opened = 0

export class Connection implements Lane {
  sinceMs = 0
  #handle: StreamHandle | null = null
  #socket: Socket | null = null
  #open = false
  #waiting = false
  /** The part of an answer that came alone. */
  #part: Buffer | null = null
  readonly #port: number
  readonly #reader: AnswerReader
  readonly #answered: Answered

  constructor(port: number, reader: AnswerReader, answered: Answered) {
    this.#port = port
    this.#reader = reader
    this.#answered = answered
  }

  /** Resolves when it is open, rejects if nothing listens. */
  open(): Promise<void> {
    const localAddress = ADDRESSES[opened++ % ADDRESSES.length]
    const socket = connect({ host: '127.0.0.1', port: this.#port, localAddress, noDelay: true })
    this.#socket = socket
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        this.#handle = takeOver(socket, (bytes) => this.#read(bytes))
        this.#open = true
        resolve()
      })
    })
  }

  send(request: Buffer, sinceMs: number): void {
    this.sinceMs = sinceMs
    this.#waiting = true
    if (!this.#open || this.#handle === null || !write(this.#handle, request)) this.#break()
  }

  close(): void {
    this.#waiting = false
    this.#open = false
    this.#socket?.destroy()
  }

  #read(count: number): void {
    if (count < 0) return this.#break()
    if (count === 0) return
    const bytes = this.#part === null ? READ_BUFFER : this.#joined(count)
    const length = this.#part === null ? count : bytes.length
    const total = this.#reader.total(bytes, length)
    if (total === INCOMPLETE || total > length) {
      this.#part = Buffer.from(bytes.subarray(0, length))
      return
    }
    this.#part = null
    // An answer without an end, or without a request.
    if (total === ENDLESS || total < length || !this.#waiting) return this.#break()
    this.#waiting = false
    this.#answered(this, statusIn(bytes))
  }

  #joined(count: number): Buffer {
    return Buffer.concat([this.#part as Buffer, READ_BUFFER.subarray(0, count)])
  }

  /** Runs once: the request under way has no answer; the next request needs another connection. */
  #break(): void {
    this.#open = false
    this.#socket?.destroy()
    this.#part = null
    if (!this.#waiting) return
    this.#waiting = false
    // One turn later: the caller may send again at once, and would be called again from inside.
    setImmediate(() => {
      this.open().then(
        () => this.#answered(this, 0),
        () => this.#answered(this, 0),
      )
    })
  }
}

/** Opens so many, all of one server, one answer of which looks like the other. */
export async function openConnections(
  port: number,
  count: number,
  answered: Answered,
): Promise<Connection[]> {
  const reader = new AnswerReader()
  const all = Array.from({ length: count }, () => new Connection(port, reader, answered))
  // A server's queue of new ones is short.
  for (let from = 0; from < count; from += OPENING_MAX) {
    await Promise.all(all.slice(from, from + OPENING_MAX).map((connection) => connection.open()))
  }
  return all
}
