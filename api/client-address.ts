// Where a call comes from: the other end of its connection, or, behind a proxy that was named, the first address its
// X-Forwarded-For holds that is no proxy of ours. Read from the right: what stands further left is the caller's own word.
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Cidr } from '../shared/address.ts'
import { addressRanges, inRanges, plainAddress } from '../shared/peer-address.ts'

export interface Origin {
  /** IPv4 or IPv6 in its usual form; null where it cannot be told. */
  address: string | null
  /** The connection is a proxy's: it may carry the calls of many. */
  proxied: boolean
}

/** A reader for these proxies; with none of them, headers mean nothing. */
export function originReader(proxies: readonly Cidr[]): (request: IncomingMessage) => Origin {
  const trusted = addressRanges(proxies)
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '')
    if (proxies.length === 0 || peer === null || !inRanges(trusted, peer))
      return { address: peer, proxied: false }
    return { address: firstStranger(request, peer, trusted), proxied: true }
  }
}

/** Several headers of the name are one list, in their order. */
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
