// The ISO 8583 listener of the network: TCP links with frames, TLS if configured. It reads and
// writes messages; the authorization line decides them as for HTTP.
import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket, type TlsOptions } from 'node:tls'
import type { Cidr } from '../../shared/address.ts'
import { ConnectionSlots, type Slot, type SlotLimits } from '../../shared/connection-slots.ts'
import type { Result } from '../../shared/result.ts'
import { type LinkClient, linkClient } from './iso8583/client-key.ts'
import { Link, type LinkWorld } from './iso8583/link.ts'
import { type Listener, openListener } from './listener.ts'
import type { TakePiece } from './shared-reads.ts'
import { nodeServerTls, type Tls } from './tls.ts'

export interface IsoListenerOptions extends LinkWorld {
  host: string
  port: number
  /**
   * Chosen: a link belongs to one network key, this one for every link of the port. Null: the key
   * that the rules for client certificates name.
   */
  networkKeyId: string | null
  tls: Tls | null
  /** Addresses that may connect; empty: all. */
  allowed: readonly Cidr[]
}

export interface IsoListener {
  readonly port: number
  readonly slots: ConnectionSlots
  /** Takes no new links; open ones go on. */
  close(): void
  /** Ends every link after its answers are on their way. */
  end(): void
}

/**
 * Chosen: networks have a handful of links each. Links that have not signed on are few, so that a
 * network always finds a slot; handshakes that are not done count among them.
 */
const LINK_LIMITS: SlotLimits = { max: 256, strangersMax: 64, addressMax: 64 }

/** Listens, or returns in one sentence why it cannot. */
export async function openIsoListener(
  options: IsoListenerOptions,
): Promise<Result<IsoListener, string>> {
  const { host, port, tls, allowed, log } = options
  const links = new Set<Link>()
  const slots = new ConnectionSlots({ ...LINK_LIMITS, name: 'iso8583', allowed })
  const listener = await openListener({
    name: 'the ISO 8583 port',
    host,
    port,
    slots,
    tls: tls === null ? null : linkTls(tls),
    onConnection(socket, slot) {
      const client = clientOf(options, socket)
      if (client !== null) return open(socket, slot, client)
      log.warn({ code: 'certificate_refused' }, 'network link refused')
      socket.destroy()
      return null
    },
    onHandshakeFailed: (code) => log.warn({ code }, 'network link refused'),
  })
  const open = (socket: Socket, slot: Slot, client: LinkClient): TakePiece => {
    const link = new Link(socket, client, options, {
      signedOn: () => slots.authenticate(slot),
      ended: () => links.delete(link),
    })
    links.add(link)
    log.info({ network_key: client.keyId, links: links.size }, 'network link opened')
    return (bytes, length) => link.read(bytes.subarray(0, length))
  }
  return listener.ok ? { ok: true, value: listenerOf(listener.value, slots, links) } : listener
}

function listenerOf(listener: Listener, slots: ConnectionSlots, links: Set<Link>): IsoListener {
  return {
    port: listener.port,
    slots,
    close: () => listener.close(),
    end() {
      for (const link of links) link.leave()
    },
  }
}

function linkTls(tls: Tls): TlsOptions {
  // A resumed session would stand for a certificate that is not shown again. Links live for days,
  // so none is resumed.
  const secureOptions = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
  return { ...nodeServerTls(tls), secureOptions }
}

/** Null where the client may have no link. */
function clientOf(options: IsoListenerOptions, socket: Socket): LinkClient | null {
  const { tls } = options
  if (tls === null || tls.clientCa === null) return anybody(options)
  return socket instanceof TLSSocket ? certified(options, tls, socket) : null
}

/** The client of a port without certificates. */
function anybody({ networkKeyId }: IsoListenerOptions): LinkClient {
  return { keyId: networkKeyId ?? '', untilMs: Number.POSITIVE_INFINITY }
}

/**
 * The handshake has refused clients without a certificate of the authority; checked again, because
 * everything depends on it.
 */
function certified(options: IsoListenerOptions, tls: Tls, socket: TLSSocket): LinkClient | null {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined
  if (certificate === undefined) return null
  return linkClient(tls, certificate, options.networkKeyId, options.nowMs())
}
