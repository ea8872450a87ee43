// Addresses to which people return from the page of consent. The library compares them character by
// character; here they are checked once, when an operator registers the platform.
import type { OauthClient } from '../../../shared/schemas/oauth.ts'
import { Refusal } from '../../http/refusal.ts'

const LOOPBACKS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
/** RFC 8252 7.1: a scheme of one's own is a domain in reverse. */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/

/** Refuses (400) a list with an address that is not safe. */
export function requireRedirectUris(
  uris: readonly string[],
  applicationType: OauthClient['application_type'],
): void {
  for (const [index, uri] of uris.entries()) {
    const message = problemOf(uri, applicationType)
    if (message !== null)
      throw new Refusal('parameter_invalid', { param: '/redirect_uris/' + index, message })
  }
}

/**
 * The address that a person agrees to. A native app listens on another port of its own machine each
 * time (RFC 8252 7.3), so its loopback addresses are remembered without the port.
 */
export function agreedAddress(
  uri: string,
  applicationType: OauthClient['application_type'],
): string {
  if (applicationType !== 'native' || !URL.canParse(uri)) return uri
  const address = new URL(uri)
  if (address.protocol !== 'http:' || !LOOPBACKS.has(address.hostname)) return uri
  address.port = ''
  return address.href
}

function problemOf(text: string, type: OauthClient['application_type']): string | null {
  if (!URL.canParse(text)) return 'This field is no absolute URL.'
  const { href, hash, username, password, protocol, hostname } = new URL(text)
  if (text.includes('#') || hash !== '') return 'A redirect address has no fragment.'
  if (username !== '' || password !== '') return 'A redirect address names no user.'
  if (text !== href && text + '/' !== href)
    return 'Write the address in its normal form: ' + href.slice(0, 200) + '.'
  const isLoopback = LOOPBACKS.has(hostname)
  if (protocol === 'https:') {
    const isOwnMachine = type === 'native' && isLoopback
    return isOwnMachine ? 'A native app reaches its own machine by http.' : null
  }
  if (protocol === 'http:') return isLoopback ? null : 'Plain http leads to one’s own machine only.'
  if (type === 'native' && APP_SCHEME.test(protocol)) return null
  return 'Use https, http to one’s own machine or, for a native app, a scheme with a dot.'
}
