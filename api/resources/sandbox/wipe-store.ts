// Statements of a wipe that are not of its table of tables.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Until the transaction ends nobody makes anything of this tenant: every new row looks at its tenant's. */
export async function holdTenantAlone(sql: TxSql, { tenantId }: Owner): Promise<void> {
  await sql`select 1 from tenants where id = ${tenantId} for update`
}

/** Longer than any reply of a tenant is late. */
const LATE_MS_MAX = 3_600_000

/**
 * Nothing is hung on these transactions any more: the drain waits for them, and then finds them gone. Of some of them the engine
 * may still tell that their hold ran out, or that the tenant replied late: they are remembered. `now`: the tenant's.
 */
export async function holdTransactions(sql: TxSql, rows: Fragment, now: EpochMs): Promise<void> {
  await sql`select from card_transactions where ${rows} for update`
  await sql`
    insert into wiped_transactions (id, tenant_id, environment)
    select id, tenant_id, environment from card_transactions
    where ${rows} and (hold_expires_at > 0 or created_at > ${now - LATE_MS_MAX})
    on conflict do nothing`
}

/** Answers under an Idempotency-Key name what is gone. The call's own has no text yet and stays. */
export async function forgetKeptAnswers(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<number> {
  const forgotten = await sql`
    delete from kept_answers
    where tenant_id = ${tenantId} and environment = ${environment} and sealed is not null`
  return forgotten.count
}

/** How often it was done, this time included. */
export async function countWipe(sql: TxSql, { tenantId }: Owner, now: EpochMs): Promise<number> {
  const [row] = await sql<{ wipes: number }[]>`
    insert into sandbox_wipes (tenant_id, wiped_at) values (${tenantId}, ${now})
    on conflict (tenant_id) do update set wipes = sandbox_wipes.wipes + 1, wiped_at = excluded.wiped_at
    returning wipes`
  return row?.wipes ?? 1
}
