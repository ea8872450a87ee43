// The socket under a database connection. It adds two things postgres.js lacks: it gives up on a
// silent server, and it reports an error and the close together.
import { connect, Socket } from 'node:net'

export interface SocketTarget {
  host: readonly string[]
  port: readonly number[]
  /** Unix socket path, or false. */
  path: string | false | undefined
}

/**
 * Dials one host of the target, in rotation. The socket is destroyed when the server owes an answer
 * and stays silent for `silenceMs`: a stopped PostgreSQL would otherwise leave queries pending for
 * ever.
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
  // The driver reads these fields for its error texts.
  Object.assign(socket, { host, port })
  failWhenSilent(socket, silenceMs)
  failAtOnce(socket)
  return socket
}

/** A socket that never connects and fails at once, in the way in which the driver expects it. */
export function failingSocket(error: Error): Socket {
  const socket = new Socket()
  failAtOnce(socket)
  setImmediate(() => socket.destroy(error))
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

/**
 * Node reports an error one tick before the close; in between, postgres.js would still use the dead
 * connection.
 */
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
