// Erases what passes of cards tell of their holder.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Returns the ids of the passes. The values of placeholders become empty texts. */
export async function erasePassesOfCards(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardIds: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update passes set holder_name = null, external_id = null, metadata = '{}',
      field_values = (
        select coalesce(jsonb_object_agg(key, ''), '{}') from jsonb_each(field_values)
      )
    where tenant_id = ${tenantId} and environment = ${environment}
      and card_id = any(${[...cardIds]}::text[])
    returning id`
  return rows.map(({ id }) => id)
}
