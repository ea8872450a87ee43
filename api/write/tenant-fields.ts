// Writes a resource's tenant fields: a tenant's own id is unique per kind, and metadata is merged.
import {
  type Metadata,
  mergedMetadata,
  type TenantFieldsChange,
} from '../../shared/schemas/tenant-fields.ts'
import type { Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'

/** Tables whose rows have an `external_id`. */
export type TenantFieldsTable =
  | 'api_keys'
  | 'cards'
  | 'cardholders'
  | 'disputes'
  | 'pass_images'
  | 'pass_templates'
  | 'payment_accounts'
  | 'payment_mandates'
  | 'payment_withdrawals'
  | 'payments'
  | 'programs'
  | 'recoveries'
  | 'scanners'
  | 'settlement_accounts'
  | 'spending_controls'
  | 'wallet_tokens'
  | 'webhook_endpoints'

/**
 * Refuses (409) an external id that another resource of the kind has, and names that resource.
 * Another call for the same id waits until the transaction ends.
 */
export async function requireFreeExternalId(
  sql: TxSql,
  owner: Owner,
  input: { table: TenantFieldsTable; externalId: string | null | undefined; id: string },
): Promise<void> {
  const { table, externalId, id } = input
  if (externalId === null || externalId === undefined) return
  const { tenantId, environment } = owner
  const name = [table, tenantId, environment, externalId].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const [held] = await sql<{ id: string }[]>`
    select id from ${sql(table)}
    where tenant_id = ${tenantId} and environment = ${environment} and external_id = ${externalId}
      and id <> ${id}`
  if (held === undefined) return
  throw new Refusal('already_exists', { param: 'external_id', extra: { resource_id: held.id } })
}

export interface TenantFields {
  externalId: string | null
  metadata: Metadata
}

/**
 * Returns the resource's tenant fields after the change. Refuses (400) metadata that would exceed
 * the maximum number of keys.
 */
export function changedTenantFields(held: TenantFields, change: TenantFieldsChange): TenantFields {
  const metadata = mergedMetadata(held.metadata, change.metadata)
  if (metadata === null) {
    throw new Refusal('parameter_invalid', {
      param: 'metadata',
      message: 'This field would have more keys than fit. Remove some with null.',
    })
  }
  return {
    externalId: change.external_id === undefined ? held.externalId : change.external_id,
    metadata,
  }
}
