// The socket under a database connection. It adds what postgres.js lacks: it gives up on a server that has gone silent,
// reports an error and the close together, and keeps the remains of a dead connection out of the next one.
import { connect, type Socket } from 'node:net'

export interface SocketTarget {
  host: readonly string[]
  port: readonly number[]
  /** Unix socket path, or false. */
  path: string | false | undefined
}

/**
 * Dials one host of the target, in turn. The socket dies when the server owes an answer and says nothing for `silenceMs`:
 * a stopped PostgreSQL would otherwise leave queries pending for ever.
 */
export function dialDatabase(target: SocketTarget, turn: number, silenceMs: number): Socket {
  const index = turn % target.host.length
  const host = target.host[index] ?? 'localhost'
  const port = target.port[index] ?? 5432
  const socket = connect({
    ...(target.path ? { path: target.path } : { host, port }),
    noDelay: true,
    timeout: silenceMs,
  })
  // The driver reads these for its error texts.
  Object.assign(socket, { host, port })
  failWhenSilent(socket, silenceMs)
  failAtOnce(socket)
  beginWithStartup(socket)
  return socket
}

function failWhenSilent(socket: Socket, silenceMs: number): void {
  let answeredBytes = 0
  socket.on('data', () => {
    answeredBytes = socket.bytesWritten
  })
  socket.on('timeout', () => {
    if (socket.bytesWritten === answeredBytes) return
    socket.destroy(
      Object.assign(new Error('the database said nothing for ' + silenceMs + ' ms'), {
        code: 'DATABASE_SILENT',
      }),
    )
  })
}

/** Node reports an error one turn before the close; in between, postgres.js would still use the dead connection. */
function failAtOnce(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  let failure: unknown = null
  socket.emit = (event: string | symbol, ...details: unknown[]): boolean => {
    if (event === 'error') {
      failure = details[0]
      return true
    }
    if (event === 'close' && failure !== null) emit('error', failure)
    return emit(event, ...details)
  }
}

/** A startup message at least this long is written at once by postgres.js, together with whatever it still holds. */
export const STARTUP_BYTES_MIN = 1024
const PROTOCOL_3 = 0x00030000

/**
 * When a connection closes with a write still scheduled, postgres.js keeps those bytes and puts them before the next
 * connection's startup message; that connection then hangs until connect_timeout, again and again. It happens whenever
 * connections die together and their callers retry at once: after a kill of PostgreSQL under load, 7 of 10 connections.
 * Their queries were already rejected, so the remains are dropped.
 */
function beginWithStartup(socket: Socket): void {
  const write = socket.write
  socket.write = ((bytes: Uint8Array, ...rest: never[]): boolean => {
    socket.write = write
    return write.call(socket, startupOf(bytes), ...rest)
  }) as Socket['write']
}

/** The startup message at the end of the bytes; all of them where there is none (a cancel request). */
function startupOf(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 8 <= bytes.length; at++) {
    if (view.getUint32(at) === bytes.length - at && view.getUint32(at + 4) === PROTOCOL_3) {
      return bytes.subarray(at)
    }
  }
  return bytes
}
