// The address at the other end of a connection: its usual form, its holder, and whether it lies in
// configured ranges.
import { BlockList, isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Cidr } from './address.ts'

/**
 * IPv4 that is written as IPv6 (`::ffff:1.2.3.4`) is the same address. Null where the text is no
 * address.
 */
export function plainAddress(text: string): string | null {
  const version = isIP(text)
  if (version === 4) return text
  if (version === 0 || text.includes('%')) return null
  return ipaddr.process(text).toString()
}

/** The ranges as a list that is compiled once and searched for each connection. */
export function addressRanges(cidrs: readonly Cidr[]): BlockList {
  const list = new BlockList()
  for (const [range, bits] of cidrs) {
    if (range.kind() === 'ipv6' && bits >= 96 && (range as ipaddr.IPv6).isIPv4MappedAddress()) {
      list.addSubnet((range as ipaddr.IPv6).toIPv4Address().toString(), bits - 96, 'ipv4')
    } else list.addSubnet(range.toString(), bits, range.kind())
  }
  return list
}

/** True where the address, in its usual form, lies in one of the ranges. */
export function inRanges(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The name under which an address is counted: the address itself, and in IPv6 its /64, which one
 * caller holds as a whole. Empty for null.
 */
export function addressHolder(address: string | null): string {
  if (address === null) return ''
  if (!address.includes(':')) return address
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')
}

/** Both ends of a connection: by them a socket and the TLS socket over it are known as one. */
export function connectionEnds({ remoteAddress, remotePort, localAddress }: Socket): string {
  return remoteAddress + ' ' + remotePort + ' ' + localAddress
}
