// The allowed addresses of an endpoint: https only in live, and no private address unless opened on
// purpose, by number or by name.
import {
  type Cidr,
  endpointUrlProblem,
  FORBIDDEN_ADDRESS,
  hostOf,
} from '../../../shared/address.ts'
import type { AddressBook } from '../../../shared/address-book.ts'
import { sleep } from '../../../shared/clock.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'

export interface AddressPorts {
  /** Private ranges tenant endpoints may use. */
  openedRanges: readonly Cidr[]
  /**
   * Returns the addresses of a host that tenant endpoints may use, or the reason for having none.
   */
  findAddresses: AddressBook['find']
}

/** A slower name server does not delay the call: every connect resolves and vets again. */
const ASKED_MS_MAX = 1500

/**
 * Chosen: a name without an address, or whose name servers do not answer, is accepted; a name with
 * a forbidden address is refused. The function asks name servers: no transaction may be open.
 */
export async function refuseUrl(
  { principal }: Pick<Context, 'principal'>,
  url: string,
  { openedRanges: opened, findAddresses }: AddressPorts,
): Promise<void> {
  const httpsOnly = principal.environment === 'live'
  const problem =
    endpointUrlProblem(url, { httpsOnly, opened }) ??
    ((await leadsInside(findAddresses, url)) ? FORBIDDEN_ADDRESS : null)
  if (problem === null) return
  throw new Refusal('parameter_invalid', { param: 'url', message: 'This field ' + problem + '.' })
}

async function leadsInside(
  findAddresses: AddressPorts['findAddresses'],
  url: string,
): Promise<boolean> {
  const answered = new AbortController()
  const late = sleep(ASKED_MS_MAX, answered.signal).then(() => null)
  const found = await Promise.race([findAddresses(hostOf(new URL(url))), late])
  answered.abort()
  return found !== null && !found.ok && found.problem === 'blocked_address'
}
