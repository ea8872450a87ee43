// Replaces the bodies of recorded events, in the caller's transaction: for an erasure. Every later
// delivery, replay, recovery and read has the new body. The echoes of receivers go too.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { eventView } from './view.ts'

export async function rewriteEvents(
  sql: TxSql,
  { tenantId, environment }: Owner,
  {
    resourceIds,
    rewrite,
  }: { resourceIds: readonly string[]; rewrite: (envelope: EventEnvelope) => EventEnvelope },
): Promise<void> {
  const rows = await sql<{ id: string; body: Buffer }[]>`
    select id, body from events
    where tenant_id = ${tenantId} and environment = ${environment}
      and resource_id = any(${[...resourceIds]}::text[])
    order by id for no key update`
  for (const row of rows) {
    const body = Buffer.from(JSON.stringify(rewrite(eventView(row))))
    await sql`update events set body = ${body} where id = ${row.id}`
  }
  const ids = rows.map(({ id }) => id)
  await sql`
    update delivery_attempts set body = '' where body <> '' and delivery_id = any (array(
      select id from ended_deliveries where event_id = any(${ids}::text[])
      union all select id from open_deliveries where event_id = any(${ids}::text[])
    ))`
}
