// SQL statements about sign-ups whose address was never confirmed.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** A person who signed up, and the tenant that the sign-up opened. */
export interface SignUp {
  identityId: string
  personId: string
  tenantId: string
  /** Milliseconds that the clock of the tenant's sandbox is ahead. */
  clockOffsetMs: number
}

/**
 * Locks the person and the tenant of the oldest unconfirmed sign-up from before a moment; null if
 * there is none. Tenants with anything worth keeping do not count.
 */
export async function lockSignUp(sql: TxSql, before: EpochMs): Promise<SignUp | null> {
  const [found] = await sql<SignUp[]>`
    ${unconfirmed(sql, before)} order by i.created_at limit 1 for no key update of i, t skip locked`
  if (found === undefined) return null
  // Another person may have joined between the statement's snapshot and its lock.
  const [held] = await sql<SignUp[]>`${unconfirmed(sql, before)} and i.id = ${found.identityId}`
  return held ?? null
}

/** The name of a company is often that of its owner. */
export async function eraseTenantNames(sql: TxSql, tenantId: string): Promise<void> {
  await sql`update tenants set name = 'Removed', legal_name = null where id = ${tenantId}`
}

function unconfirmed(sql: SqlTag, before: EpochMs) {
  return sql`
    select i.id as "identityId", u.id as "personId", t.id as "tenantId",
      clock_offset(t.id, 'sandbox') as "clockOffsetMs"
    from identities i join users u on u.identity_id = i.id join tenants t on t.id = u.tenant_id
    where i.verified_at is null and i.state = 'active' and i.created_at <= ${before}
      and t.kyb_status = 'pending'
      and exists (
        select from audit_log a where a.tenant_id = t.id and a.environment = 'live' and a.seq = 1
          and a.action = 'POST /sign-up'
      )
      and not exists (
        select from users o join identities p on p.id = o.identity_id
        where o.tenant_id = t.id and o.removed_at is null and p.verified_at is not null
      )
      and not exists (
        select from users o where o.identity_id = i.id and o.tenant_id <> t.id and o.removed_at is null
      )
      and not exists (select from operators o where o.identity_id = i.id)`
}
