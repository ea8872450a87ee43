// Connections to tenants' endpoints, kept alive per origin and reused, the last used first. One undici client per
// socket, because the line has to know whether a socket had been used before it was reset (DESIGN 4).
import type { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { CallFailure } from './call-failure.ts'
import type { Dial, Dialing } from './dial.ts'

const REPLY_HEADER_BYTES_MAX = 16 * 1024
const KEEP_ALIVE_MS = 20_000
const KEEP_ALIVE_MS_MAX = 60_000
/** A server that promises to keep a connection for this long is believed this much less. */
const KEEP_ALIVE_MARGIN_MS = 1_000
/** Bounds how long an address stays in use after its name moved away. */
const CONNECTION_AGE_MS_MAX = 5 * 60_000
const IDLE_PER_ORIGIN_MAX = 256

export interface Connection {
  readonly origin: string
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: EpochMs
  /** Requests written to the socket so far; more than none means that it is reused. */
  requests: number
}

export interface OpenResult {
  opened(connection: Connection): void
  failed(failure: CallFailure): void
}

export interface Connections {
  /** A connection that answered before and waits for more, or null. The other side may have closed it meanwhile. */
  takeIdle(origin: string): Connection | null
  /** Connects afresh; reports exactly once unless it is cancelled. */
  open(url: URL, result: OpenResult): Dialing
  /** After a complete reply: keeps the connection for the next call where it may live on. */
  putBack(connection: Connection): void
  /** Ends the connection and whatever runs on it. */
  discard(connection: Connection): void
}

export function openConnections(options: { dial: Dial; clock: Clock }): Connections {
  const { dial, clock } = options
  const idle = new Map<string, Connection[]>()

  function wrap(origin: string, socket: Socket): Connection {
    const client = new Client(origin, { ...CLIENT_OPTIONS, connect: handOver(socket) })
    const connection = { origin, client, socket, openedAtMs: clock.nowMs(), requests: 0 }
    client.on('disconnect', () => discard(connection))
    return connection
  }

  function discard(connection: Connection): void {
    const line = idle.get(connection.origin)
    const index = line?.indexOf(connection) ?? -1
    if (index !== -1) line?.splice(index, 1)
    if (line?.length === 0) idle.delete(connection.origin)
    connection.socket.destroy()
    connection.client.destroy(() => undefined)
  }

  return {
    takeIdle(origin) {
      const line = idle.get(origin)
      let connection = line?.pop()
      while (connection?.socket.destroyed) connection = line?.pop()
      if (line?.length === 0) idle.delete(origin)
      return connection ?? null
    },
    open(url, result) {
      return dial(url, {
        connected: (socket) => result.opened(wrap(url.origin, socket)),
        failed: result.failed,
      })
    },
    putBack(connection) {
      const line = idle.get(connection.origin) ?? []
      const old = clock.nowMs() - connection.openedAtMs > CONNECTION_AGE_MS_MAX
      if (connection.socket.destroyed || old || line.length >= IDLE_PER_ORIGIN_MAX) {
        discard(connection)
        return
      }
      line.push(connection)
      idle.set(connection.origin, line)
    },
    discard,
  }
}

// Every limit in time is the call's own: undici's timers above a second are half a second coarse.
const CLIENT_OPTIONS = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: REPLY_HEADER_BYTES_MAX,
  maxResponseSize: -1,
  strictContentLength: true,
}

/** Gives the one socket to its client; a client that lost it and asks again is refused, so it never reconnects unseen. */
function handOver(socket: Socket): buildConnector.connector {
  let given = false
  return (_options, give) => {
    // Not at once: undici ignores a connection that is there before its connect call returns.
    queueMicrotask(() => {
      if (given || socket.destroyed) return give(new ConnectionLost(), null)
      given = true
      give(null, socket)
    })
  }
}

/** The socket was gone before the request was written to it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}
