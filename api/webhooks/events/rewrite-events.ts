// Replaces the bodies of recorded events, in the caller's transaction: for an erasure. Every later
// delivery, replay, recovery and read has the new body. The echoes of receivers go too.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { Owner } from '../../context.ts'
import { sendLate } from '../../database/late-statements.ts'
import type { TxSql } from '../../database/transaction.ts'
import { eventView } from './view.ts'

/** Bodies of one statement: some megabytes at most. */
const PART = 500

export interface Rewriting {
  resourceIds: readonly string[]
  rewrite: (envelope: EventEnvelope) => EventEnvelope
}

/**
 * Events that the caller's transaction keeps for its end are recorded first. The caller has locked
 * the resources, so that no other transaction records an event of their earlier state. Deliveries
 * of the tenant wait from here until the transaction ends.
 */
export async function rewriteEvents(
  sql: TxSql,
  owner: Owner,
  { resourceIds, rewrite }: Rewriting,
): Promise<void> {
  await sendLate(sql)
  const { tenantId, environment } = owner
  const found = await sql<{ id: string }[]>`
    select id from events
    where tenant_id = ${tenantId} and environment = ${environment}
      and resource_id = any(${[...resourceIds]}::text[])
    order by id for no key update`
  const ids = found.map(({ id }) => id)
  for (let at = 0; at < ids.length; at += PART) {
    const rows = await sql<{ id: string; body: Buffer }[]>`
      select id, body from events where id = any(${ids.slice(at, at + PART)}::text[])`
    await sql`
      update events e set body = convert_to(made.body, 'UTF8')
      from unnest(
        ${rows.map(({ id }) => id)}::text[],
        ${rows.map((row) => JSON.stringify(rewrite(eventView(row))))}::text[]
      ) as made (id, body)
      where e.id = made.id`
  }
  if (ids.length > 0) await eraseEchoes(sql, owner, ids)
}

/**
 * Erases what receivers answered. The lock of the tenant's pace waits for the fan-out under way and
 * keeps off the next: each delivery of an earlier body is among the rows found here. An attempt
 * under way writes its answer later, without the receiver's words.
 */
async function eraseEchoes(
  sql: TxSql,
  { tenantId, environment }: Owner,
  eventIds: readonly string[],
): Promise<void> {
  await sql`
    insert into fan_out_pace as p (tenant_id, environment) values (${tenantId}, ${environment})
    on conflict (tenant_id, environment) do update set tenant_id = p.tenant_id`
  await sql`
    with held as materialized (
      select id from open_deliveries where event_id = any(${[...eventIds]}::text[])
      order by id for update
    )
    update open_deliveries set is_rewritten = true where id = any(array(select id from held))`
  await sql`
    update delivery_attempts set body = '' where body <> '' and delivery_id = any (array(
      select id from ended_deliveries where event_id = any(${[...eventIds]}::text[])
      union all select id from open_deliveries where event_id = any(${[...eventIds]}::text[])
    ))`
}
