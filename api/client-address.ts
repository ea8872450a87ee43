// Where a call comes from: the other end of its connection, or, behind a proxy that was named, the first address its
// X-Forwarded-For holds that is no proxy of ours. Read from the right: what stands further left is the caller's own word.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Cidr } from '../shared/address.ts'

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

/** IPv4 that is written as IPv6 (`::ffff:1.2.3.4`) is the same address. Null where the text is no address. */
export function plainAddress(text: string): string | null {
  const version = isIP(text)
  if (version === 4) return text
  if (version === 0 || text.includes('%')) return null
  return ipaddr.process(text).toString()
}

/** Compiled once, asked often. */
export function addressRanges(cidrs: readonly Cidr[]): BlockList {
  const list = new BlockList()
  for (const [range, bits] of cidrs) {
    if (range.kind() === 'ipv6' && bits >= 96 && (range as ipaddr.IPv6).isIPv4MappedAddress()) {
      list.addSubnet((range as ipaddr.IPv6).toIPv4Address().toString(), bits - 96, 'ipv4')
    } else list.addSubnet(range.toString(), bits, range.kind())
  }
  return list
}

export function inRanges(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Whose quota an address has: its own, and in IPv6 that of its /64, which one caller holds as a whole. */
export function addressHolder(address: string | null): string {
  if (address === null) return ''
  if (!address.includes(':')) return address
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')
}
