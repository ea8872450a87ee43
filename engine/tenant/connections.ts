// Connections to tenants' endpoints, kept alive per origin and reused, the last used first. One
// undici client per socket, because the caller must know whether a socket had been used before a
// reset.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { CallFailure } from './call-failure.ts'
import type { Dial } from './dial.ts'

const REPLY_HEADER_BYTES_MAX = 16 * 1024
const KEEP_ALIVE_MS = 20_000
const KEEP_ALIVE_MS_MAX = 60_000
/** Milliseconds subtracted from a server's promised keep-alive time. */
const KEEP_ALIVE_MARGIN_MS = 1_000
/** Limits how long an old address is used after its name moved. */
const CONNECTION_AGE_MS_MAX = 5 * 60_000
const IDLE_PER_ORIGIN_MAX = 256
/**
 * Limit for an attempt whose call has taken another connection; a waiting call has a limit of its
 * own.
 */
const DIAL_MS_MAX = 5_000

export interface Connection {
  readonly origin: string
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: EpochMs
  /**
   * True after the first return to the pool, so the other side may have closed the connection
   * unseen.
   */
  kept: boolean
}

export interface ConnectionResult {
  opened(connection: Connection): void
  failed(failure: CallFailure): void
}

export interface ConnectionWait {
  /** Stops waiting; no result is reported afterwards. */
  cancel(): void
}

export interface Connections {
  /**
   * Returns an idle connection that answered before, or null. The other side may have closed it
   * meanwhile.
   */
  takeIdle(origin: string): Connection | null
  /**
   * Connects, and reports exactly once unless it is cancelled. Without `fresh` it also accepts a
   * connection that another call puts back: if connecting is slow, calls would otherwise pile up
   * connections and make it slower.
   */
  open(url: URL, fresh: boolean, result: ConnectionResult): ConnectionWait
  /** Call it after a complete reply: keeps the connection for the next call if it may stay open. */
  putBack(connection: Connection): void
  /** Ends the connection and any call on it. */
  discard(connection: Connection): void
}

/** Opens each connection on demand, and reuses none older than CONNECTION_AGE_MS_MAX. */
export function openConnections(options: { dial: Dial; clock: Clock }): Connections {
  const { dial, clock } = options
  const idle = new Map<string, Connection[]>()
  const waiting = new Map<string, Set<ConnectionResult>>()

  function wrap(origin: string, socket: Socket): Connection {
    const client = new Client(origin, { ...CLIENT_OPTIONS, connect: handOver(socket) })
    const connection = { origin, client, socket, openedAtMs: clock.nowMs(), kept: false }
    // undici watches a socket only from its first request on; an unused socket would stay for ever.
    socket.setTimeout(KEEP_ALIVE_MS, () => discard(connection))
    socket.once('close', () => discard(connection))
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

  function stopWaiting(origin: string, result: ConnectionResult): void {
    const line = waiting.get(origin)
    line?.delete(result)
    if (line?.size === 0) waiting.delete(origin)
  }

  function putBack(connection: Connection): void {
    const { origin, openedAtMs, socket } = connection
    if (socket.destroyed || clock.nowMs() - openedAtMs > CONNECTION_AGE_MS_MAX) {
      return discard(connection)
    }
    connection.kept = true
    const [first] = waiting.get(origin) ?? []
    if (first !== undefined) {
      stopWaiting(origin, first)
      return first.opened(connection)
    }
    const line = idle.get(origin) ?? []
    if (line.length >= IDLE_PER_ORIGIN_MAX) return discard(connection)
    idle.set(origin, line)
    line.push(connection)
  }

  return {
    takeIdle(origin) {
      const line = idle.get(origin)
      let connection = line?.pop()
      while (connection?.socket.destroyed) connection = line?.pop()
      if (line?.length === 0) idle.delete(origin)
      return connection ?? null
    },
    open(url, fresh, result) {
      const { origin } = url
      if (!fresh) waiting.set(origin, (waiting.get(origin) ?? new Set()).add(result))
      const served = (): boolean => !fresh && waiting.get(origin)?.has(result) !== true
      const limit = clock.after(DIAL_MS_MAX, () => end({ outcome: 'timeout_connect', hint: null }))
      const dialing = dial(url, {
        connected(socket) {
          limit.cancel()
          if (served()) return putBack(wrap(origin, socket))
          stopWaiting(origin, result)
          result.opened(wrap(origin, socket))
        },
        failed: end,
      })
      function end(failure: CallFailure): void {
        limit.cancel()
        dialing.cancel()
        if (served()) return
        stopWaiting(origin, result)
        result.failed(failure)
      }
      return {
        cancel() {
          if (served()) return
          stopWaiting(origin, result)
          limit.cancel()
          dialing.cancel()
        },
      }
    },
    putBack,
    discard,
  }
}

// Every time limit is the call's own: undici's timers above a second are half a second coarse.
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

/**
 * Gives the one socket to its client; a client that lost it is refused a second one, so it never
 * reconnects unseen.
 */
function handOver(socket: Socket): buildConnector.connector {
  let given = false
  return (_options, give) => {
    // Deferred: undici ignores a connection that exists before its connect call returns.
    queueMicrotask(() => {
      if (given || socket.destroyed) return give(new ConnectionLost(), null)
      given = true
      give(null, socket)
    })
  }
}

/** The socket was closed before the request was written to it. */
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}
