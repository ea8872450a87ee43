// The network's ISO 8583 door: TCP links with frames, TLS where it is configured. It reads and writes messages; what is
// decided about them is decided by the same line as behind every other door.
import { constants } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Result } from '../../shared/result.ts'
import { Link, type LinkWorld } from './iso8583/link.ts'

export interface IsoTls {
  /** PEM. */
  certificate: string
  key: string
  /** Authorities of client certificates, PEM; null: no client certificate is asked for. */
  clientAuthorities: string | null
}

export interface IsoDoorOptions extends LinkWorld {
  host: string
  port: number
  /**
   * Chosen: a link belongs to one network key. With client authorities it is the one that the subject's common name of the
   * client certificate names; without, it is this one for every link of the port.
   */
  networkKeyId: string
  tls: IsoTls | null
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

/** Authenticated encryption only, of TLS 1.3 and of 1.2 with a fresh key each. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

/** Listens, or says in one sentence why it cannot. */
export function openIsoDoor(options: IsoDoorOptions): Promise<Result<IsoDoor, string>> {
  const links = new Set<Link>()
  const admit = (socket: Socket, keyId: string): void => {
    if (links.size >= LINKS_MAX) return void socket.destroy()
    const link = new Link(socket, keyId, options, () => links.delete(link))
    links.add(link)
    options.log.info({ network_key: keyId, links: links.size }, 'network link opened')
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

type Admit = (socket: Socket, keyId: string) => void

const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
} as const

function plainServer(options: IsoDoorOptions, admit: Admit): Server {
  return createServer(SOCKET_OPTIONS, (socket) => admit(socket, options.networkKeyId))
}

/** Throws where certificate, key or authorities are none. */
function tlsServer(options: IsoDoorOptions, tls: IsoTls, admit: Admit): Server {
  const { certificate, key, clientAuthorities } = tls
  const server = createTlsServer(
    {
      ...SOCKET_OPTIONS,
      cert: certificate,
      key,
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      honorCipherOrder: true,
      handshakeTimeout: HANDSHAKE_MS_MAX,
      // A resumed session would stand for a certificate that is not shown again; links live for days, so none is resumed.
      secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
      ...(clientAuthorities !== null && {
        ca: clientAuthorities,
        requestCert: true,
        rejectUnauthorized: true,
      }),
    },
    (socket) => {
      const keyId = clientAuthorities === null ? options.networkKeyId : nameOf(socket)
      if (keyId === null) socket.destroy()
      else admit(socket, keyId)
    },
  )
  server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
    options.log.warn({ code: error.code ?? 'broken' }, 'network link refused'),
  )
  return server
}

/** The common name of the certificate the peer showed and proved, or null. */
function nameOf(socket: TLSSocket): string | null {
  if (!socket.authorized) return null
  // A subject may have several names, which then are a list, or none.
  const name: unknown = socket.getPeerCertificate().subject?.CN
  return typeof name === 'string' ? name : null
}
