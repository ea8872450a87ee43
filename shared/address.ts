// Which addresses a tenant's endpoint may have. Used when an endpoint is registered and again at every connect.
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
  '::/8',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '64:ff9b:1::/48',
  '100::/64',
  '5f00::/16',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range))

function within(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Cidr[]): boolean {
  return ranges.some(
    ([range, bits]) => range.kind() === address.kind() && address.match(range as never, bits),
  )
}

/** True for a public unicast address, or one inside a range opened on purpose. Mapped and NAT64 forms count as their IPv4. */
export function addressAllowed(text: string, opened: readonly Cidr[]): boolean {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (isIP(bare) === 0) return false
  const raw = ipaddr.parse(bare)
  if (within(raw, opened)) return true
  const address = raw.kind() === 'ipv6' ? embedded(raw as ipaddr.IPv6) : raw
  if (within(address, opened)) return true
  return address.range() === 'unicast' && !within(address, DENIED)
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  // 64:ff9b::/96 carries an IPv4 address in its last 32 bits.
  if (address.match(ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number])) {
    return ipaddr.fromByteArray(address.toByteArray().slice(12))
  }
  return address
}

export interface EndpointUrlRules {
  /** Live endpoints are https only. */
  httpsOnly: boolean
  opened: readonly Cidr[]
}

/** Why a URL cannot be a tenant endpoint, or null. Names are resolved and vetted at connect; literals are vetted here. */
export function endpointUrlProblem(text: string, rules: EndpointUrlRules): string | null {
  if (!URL.canParse(text) || text.length > 2048)
    return 'must be an absolute URL of at most 2048 characters'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL'
  if (rules.httpsOnly && url.protocol !== 'https:') return 'must be https in live'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  const port = url.port === '' ? null : Number(url.port)
  if (port !== null && port !== 443 && port !== 80 && port < 1024)
    return 'must use port 80, 443 or one from 1024 up'
  const host = url.hostname
  const literal = host.startsWith('[') ? host.slice(1, -1) : host
  if (isIP(literal) !== 0)
    return addressAllowed(literal, rules.opened)
      ? null
      : 'must not be a private or reserved address'
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return addressAllowed('127.0.0.1', rules.opened)
      ? null
      : 'must not be a private or reserved address'
  }
  if (!host.includes('.')) return 'must have a full host name'
  return null
}
