// A small mail server (RFC 5321) of the sandbox: takes mail over a socket and hands it on. It knows
// nothing of the service.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { answerTo, type Dialogue, newDialogue, type SmtpServerOptions } from './dialogue.ts'

/** A line of the protocol, and a message, are never longer. */
const LINE_BYTES_MAX = 4096
const MESSAGE_BYTES_MAX = 1024 * 1024
const IDLE_MS = 60_000
const CONNECTIONS_MAX = 50

export interface SmtpServer {
  port: number
  /** Ends every connection. */
  close(): Promise<void>
}

/** Listens on loopback; rejects where the port is taken. */
export async function startSmtpServer(options: SmtpServerOptions): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const { tls, implicitTls = false } = options
    if (tls === undefined || !implicitTls) return converse(options, socket, newDialogue(false))
    converse(options, encrypted(socket, tls), newDialogue(true))
  })
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: options.port, exclusive: true }, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function encrypted(socket: Socket, secureContext: SecureContext): TLSSocket {
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => secure.destroy())
  return secure
}

/** Greets, then answers each line of the client until it leaves. */
function converse(options: SmtpServerOptions, socket: Socket, dialogue: Dialogue): void {
  let pending: Buffer = Buffer.alloc(0)
  const read = (bytes: Buffer): void => {
    pending = Buffer.concat([pending, bytes])
    if (pending.length > MESSAGE_BYTES_MAX + LINE_BYTES_MAX) return void socket.destroy()
    for (;;) {
      const unit = nextUnit(dialogue, pending)
      if (unit === null) break
      pending = pending.subarray(unit.length)
      const { text, then } = answerTo(options, dialogue, unit)
      socket.write(text)
      if (then === 'close') return void socket.end()
      if (then === 'encrypt' && options.tls !== undefined) {
        // Bytes before the handshake are nobody's: another could have slipped them in.
        socket.removeListener('data', read)
        return converse(options, encrypted(socket, options.tls), newDialogue(true))
      }
    }
    if (!dialogue.inData && pending.length > LINE_BYTES_MAX) socket.destroy()
  }
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('data', read)
  if (!dialogue.encrypted || options.implicitTls) socket.write('220 inbox.localhost ESMTP\r\n')
}

const LINE_END = Buffer.from('\r\n')
const DATA_END = Buffer.from('\r\n.\r\n')

/** The next line, or the whole message after DATA; null while it has not arrived. */
function nextUnit({ inData }: Dialogue, pending: Buffer): Buffer | null {
  if (!inData) {
    const at = pending.indexOf(LINE_END)
    return at < 0 ? null : pending.subarray(0, at + LINE_END.length)
  }
  if (pending.subarray(0, 3).equals(DATA_END.subarray(2))) return pending.subarray(0, 3)
  const at = pending.indexOf(DATA_END)
  return at < 0 ? null : pending.subarray(0, at + DATA_END.length)
}
