// Where an endpoint may be: https only in live, never a private address that was not opened on purpose, by number or by name.
import { endpointUrlProblem, FORBIDDEN_ADDRESS, hostOf } from '../../../shared/address.ts'
import { sleep } from '../../../shared/clock.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'

/** A name server that takes longer does not hold up the call: every connect asks and vets again. */
const ASKED_MS_MAX = 1500

/**
 * Chosen: a name that has no address yet, or whose name servers say nothing, is accepted; one whose addresses include a forbidden
 * one is refused. Asks name servers: no transaction may be open.
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
