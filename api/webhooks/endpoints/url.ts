// The allowed addresses of an endpoint: https only in live, and no private address unless opened on
// purpose, by number or by name.
import { endpointUrlProblem, FORBIDDEN_ADDRESS, hostOf } from '../../../shared/address.ts'
import { sleep } from '../../../shared/clock.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'

/** A slower name server does not delay the call: every connect resolves and vets again. */
const ASKED_MS_MAX = 1500

/**
 * Chosen: a name without an address, or whose name servers do not answer, is accepted; a name with
 * a forbidden address is refused. The function asks name servers: no transaction may be open.
 */
export async function refuseUrl(
  context: Pick<Context, 'principal' | 'openedRanges' | 'findAddresses'>,
  url: string,
): Promise<void> {
  const httpsOnly = context.principal.environment === 'live'
  const opened = context.openedRanges
  const problem =
    endpointUrlProblem(url, { httpsOnly, opened }) ??
    ((await leadsInside(context, url)) ? FORBIDDEN_ADDRESS : null)
  if (problem === null) return
  throw new Refusal('parameter_invalid', { param: 'url', message: 'This field ' + problem + '.' })
}

async function leadsInside(
  { findAddresses }: Pick<Context, 'findAddresses'>,
  url: string,
): Promise<boolean> {
  const answered = new AbortController()
  const late = sleep(ASKED_MS_MAX, answered.signal).then(() => null)
  const found = await Promise.race([findAddresses(hostOf(new URL(url))), late])
  answered.abort()
  return found !== null && !found.ok && found.problem === 'blocked_address'
}
