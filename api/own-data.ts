// The border of what tenants keep with a resource: an external_id names one resource of its kind, and metadata stays bounded.
import type { Metadata, OwnDataChange } from '../shared/schemas/own-data.ts'
import { mergedMetadata } from '../shared/schemas/own-data.ts'
import type { Owner } from './context.ts'
import type { TxSql } from './database/transaction.ts'
import { Refusal } from './refuse.ts'

type OwnDataTable =
  | 'programs'
  | 'cardholders'
  | 'cards'
  | 'spending_controls'
  | 'webhook_endpoints'
  | 'disputes'

/**
 * Refuses with 409 and the other's `resource_id` where another resource of the owner has that external_id. Who asks for the same
 * one at the same time waits until this transaction ends, and then sees what it made.
 */
export async function requireFreeExternalId(
  sql: TxSql,
  owner: Owner,
  wish: { table: OwnDataTable; externalId: string | null; id: string },
): Promise<void> {
  const { table, externalId, id } = wish
  if (externalId === null) return
  const { tenantId, environment } = owner
  const name = [table, tenantId, environment, externalId].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const [other] = await sql<{ id: string }[]>`
    select id from ${sql(table)}
    where tenant_id = ${tenantId} and environment = ${environment}
      and external_id = ${externalId} and id <> ${id}`
  if (other === undefined) return
  throw new Refusal('already_exists', { param: 'external_id', extra: { resource_id: other.id } })
}

/** What the resource keeps after a change; refuses with 400 where its metadata would have more keys than fit. */
export function changedOwnData(
  held: { externalId: string | null; metadata: Metadata },
  change: OwnDataChange,
): { externalId: string | null; metadata: Metadata } {
  const metadata = mergedMetadata(held.metadata, change.metadata)
  if (metadata === null) {
    throw new Refusal('parameter_invalid', {
      param: 'metadata',
      message: 'Together with what is kept, metadata would have more than 50 keys.',
    })
  }
  const externalId = change.external_id === undefined ? held.externalId : change.external_id
  return { externalId, metadata }
}
