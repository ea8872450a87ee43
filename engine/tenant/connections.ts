// Connections to tenants' endpoints, kept alive per origin and reused, the last used first. One undici client per
// socket, because the line has to know whether a socket had been used before it was reset (DESIGN 4).
import type { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { CallFailure } from './call-failure.ts'
import type { Dial } from './dial.ts'

const REPLY_HEADER_BYTES_MAX = 16 * 1024
const KEEP_ALIVE_MS = 20_000
const KEEP_ALIVE_MS_MAX = 60_000
/** A server that promises to keep a connection for this long is believed this much less. */
const KEEP_ALIVE_MARGIN_MS = 1_000
/** Bounds how long an address stays in use after its name moved away. */
const CONNECTION_AGE_MS_MAX = 5 * 60_000
const IDLE_PER_ORIGIN_MAX = 256
/** For an attempt whose call found another connection meanwhile; a call that waits has a limit of its own. */
const DIAL_MS_MAX = 5_000

export interface Connection {
  readonly origin: string
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: EpochMs
  /** It has been put back at least once, so the other side may have closed it unseen. */
  kept: boolean
}

export interface ConnectionResult {
  opened(connection: Connection): void
  failed(failure: CallFailure): void
}

export interface ConnectionWait {
  /** Stops waiting; nothing is reported any more. */
  cancel(): void
}

export interface Connections {
  /** A connection that answered before and waits for more, or null. The other side may have closed it meanwhile. */
  takeIdle(origin: string): Connection | null
  /**
   * Connects, and reports exactly once unless it is cancelled. Without `fresh` a connection that another call puts back
   * is as good: where connecting is slow, calls would otherwise pile up connections and make it slower.
   */
  open(url: URL, fresh: boolean, result: ConnectionResult): ConnectionWait
  /** After a complete reply: keeps the connection for the next call where it may live on. */
  putBack(connection: Connection): void
  /** Ends the connection and whatever runs on it. */
  discard(connection: Connection): void
}

/** No connection yet; every one is opened when it is needed, and none older than CONNECTION_AGE_MS_MAX is used again. */
export function openConnections(options: { dial: Dial; clock: Clock }): Connections {
  const { dial, clock } = options
  const idle = new Map<string, Connection[]>()
  const waiting = new Map<string, Set<ConnectionResult>>()

  function wrap(origin: string, socket: Socket): Connection {
    const client = new Client(origin, { ...CLIENT_OPTIONS, connect: handOver(socket) })
    const connection = { origin, client, socket, openedAtMs: clock.nowMs(), kept: false }
    // undici looks after a socket from its first request on; one that waits for it would stay for ever.
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
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}
