// A TCP port of the engine, with TLS where it is configured. A connection gets its slot before its
// TLS handshake begins, because a handshake costs more than any other refusal.
import { constants } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls'
import type { ConnectionSlots, Slot } from '../../shared/connection-slots.ts'
import { connectionEnds } from '../../shared/peer-address.ts'
import type { Result } from '../../shared/result.ts'
import { moveToSharedReads, type TakePiece } from './shared-reads.ts'

export interface ListenerOptions {
  /** The port's name in a sentence, such as `the network port`. */
  name: string
  host: string
  port: number
  slots: ConnectionSlots
  /** Null: without TLS. */
  tls: TlsOptions | null
  /**
   * A connection that may send: its handshake, where there is one, is done. The listener keeps the
   * slot's account, and gives each piece that comes to the function that this call returns; null
   * where the connection was destroyed.
   */
  onConnection(socket: Socket | TLSSocket, slot: Slot): TakePiece | null
  /** A handshake failed, with the code of its error. */
  onHandshakeFailed(code: string): void
}

export interface Listener {
  readonly port: number
  /** Takes no new connections; open ones go on. */
  close(): void
}

/** A handshake that is not done after this many milliseconds is given up. */
const HANDSHAKE_MS_MAX = 3000
const KEEP_ALIVE_MS = 30_000
/** Connections that the kernel has accepted and the process has not. */
const BACKLOG = 1024

/** Listens, or returns a sentence about why it cannot. */
export function openListener(options: ListenerOptions): Promise<Result<Listener, string>> {
  const { name, host, port } = options
  let tls: TlsListener | null
  try {
    tls = options.tls === null ? null : new TlsListener(options, options.tls)
  } catch {
    return Promise.resolve({
      ok: false,
      error: 'the certificate, key or authorities of ' + name + ' cannot be used',
    })
  }
  const server = createServer(
    {
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      pauseOnConnect: tls === null,
    },
    (socket) => accept(options, tls, socket),
  )
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message
      resolve({
        ok: false,
        error: name + ' ' + host + ':' + port + ' cannot be opened (' + why + ')',
      })
    })
    server.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => {
      // An accept that fails, such as for want of descriptors, is tried again with the next
      // connection.
      server.on('error', () => undefined)
      resolve({ ok: true, value: { port: portOf(server), close: () => void server.close() } })
    })
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function accept(options: ListenerOptions, tls: TlsListener | null, accepted: Socket): void {
  const { slots } = options
  let socket = accepted
  // A reset may fail as well.
  accepted.on('error', ignore)
  const slot = slots.admit(accepted.remoteAddress, () => socket.destroy())
  if (slot === null) {
    accepted.resetAndDestroy()
    return
  }
  if (tls !== null) {
    accepted.once('close', () => slots.release(slot))
    return tls.shakeHands(accepted, slot)
  }
  let take: TakePiece | null = null
  const moved = moveToSharedReads(accepted, (bytes, length) => take?.(bytes, length))
  socket = moved ?? accepted
  socket.on('error', ignore)
  socket.once('close', () => slots.release(slot))
  take = options.onConnection(socket, slot)
  if (moved === null) giveChunks(accepted, take)
}

function ignore(): void {}

/** For connections without shared reads: those of TLS, for which Node.js has none. */
function giveChunks(socket: Socket, take: TakePiece | null): void {
  if (take === null) return
  socket.on('data', (chunk) => take(chunk, chunk.length))
  socket.resume()
}

/** The TLS half of a listener: takes sockets that have a slot. */
class TlsListener {
  readonly #server: TlsServer
  /** Slots of connections whose handshake is not done, by both ends of the connection. */
  readonly #shaking = new Map<string, Slot>()

  /** Throws where certificate, key or authorities cannot be used. */
  constructor(options: ListenerOptions, tls: TlsOptions) {
    this.#server = createTlsServer(
      {
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        handshakeTimeout: HANDSHAKE_MS_MAX,
        ...tls,
      },
      (socket) => {
        const slot = this.#shaking.get(connectionEnds(socket))
        if (slot === undefined || slot.released) socket.destroy()
        else giveChunks(socket, options.onConnection(socket, slot))
      },
    )
    this.#server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      options.slots.countFailedHandshake(error.code)
      options.onHandshakeFailed(error.code ?? 'broken')
      socket.destroy()
    })
  }

  shakeHands(socket: Socket, slot: Slot): void {
    const ends = connectionEnds(socket)
    this.#shaking.set(ends, slot)
    socket.once('close', () => {
      if (this.#shaking.get(ends) === slot) this.#shaking.delete(ends)
    })
    this.#server.emit('connection', socket)
  }
}
