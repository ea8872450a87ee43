// The network's ISO 8583 door: TCP links with frames, TLS where it is configured. It reads and writes messages; what is
// decided about them is decided by the same line as behind every other door.
import { constants } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Result } from '../../shared/result.ts'
import { type LinkClient, linkClient } from './iso8583/client-key.ts'
import { Link, type LinkWorld } from './iso8583/link.ts'
import { nodeServerTls, type Tls } from './tls.ts'

export interface IsoDoorOptions extends LinkWorld {
  host: string
  port: number
  /**
   * Chosen: a link belongs to one network key, this one for every link of the port. Null: the one that the rules for client
   * certificates name.
   */
  networkKeyId: string | null
  tls: Tls | null
}

export interface IsoDoor {
  readonly port: number
  /** Takes no new links; open ones go on. */
  close(): void
  /** Ends every link once what was answered is on its way. */
  end(): void
}

/** Chosen: a network has a handful. */
const LINKS_MAX = 64
/** Those whose handshake is not done count too; nobody without a certificate keeps a network out with them. */
const CONNECTIONS_MAX = 4 * LINKS_MAX
const HANDSHAKE_MS_MAX = 10_000
const KEEP_ALIVE_MS = 30_000

/** Listens, or says in one sentence why it cannot. */
export function openIsoDoor(options: IsoDoorOptions): Promise<Result<IsoDoor, string>> {
  const links = new Set<Link>()
  const admit = (socket: Socket, client: LinkClient): void => {
    if (links.size >= LINKS_MAX) return void socket.destroy()
    const link = new Link(socket, client, options, () => links.delete(link))
    links.add(link)
    options.log.info({ network_key: client.keyId, links: links.size }, 'network link opened')
  }
  let server: Server
  try {
    server =
      options.tls === null ? plainServer(options, admit) : tlsServer(options, options.tls, admit)
  } catch {
    return Promise.resolve({
      ok: false,
      error: 'the certificate, key or authorities of the ISO 8583 port cannot be used',
    })
  }
  server.maxConnections = CONNECTIONS_MAX
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const place = options.host + ':' + options.port
      const why = error.code ?? error.message
      resolve({
        ok: false,
        error: 'the ISO 8583 port ' + place + ' cannot be opened (' + why + ')',
      })
    })
    server.listen({ host: options.host, port: options.port, exclusive: true }, () => {
      server.on('error', (error) => options.log.warn({ err: error }, 'ISO 8583 port'))
      resolve({ ok: true, value: doorOf(server, links) })
    })
  })
}

function doorOf(server: Server, links: Set<Link>): IsoDoor {
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => void server.close(),
    end() {
      for (const link of links) link.leave()
    },
  }
}

type Admit = (socket: Socket, client: LinkClient) => void

const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
} as const

function plainServer(options: IsoDoorOptions, admit: Admit): Server {
  return createServer(SOCKET_OPTIONS, (socket) => admit(socket, anybody(options)))
}

/** Throws where certificate, key or authorities are none. */
function tlsServer(options: IsoDoorOptions, tls: Tls, admit: Admit): Server {
  const server = createTlsServer(
    {
      ...SOCKET_OPTIONS,
      ...nodeServerTls(tls),
      handshakeTimeout: HANDSHAKE_MS_MAX,
      // A resumed session would stand for a certificate that is not shown again; links live for days, so none is resumed.
      secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    },
    (socket) => {
      const client = tls.clientCa === null ? anybody(options) : certified(options, tls, socket)
      if (client !== null) return admit(socket, client)
      options.log.warn({ code: 'certificate_refused' }, 'network link refused')
      socket.destroy()
    },
  )
  server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
    options.log.warn({ code: error.code ?? 'broken' }, 'network link refused'),
  )
  return server
}

/** Whoever reaches the port, where no certificate is asked for. */
function anybody({ networkKeyId }: IsoDoorOptions): LinkClient {
  return { keyId: networkKeyId ?? '', untilMs: Number.POSITIVE_INFINITY }
}

/** The handshake has turned away who has no certificate of the authority; asked again, because all hangs on it. */
function certified(options: IsoDoorOptions, tls: Tls, socket: TLSSocket): LinkClient | null {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined
  if (certificate === undefined) return null
  return linkClient(tls, certificate, options.networkKeyId, options.nowMs())
}
