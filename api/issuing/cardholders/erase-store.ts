// The SQL statements about the erasure of a cardholder alone; erase-resources-store.ts has those
// about resources that name the person.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { ERASED_NAME } from './erased-event.ts'
import { findCardholder } from './store.ts'
import type { CardholderRow } from './view.ts'

/** No screening has a greater number: an erased name is never screened again. */
const NEVER_SCREENED = '9223372036854775807'

/** Whether the person had a verification, a card or an account. */
export async function keepsPerson(sql: TxSql, cardholderId: string): Promise<boolean> {
  const [row] = await sql<{ keeps: boolean }[]>`
    select exists (select from identity_verifications where cardholder_id = ${cardholderId})
      or exists (select from cards where cardholder_id = ${cardholderId})
      or exists (select from payment_accounts where cardholder_id = ${cardholderId}) as keeps`
  return row?.keeps ?? false
}

export async function insertErasure(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { cardholderId, sealed, now }: { cardholderId: string; sealed: string; now: EpochMs },
): Promise<void> {
  await sql`
    insert into cardholder_erasures (id, tenant_id, environment, sealed, erased_at)
    values (${cardholderId}, ${tenantId}, ${environment}, ${sealed}, ${now})`
}

/** Erases a locked cardholder. */
export async function erasePerson(
  sql: TxSql,
  owner: Owner,
  { cardholderId, now }: { cardholderId: string; now: EpochMs },
): Promise<CardholderRow> {
  await sql`
    update cardholders set name = ${ERASED_NAME}, status = 'inactive', details = '{}',
      external_id = null, metadata = '{}', frozen_reason = null,
      identity = identity || '{"reasons": []}', erased_at = ${now},
      screened_under = ${NEVER_SCREENED}::bigint,
      freezes = (
        select coalesce(jsonb_agg(was || '{"reason": null}'), '[]')
        from jsonb_array_elements(freezes) was
      )
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${cardholderId}`
  const erased = await findCardholder(sql, owner, cardholderId)
  assert(erased !== null, 'a locked cardholder does not vanish')
  return erased
}

/**
 * Erases the hash of the screened person and the words of reviews. Every alert of somebody who may
 * be erased is dismissed.
 */
export async function eraseAlerts(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardholderId: string,
): Promise<void> {
  await sql`
    update sanctions_alerts set person = '', note = null
    where tenant_id = ${tenantId} and environment = ${environment}
      and cardholder_id = ${cardholderId}`
}

/**
 * Erases reasons from kept versions of config records, which later releases no longer store. No
 * decision reads them, so a replay is the same.
 */
export async function eraseKeptReasons(sql: TxSql, ids: readonly string[]): Promise<void> {
  await sql`
    update config_history
    set body = body - array['frozen_reason', 'suspend_reason', 'terminate_reason']
    where type in ('cardholder', 'card') and id = any(${[...ids]}::text[])
      and body ?| array['frozen_reason', 'suspend_reason', 'terminate_reason']`
}

/** The sealed identity of an erased cardholder; null where nothing is kept. */
export async function findKeptIdentity(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardholderId: string,
): Promise<{ sealed: string; erasedAt: EpochMs } | null> {
  const [row] = await sql<{ sealed: string; erasedAt: EpochMs }[]>`
    select sealed, erased_at as "erasedAt" from cardholder_erasures
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${cardholderId}`
  return row ?? null
}
