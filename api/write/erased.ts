// Keeps an erased person erased: nothing that names them takes free text again.
import type { Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'

export function erasedRefusal(): Refusal<'invalid_state'> {
  return new Refusal('invalid_state', { extra: { current_status: 'erased', allowed_from: [] } })
}

/**
 * Returns the cardholders, cards and payment accounts among these ids whose person is erased. The
 * caller has locked the row that it writes: an erasure commits before this read, or waits for that
 * row and erases it too.
 */
export async function erasedAmong(
  sql: TxSql,
  { tenantId, environment }: Owner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const named = sql`id = any(${[...ids]}::text[])`
  const rows = await sql<{ id: string }[]>`
    select subject.id from (
      select id, id as cardholder_id from cardholders where ${named}
      union all select id, cardholder_id from cards where ${named}
      union all select id, cardholder_id from payment_accounts where ${named}
    ) subject join cardholders h on h.id = subject.cardholder_id
    where h.tenant_id = ${tenantId} and h.environment = ${environment} and h.erased_at is not null`
  return new Set(rows.map(({ id }) => id))
}

/** Refuses with 409 where the person of this cardholder, card or payment account is erased. */
export async function requireUnerasedPerson(sql: TxSql, owner: Owner, id: string): Promise<void> {
  const erased = await erasedAmong(sql, owner, [id])
  if (erased.size > 0) throw erasedRefusal()
}
