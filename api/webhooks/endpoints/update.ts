// Changes an endpoint: its address, its event types, its tenant fields; pauses an enabled one and
// re-enables a disabled one. Spec 4.2.
import { isDeepStrictEqual } from 'node:util'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { type BreakerPort, breakerOf } from './read.ts'
import { ENDPOINT_MOVES } from './states.ts'
import {
  beginAbsence,
  type EndpointChange,
  lockEndpoint,
  resumeDeliveries,
  saveEndpoint,
} from './store.ts'
import { type AddressPorts, refuseUrl } from './url.ts'
import { type EndpointRow, type EndpointStatus, endpointView } from './view.ts'

export interface UpdateEndpoint extends TenantFieldsChange {
  url?: string
  description?: string
  event_types?: readonly string[] | null
  status?: EndpointStatus
}

/** Writing equal values changes nothing and waits for the engine again. */
export async function updateEndpoint(
  context: Context,
  { endpointId, asked }: { endpointId: string; asked: UpdateEndpoint },
  ports: AddressPorts & BreakerPort,
): Promise<WebhookEndpoint> {
  const { principal, now } = context
  if (asked.url !== undefined) await refuseUrl(context, asked.url, ports)
  const breaker = await breakerOf(context, endpointId, ports)
  const work = async (sql: TxSql) => {
    const externalId = asked.external_id
    const input = { table: 'webhook_endpoints' as const, externalId, id: endpointId }
    await requireFreeExternalId(sql, principal, input)
    const held = await lockEndpoint(sql, principal, endpointId)
    if (held === null) throw new Refusal('resource_missing')
    const change = changeOf(held, asked)
    if (saysTheSame(held, change)) return endpointView(held, breaker)
    const saved = await saveEndpoint(sql, principal, { endpointId, change, now })
    if (change.status !== held.status) {
      const turn = change.status === 'enabled' ? resumeDeliveries : beginAbsence
      await turn(sql, principal, { endpointId, now: now - principal.clockOffsetMs })
    }
    return endpointView(saved, breaker)
  }
  return writeConfirmed(context, work, { safeToRepeat: true })
}

function changeOf(held: EndpointRow, asked: UpdateEndpoint): EndpointChange {
  const move = Object.values(ENDPOINT_MOVES).find(
    ({ from, to }) => to === asked.status && from.some((status) => status === held.status),
  )
  return {
    url: asked.url ?? held.url,
    status: move?.to ?? held.status,
    description: asked.description ?? held.description,
    eventTypes: asked.event_types === undefined ? held.eventTypes : asked.event_types,
    tenantFields: changedTenantFields(held, asked),
  }
}

function saysTheSame(held: EndpointRow, { tenantFields, ...change }: EndpointChange): boolean {
  return isDeepStrictEqual({ ...held, ...change, ...tenantFields }, { ...held })
}
