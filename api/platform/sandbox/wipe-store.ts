// Statements of a wipe outside its table of tables.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'

/**
 * The lock blocks new rows of this tenant until the transaction ends: every new row checks its
 * tenant's row.
 */
export async function lockTenantAlone(sql: TxSql, { tenantId }: Owner): Promise<void> {
  await sql`select 1 from tenants where id = ${tenantId} for update`
}

/** Longer than the delay of any tenant reply. */
const LATE_MS_MAX = 3_600_000

/**
 * Locks these transactions against new dependent rows: the drain waits for the locks, and then
 * finds the rows gone. The engine may still report an expired hold or a late reply of the tenant
 * for some of them: the wipe remembers those. `now`: tenant time.
 */
export async function lockTransactions(sql: TxSql, rows: Fragment, now: EpochMs): Promise<void> {
  await sql`select from card_transactions where ${rows} for update`
  await sql`
    insert into wiped_transactions (id, tenant_id, environment)
    select id, tenant_id, environment from card_transactions
    where ${rows} and (hold_expires_at > 0 or created_at > ${now - LATE_MS_MAX})
    on conflict do nothing`
}

/**
 * Locks rows, of which the settler signs none then. Refuses with 409 while a transaction of one is
 * on its way: other tenants use the same chain, and only its stored bytes bring it to an end.
 */
export async function requireLanded(
  sql: TxSql,
  { table, column, rows }: { table: string; column: string; rows: Fragment },
): Promise<void> {
  await sql`select from ${sql(table)} where ${rows} for update`
  const sent = await sql`
    select from settlement_attempts
    where final_block is null and ${sql(column)} in (select id from ${sql(table)} where ${rows})
    limit 1`
  if (sent.length === 0) return
  throw new Refusal('invalid_state', {
    message: 'A settlement batch or a withdrawal is on its way. Repeat the call when it has ended.',
    extra: { current_status: 'submitted' },
  })
}

/**
 * Answers under an Idempotency-Key name deleted rows. The call's own answer has no text yet and
 * stays.
 */
export async function wipeIdempotencyKeys(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<number> {
  const forgotten = await sql`
    delete from idempotency_keys
    where tenant_id = ${tenantId} and environment = ${environment} and sealed is not null`
  return forgotten.count
}

/**
 * Moves the count of billed events behind the deleted ones. The lock of its row ends a running
 * count before the segments go.
 */
export async function endCounting(sql: TxSql, { tenantId, environment }: Owner): Promise<void> {
  await sql`
    insert into billing_cursors as c (tenant_id, environment, seq)
    select tenant_id, environment, event_seq from tenant_sequences
    where tenant_id = ${tenantId} and environment = ${environment}
    on conflict (tenant_id, environment) do update set
      seq = greatest(c.seq, excluded.seq), counted_until = 0`
}

/** Returns the number of wipes, including this one. */
export async function countWipe(sql: TxSql, { tenantId }: Owner, now: EpochMs): Promise<number> {
  const [row] = await sql<{ wipes: number }[]>`
    insert into sandbox_wipes (tenant_id, wiped_at) values (${tenantId}, ${now})
    on conflict (tenant_id) do update set wipes = sandbox_wipes.wipes + 1, wiped_at = excluded.wiped_at
    returning wipes`
  return row?.wipes ?? 1
}
