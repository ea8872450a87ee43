// What the sandbox reads and writes of its own: its clock, and what it takes to speak as the card network.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Milliseconds that the tenant's clock is ahead, held until the transaction ends. */
export async function holdClock(sql: TxSql, { tenantId }: Owner): Promise<number> {
  await sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, 0) on conflict do nothing`
  const [row] = await sql<{ offset: number }[]>`
    select offset_ms as offset from sandbox_clocks where tenant_id = ${tenantId} for update`
  assert(row !== undefined, 'the clock was just made')
  return row.offset
}

/** The programs learn of it, those too that are being made under the tenant's lock, and so does the engine. */
export async function saveClock(sql: TxSql, { tenantId }: Owner, offset: number): Promise<void> {
  await sql`select 1 from tenants where id = ${tenantId} for no key update`
  await sql`update sandbox_clocks set offset_ms = ${offset} where tenant_id = ${tenantId}`
}

/** Deliveries that wait for their next attempt wait that much less. Due times are the dispatcher's, which is nobody's in particular. */
export async function hastenDeliveries(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { now, byMs }: { now: EpochMs; byMs: number },
): Promise<void> {
  await sql`
    update open_deliveries set due_at = greatest(${now}, due_at - ${byMs}::bigint)
    where endpoint_id = any (array(
        select id from webhook_endpoints where tenant_id = ${tenantId} and environment = ${environment}
      ))
      and lease_token is null and due_at > ${now}`
}

/** What it takes to send a message about a card as the network does. */
export interface NetworkSeat {
  keyId: string
  sealedSecret: string
  cardToken: string
  currency: string
  /** How often the sandbox was emptied: networks remember what they have sent. */
  wipes: number
}

/** Null where the owner has no such card; its key is null where the installation knows no network of the sandbox. */
export async function findSeat(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  cardId: string,
): Promise<(Omit<NetworkSeat, 'keyId'> & { keyId: string | null }) | null> {
  const [row] = await sql<(Omit<NetworkSeat, 'keyId'> & { keyId: string | null })[]>`
    select c.token as "cardToken", c.currency, k.id as "keyId", k.sealed_secret as "sealedSecret",
      coalesce((select wipes from sandbox_wipes w where w.tenant_id = c.tenant_id), 0) as wipes
    from cards c left join lateral (
      select id, sealed_secret from network_keys
      where environment = c.environment order by created_at, id limit 1
    ) k on true
    where c.tenant_id = ${tenantId} and c.environment = ${environment} and c.id = ${cardId}`
  return row ?? null
}
