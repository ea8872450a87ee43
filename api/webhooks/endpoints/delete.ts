// Deletes an endpoint: from the answer on, it gets no events and no authorization requests.
import type { DeletedEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockEndpoint, markDeleted } from './store.ts'

/**
 * Chosen: the real-time endpoint may be deleted too; the controls decide then. Undelivered events
 * are given up; sent deliveries stay in the log.
 */
export async function deleteEndpoint(
  context: Context,
  endpointId: string,
): Promise<DeletedEndpoint> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const endpoint = await lockEndpoint(sql, principal, endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    await markDeleted(sql, principal, { endpointId, now })
    return { id: endpoint.id, object: 'webhook_endpoint' as const, deleted: true as const }
  }
  return writeConfirmed(context, change)
}
