// The ports that a load can use: signed JSON over HTTP, or ISO 8583 over a few links. The same
// checks judge the answers of both.
import { randomSecret } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { ConnectionPool, type Exchange, type Target } from './connection-pool.ts'
import { type IsoAddress, type IsoAnswer, IsoLink, isoFrame } from './iso-link.ts'
import { isoRequest } from './iso-request.ts'
import { type NetworkCredentials, signedRequest } from './message.ts'
import type { PreparedMessage } from './message-stream.ts'

export interface LoadPort {
  /** Opens every connection ahead. */
  warm(): Promise<void>
  /** The bytes of a message; may be made ahead of its sending. */
  encode(message: NetworkMessage, index: number, nowMs: number): Buffer
  /** `receive` is called exactly once. */
  send(message: PreparedMessage, receive: (exchange: Exchange | IsoAnswer) => void): void
  close(): void
}

export function httpListener(
  target: Target,
  credentials: NetworkCredentials,
  connections: number,
): LoadPort {
  const pool = new ConnectionPool(target, connections)
  return {
    warm: () => pool.warm(),
    encode: (message, _index, nowMs) =>
      signedRequest(target, credentials, JSON.stringify(message), nowMs),
    send: (message, receive) => pool.send(message.bytes, receive),
    close: () => pool.close(),
  }
}

/** A STAN has six digits; far fewer messages are open at once. */
const STANS = 1_000_000
const ACQUIRER = '99999900001'

/** Messages take the links in turn. A link that ends is opened again, as a network does. */
export function isoListener(address: IsoAddress, connections: number): LoadPort {
  const links = Array.from({ length: connections }, () => new IsoLink(address))
  // A run of its own: the same STAN in the same second on another terminal is another message.
  const terminal = randomSecret(6)
  const stanOf = (index: number): string => String(index % STANS).padStart(6, '0')
  let closed = false
  return {
    async warm() {
      await Promise.all(links.map((link) => link.signOn()))
    },
    encode(message, index) {
      const request = isoRequest(message, { stan: stanOf(index), acquirer: ACQUIRER, terminal })
      if (request === null) throw new Error('the load sends authorizations only')
      return isoFrame(request)
    },
    send({ bytes, sent }, receive) {
      const link = links[sent.index % links.length]
      link?.send(bytes, stanOf(sent.index), (exchange) => {
        receive(exchange)
        if (exchange.kind === 'broken' && !closed) void link.signOn()
      })
    },
    close() {
      closed = true
      for (const link of links) link.close()
    },
  }
}
