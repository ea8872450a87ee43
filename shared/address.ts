// Which addresses a tenant's endpoint may have. Used when an endpoint is registered and again at
// every connect.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Result } from './result.ts'

export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses `127.0.0.0/8,::1/128`. An empty text is no range. */
export function parseCidrs(text: string): Result<readonly Cidr[], string> {
  const cidrs: Cidr[] = []
  for (const item of text.split(',')) {
    const entry = item.trim()
    if (entry === '') continue
    try {
      cidrs.push(ipaddr.parseCIDR(entry))
    } catch {
      return {
        ok: false,
        error: JSON.stringify(entry) + ' is not an address range such as 127.0.0.0/8 or ::1/128',
      }
    }
  }
  return { ok: true, value: cidrs }
}

// ipaddr.js calls these "unicast" although they reach inside or nowhere.
const DENIED: readonly Cidr[] = [
  // Azure's own services (name server, health probe, agent) answer there from inside a virtual
  // machine.
  '168.63.129.16/32',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range))

// The range that IANA has assigned as global unicast. Addresses outside are special, local or
// unassigned.
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')
// RFC 6052: carries an IPv4 address in its last 32 bits.
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

function within(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Cidr[]): boolean {
  return ranges.some(
    ([range, bits]) => range.kind() === address.kind() && address.match(range as never, bits),
  )
}

// `::1.2.3.4` is not routable; ipaddr.js mistakes it for the mapped `::ffff:1.2.3.4`.
const IPV4_COMPATIBLE = /^[0:]*:\d+\.\d+\.\d+\.\d+$/

/**
 * True for a public unicast address, or one inside a range opened on purpose. Mapped and NAT64
 * forms count as their IPv4; an address with a zone (`fe80::1%eth0`) is refused.
 */
export function addressAllowed(text: string, opened: readonly Cidr[]): boolean {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (isIP(bare) === 0 || bare.includes('%') || IPV4_COMPATIBLE.test(bare)) return false
  const raw = ipaddr.parse(bare)
  if (within(raw, opened)) return true
  const address = raw.kind() === 'ipv6' ? embedded(raw as ipaddr.IPv6) : raw
  if (within(address, opened)) return true
  if (address.range() !== 'unicast' || within(address, DENIED)) return false
  return address.kind() === 'ipv4' || within(address, [GLOBAL_IPV6])
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return within(address, [NAT64]) ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address
}

/** The ranges as text that parseCidrs reads: how they travel to another thread. */
export function cidrsText(cidrs: readonly Cidr[]): string {
  return cidrs.map(([range, bits]) => range.toString() + '/' + bits).join(',')
}

// Where clouds serve credentials to whatever runs inside them, by name; elsewhere the names may not
// even resolve.
const METADATA_NAMES: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.oraclecloud.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]
const METADATA_ADDRESS = '169.254.169.254'

/**
 * The addresses of a host that no name server is asked for: its own where it is one, both of
 * loopback for localhost names, and that of the metadata service for its names. Null for every
 * other name. `host` as URL has it, without brackets.
 */
export function addressesWithoutAsking(host: string): readonly string[] | null {
  if (isIP(host) !== 0) return [host]
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  // RFC 6761: localhost and every name below it mean this machine.
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
  return METADATA_NAMES.includes(name) ? [METADATA_ADDRESS] : null
}

export interface EndpointUrlRules {
  /** Live endpoints are https only. */
  httpsOnly: boolean
  opened: readonly Cidr[]
}

/**
 * The error text for an endpoint whose address, or one of the addresses of its name, is forbidden.
 */
export const FORBIDDEN_ADDRESS = 'must not be a private or reserved address'

// RFC 1035, with the final dot.
const HOST_CHARACTERS_MAX = 254

/**
 * Returns why a URL cannot be a tenant endpoint, or null. Addresses are checked here; an address
 * book checks the addresses of names.
 */
export function endpointUrlProblem(text: string, rules: EndpointUrlRules): string | null {
  const problem = urlFormProblem(text, rules.httpsOnly)
  if (problem !== null) return problem
  const host = hostOf(new URL(text))
  const addresses = addressesWithoutAsking(host)
  if (addresses === null) return null
  return addresses.some((address) => addressAllowed(address, rules.opened))
    ? null
    : FORBIDDEN_ADDRESS
}

/** The host of a URL without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Why a URL cannot be called, whatever address it has, or null. */
export function urlFormProblem(text: string, httpsOnly: boolean): string | null {
  if (!URL.canParse(text) || text.length > 2048)
    return 'must be an absolute URL of at most 2048 characters'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL'
  if (httpsOnly && url.protocol !== 'https:') return 'must be https in live'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  // URL drops these characters, but people must see the address that is called.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must not contain white space or backslashes'
  const port = url.port === '' ? null : Number(url.port)
  if (port !== null && port !== 443 && port !== 80 && port < 1024)
    return 'must use port 80, 443 or one from 1024 up'
  const host = hostOf(url)
  if (addressesWithoutAsking(host) !== null) return null
  return /[^.]\.[^.]/.test(host) && host.length <= HOST_CHARACTERS_MAX
    ? null
    : 'must have a full host name'
}
