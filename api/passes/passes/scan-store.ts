// The data of a pass that a scan reads and writes.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassStatus } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface ScannablePass {
  id: string
  status: PassStatus
  /** End of the pass, or of its template. */
  expiresAt: EpochMs | null
  /** True if only the first scan counts. */
  oneTime: boolean
  redeemedAt: EpochMs | null
}

/**
 * Returns the owner's pass, locked until the transaction ends: its scans run one after the other.
 */
export async function lockScannable(
  sql: TxSql,
  owner: Owner,
  passId: string,
): Promise<ScannablePass | null> {
  const held = await sql`
    select 1 from passes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${passId}
    for no key update`
  if (held.count === 0) return null
  // A separate statement: a statement that waits for a row still reads all others as of its start.
  const [row] = await sql<ScannablePass[]>`
    select p.id, p.status, coalesce(p.expires_at, (v.content ->> 'expires_at')::bigint) as "expiresAt",
      (v.content ->> 'one_time')::boolean as "oneTime", p.redeemed_at as "redeemedAt"
    from passes p
    join pass_template_versions v on v.template_id = p.template_id and v.version = p.template_version
    where p.id = ${passId}`
  return row ?? null
}

/** Redeems a locked pass. */
export async function redeemPass(
  sql: TxSql,
  { principal, now }: { principal: Owner; now: EpochMs },
  passId: string,
): Promise<void> {
  await sql`
    update passes set redeemed_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${principal.tenantId} and environment = ${principal.environment} and id = ${passId}`
}
