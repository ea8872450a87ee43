// Moves an endpoint to another address and re-enables a disabled one. Spec 4.2.
import { endpointUrlProblem } from '../../../shared/address.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { breakerOf } from './read.ts'
import { ENDPOINT_MOVES } from './states.ts'
import { lockEndpoint, resumeDeliveries, saveEndpoint } from './store.ts'
import { endpointView } from './view.ts'

const { from, to } = ENDPOINT_MOVES.enable

/** Enabling an enabled endpoint and repeating its own URL change nothing; both still wait for the engine. */
export async function updateEndpoint(
  context: Context,
  input: { endpointId: string; url: string | null; enable: boolean },
): Promise<WebhookEndpoint> {
  const { principal, now } = context
  refuseUrl(context, input.url)
  const breaker = await breakerOf(context, input.endpointId)
  const change = async (sql: TxSql) => {
    const endpoint = await lockEndpoint(sql, principal, input.endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')

    const url = input.url ?? endpoint.url
    const enabling = input.enable && from.some((status) => status === endpoint.status)
    if (url === endpoint.url && !enabling) return endpointView(endpoint, breaker)

    const saved = await saveEndpoint(sql, principal, {
      endpointId: endpoint.id,
      url,
      status: enabling ? to : endpoint.status,
    })
    if (enabling) await resumeDeliveries(sql, principal, { endpointId: endpoint.id, now })
    return endpointView(saved, breaker)
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}

function refuseUrl({ principal, openedRanges }: Context, url: string | null): void {
  if (url === null) return
  const httpsOnly = principal.environment === 'live'
  const problem = endpointUrlProblem(url, { httpsOnly, opened: openedRanges })
  if (problem === null) return
  throw new Refusal('parameter_invalid', { param: 'url', message: 'This field ' + problem + '.' })
}
