// The sandbox's own reads and writes: its clock, and the data to send messages as the card network.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Returns the milliseconds that the tenant's clock is ahead, locked until the transaction ends. */
export async function lockClock(sql: TxSql, { tenantId }: Owner): Promise<number> {
  await sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, 0) on conflict do nothing`
  const [row] = await sql<{ offset: number }[]>`
    select offset_ms as offset from sandbox_clocks where tenant_id = ${tenantId} for update`
  assert(row !== undefined, 'the clock was just made')
  return row.offset
}

/**
 * The statement updates the programs, including those in creation under the tenant's lock, and the
 * engine.
 */
export async function saveClock(sql: TxSql, { tenantId }: Owner, offset: number): Promise<void> {
  await sql`select 1 from tenants where id = ${tenantId} for no key update`
  await sql`update sandbox_clocks set offset_ms = ${offset} where tenant_id = ${tenantId}`
}

/**
 * Deliveries that wait for their next attempt wait that much less. Due times follow the
 * dispatcher's clock, which belongs to no tenant.
 */
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

/** The data to send a message about a card as the network. */
export interface NetworkSeat {
  keyId: string
  sealedSecret: string
  cardToken: string
  currency: string
  /** Number of wipes of the sandbox: networks remember their sent messages. */
  wipes: number
}

/** Returns null for an unknown card; the key is null if the installation has no sandbox network. */
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
