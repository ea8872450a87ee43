// The simulator's own HTTP/1.1 client: keep-alive sockets that carry one message at a time, and a
// line of messages that wait for one. Small on purpose: at thousands of messages a second the
// client must not be what is measured.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type BrokenResponse, type HttpResponse, ResponseReader } from './http-response.ts'

export type Exchange = HttpResponse | BrokenResponse
export type Receive = (exchange: Exchange) => void

export interface Target {
  host: string
  port: number
  /** True where the port speaks TLS; its certificate is checked. */
  tls?: boolean
}

/** A network gives up long before this; it only keeps a run from hanging for ever. */
const ANSWER_MS_MAX = 15_000
const WAITING_MAX = 500_000

interface Waiting {
  bytes: Buffer
  receive: Receive
}

export class ConnectionPool {
  readonly #idle: Connection[] = []
  readonly #connections: Connection[] = []
  #waiting: Waiting[] = []
  #waitingFrom = 0

  constructor(target: Target, connections: number) {
    for (let count = 0; count < connections; count++) {
      this.#connections.push(new Connection(target, (connection) => this.#release(connection)))
    }
    this.#idle.push(...this.#connections)
  }

  /** Messages that found every connection busy and have not left yet. */
  get waiting(): number {
    return this.#waiting.length - this.#waitingFrom
  }

  /**
   * Opens every socket ahead, so that no message pays for a handshake. Resolves when all are open
   * or failed.
   */
  async warm(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.open()))
  }

  /** Sends the bytes on the connection that rested longest; `receive` is called exactly once. */
  send(bytes: Buffer, receive: Receive): void {
    const connection = this.#idle.shift()
    if (connection !== undefined) connection.send(bytes, receive)
    else if (this.waiting < WAITING_MAX) this.#waiting.push({ bytes, receive })
    else
      receive({ kind: 'broken', problem: 'more than ' + WAITING_MAX + ' messages wait to leave' })
  }

  /** Ends every socket; unanswered messages are reported as broken. */
  close(): void {
    const unsent = this.#waiting.slice(this.#waitingFrom)
    this.#waiting = []
    this.#waitingFrom = 0
    for (const connection of this.#connections) connection.close()
    for (const { receive } of unsent)
      receive({ kind: 'broken', problem: 'never left the simulator' })
  }

  #release(connection: Connection): void {
    const next = this.#waiting[this.#waitingFrom]
    if (next === undefined) {
      this.#waiting = []
      this.#waitingFrom = 0
      this.#idle.push(connection)
      return
    }
    this.#waitingFrom++
    connection.send(next.bytes, next.receive)
  }
}

class Connection {
  readonly #target: Target
  readonly #release: (connection: Connection) => void
  readonly #reader = new ResponseReader()
  #socket: Socket | null = null
  #receive: Receive | null = null

  constructor(target: Target, release: (connection: Connection) => void) {
    this.#target = target
    this.#release = release
  }

  open(): Promise<void> {
    const socket = this.#socket ?? this.#connect()
    return new Promise((resolve) => {
      if (!socket.connecting) return resolve()
      socket.once(this.#target.tls ? 'secureConnect' : 'connect', () => resolve())
      socket.once('close', () => resolve())
    })
  }

  send(bytes: Buffer, receive: Receive): void {
    this.#receive = receive
    const socket = this.#socket ?? this.#connect()
    socket.write(bytes)
  }

  close(): void {
    this.#socket?.destroy()
    this.#finish({ kind: 'broken', problem: 'the simulator stopped waiting for the answer' })
  }

  #connect(): Socket {
    const socket = openSocket(this.#target)
    this.#socket = socket
    let reason = 'the connection was closed without an answer'
    socket.on('timeout', () => {
      if (this.#receive === null) return
      reason = 'no answer within ' + ANSWER_MS_MAX / 1000 + ' s'
      socket.destroy()
    })
    socket.on('error', (error) => {
      reason = 'code' in error ? String(error.code) : error.message
    })
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#reader.clear()
      this.#finish({ kind: 'broken', problem: reason })
    })
    socket.on('data', (chunk) => this.#take(socket, chunk))
    return socket
  }

  #take(socket: Socket, chunk: Buffer): void {
    if (this.#socket !== socket) return
    const exchange = this.#reader.read(chunk)
    if (exchange === null) return
    if (exchange.kind === 'broken' || exchange.closes) {
      this.#socket = null
      this.#reader.clear()
      socket.destroy()
    }
    this.#finish(exchange)
  }

  #finish(exchange: Exchange): void {
    const receive = this.#receive
    if (receive === null) return
    this.#receive = null
    receive(exchange)
    this.#release(this)
  }
}

function openSocket({ host, port, tls }: Target): Socket {
  const options = { host, port, noDelay: true, timeout: ANSWER_MS_MAX }
  if (!tls) return connect(options)
  return connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) })
}
