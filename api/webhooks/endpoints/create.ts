// Creates an endpoint with its first signing secret: from the answer on, it gets events.

import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { SecretEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { endpointsBound } from '../../platform/tenants/index.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { newSigningSecret } from './secret-store.ts'
import { insertEndpoint } from './store.ts'
import { type AddressPorts, refuseUrl } from './url.ts'
import { endpointView } from './view.ts'

/** Chosen: limit per tenant and environment; each event is sent to all of them. */
const ENDPOINTS_MAX = 20
const ADVICE = 'The endpoint is there; this call would make another.'

export interface CreateEndpoint {
  url: string
  description?: string
  event_types?: readonly string[] | null
  external_id?: string
  metadata?: Metadata
}

/**
 * Only this answer ever shows the secret. The server never repeats this call, because each run
 * creates another endpoint.
 */
export async function createEndpoint(
  context: Context,
  input: CreateEndpoint,
  ports: AddressPorts,
): Promise<SecretEndpoint> {
  const { principal, now } = context
  await refuseUrl(context, input.url, ports)
  const { secret, kept } = newSigningSecret(context)
  const id = context.newId('we')
  const work = async (sql: TxSql) => {
    const { external_id: externalId = null, metadata = {} } = input
    await requireFreeExternalId(sql, principal, { table: 'webhook_endpoints', externalId, id })
    const bound = await endpointsBound(sql, principal)
    const made = await insertEndpoint(sql, principal, {
      endpoint: {
        id,
        url: input.url,
        description: input.description ?? '',
        eventTypes: input.event_types ?? null,
        tenantFields: { externalId, metadata },
        now,
        secret: kept,
      },
      most: Math.min(bound?.max ?? ENDPOINTS_MAX, ENDPOINTS_MAX),
    })
    if (made === null) throw tooMany(bound)
    return { ...endpointView(made, null), secret }
  }
  return writeConfirmed(context, work, { advice: ADVICE })
}

/** The smaller bound is the one that was reached: the plan's, or that of every tenant. */
function tooMany(bound: { max: number; plan: string | null } | null): Refusal {
  if (bound === null || bound.max > ENDPOINTS_MAX)
    return new Refusal('too_many_endpoints', { extra: { max: ENDPOINTS_MAX } })
  return new Refusal('plan_limit_reached', { extra: { ...bound } })
}
