// Where an endpoint may be: https only in live, never a private address that was not opened on purpose.
import { endpointUrlProblem } from '../../../shared/address.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'

export function refuseUrl({ principal, openedRanges }: Context, url: string): void {
  const httpsOnly = principal.environment === 'live'
  const problem = endpointUrlProblem(url, { httpsOnly, opened: openedRanges })
  if (problem === null) return
  throw new Refusal('parameter_invalid', { param: 'url', message: 'This field ' + problem + '.' })
}
