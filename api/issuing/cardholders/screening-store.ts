// The SQL statements about cardholders of all tenants that have to be screened again.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Details } from './view.ts'

export interface Unscreened {
  id: string
  name: string
  details: Details
}

/**
 * Locks at most `most` cardholders who were screened under a smaller number; rows that others have
 * locked are skipped.
 */
export async function lockUnscreened(
  sql: TxSql,
  { number, most }: { number: number; most: number },
): Promise<readonly Unscreened[]> {
  return sql<Unscreened[]>`
    select id, name, details from cardholders where screened_under < ${number}
    order by screened_under limit ${most}
    for no key update skip locked`
}

/**
 * Marks locked cardholders as screened without a hit. Their alerts stay. `now` is the
 * installation's time.
 */
export async function markScreened(
  sql: TxSql,
  ids: readonly string[],
  { version, number, now }: { version: string; number: number; now: EpochMs },
): Promise<void> {
  await sql`
    update cardholders set screened_under = ${number},
      screening = screening || jsonb_build_object(
        'status', coalesce(nullif(screening ->> 'status', 'pending'), 'clear'),
        'screened_at', (${now}::bigint + clock_offset(tenant_id, environment)) / 1000,
        'list_version', ${version}::text
      )
    where id = any(${[...ids]}::text[])`
}
