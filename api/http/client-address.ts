// Finds the address of a caller: the other end of its connection, or, behind a configured proxy,
// the first address in X-Forwarded-For that is not one of our proxies. The header is read from the
// right, because the caller itself may have written the entries further left.
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Cidr } from '../../shared/address.ts'
import { addressRanges, inRanges, plainAddress } from '../../shared/peer-address.ts'

export interface Origin {
  /** IPv4 or IPv6 in its usual form; null when unknown. */
  address: string | null
  /** The connection belongs to a proxy, which may carry the calls of many callers. */
  proxied: boolean
}

/** Returns a reader for these proxies; without proxies the reader ignores the headers. */
export function originReader(proxies: readonly Cidr[]): (request: IncomingMessage) => Origin {
  const trusted = addressRanges(proxies)
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '')
    if (proxies.length === 0 || peer === null || !inRanges(trusted, peer))
      return { address: peer, proxied: false }
    return { address: firstStranger(request, peer, trusted), proxied: true }
  }
}

/** Several headers of this name form one list, in their order. */
function firstStranger(request: IncomingMessage, peer: string, trusted: BlockList): string | null {
  const header = request.headers['x-forwarded-for']
  let nearest = peer
  if (header === undefined) return nearest
  for (const hop of String(header).split(',').reverse()) {
    const address = plainAddress(hop.trim())
    if (address === null) return null
    nearest = address
    if (!inRanges(trusted, address)) break
  }
  return nearest
}
