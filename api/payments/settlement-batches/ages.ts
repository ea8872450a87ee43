// Ages of captures that have not landed: a tenant sees what is stuck before its payee asks.
import type { EpochMs } from '../../../shared/clock.ts'
import { SETTLEMENT_AGES, type SettlementAges } from '../../../shared/schemas/settlement-ages.ts'
import type { Context, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { requireAccount } from './balance.ts'

/** The ages of one settlement account’s captures, or of all of the tenant, by its clock. */
export async function readAges(
  { sql, principal, now }: Context,
  settlementAccountId: string | null,
): Promise<SettlementAges> {
  await requireAccount(sql, principal, settlementAccountId)
  const spans = await readSpans(sql, principal, { accountId: settlementAccountId, now })
  const oldest = (waits: boolean): number | null => {
    const known = spans.filter((span) => span.waits === waits).map(({ oldestAt }) => oldestAt)
    return known.length === 0 ? null : Math.max(0, Math.floor((now - Math.min(...known)) / 1000))
  }
  return {
    object: 'settlement_ages',
    livemode: principal.environment === 'live',
    settlement_account_id: settlementAccountId,
    currency: 'USD',
    oldest_pending_seconds: oldest(true),
    oldest_in_settlement_seconds: oldest(false),
    ages: SETTLEMENT_AGES.map((from, at) => {
      const of = (waits: boolean) =>
        spans.find((span) => span.waits === waits && span.number === at + 1)
      return {
        from_seconds: from,
        until_seconds: SETTLEMENT_AGES[at + 1] ?? null,
        pending_cents: of(true)?.cents ?? 0,
        pending_captures: of(true)?.captures ?? 0,
        in_settlement_cents: of(false)?.cents ?? 0,
        in_settlement_captures: of(false)?.captures ?? 0,
      }
    }),
  }
}

interface Span {
  /** True for captures that wait for a batch. */
  waits: boolean
  /** Place in the list of spans, from 1. */
  number: number
  captures: number
  cents: number
  oldestAt: EpochMs
}

/**
 * Reads captures that wait by the index of those, and captures in settlement by the batches that
 * have not ended: settled captures cost nothing.
 */
async function readSpans(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { accountId, now }: { accountId: string | null; now: EpochMs },
): Promise<Span[]> {
  const begins = SETTLEMENT_AGES.map((seconds) => seconds * 1000)
  return sql<Span[]>`
    with unsettled as (
      select true as waits, c.amount_cents, c.created_at
      from payment_captures c join payments p on p.id = c.payment_id
      where c.status = 'pending' and c.settlement_batch_id is null
        and c.tenant_id = ${tenantId} and c.environment = ${environment}
        and (${accountId}::text is null or p.settlement_account_id = ${accountId})
      union all
      select false, c.amount_cents, c.created_at
      from settlement_batches b join payment_captures c on c.settlement_batch_id = b.id
      where b.status in ('open', 'submitted', 'included')
        and c.status in ('pending', 'submitted', 'included')
        and b.tenant_id = ${tenantId} and b.environment = ${environment}
        and (${accountId}::text is null or b.settlement_account_id = ${accountId})
    )
    select waits, width_bucket(greatest(0, ${now}::bigint - created_at), ${begins}::bigint[]) as number,
      count(*) as captures, sum(amount_cents)::bigint as cents, min(created_at) as "oldestAt"
    from unsettled group by 1, 2`
}
