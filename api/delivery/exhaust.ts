// Chosen: the fifth failed attempt of one delivery disables its endpoint, once; what else is open for it is held, and the
// tenant's other endpoints are told, all in one transaction. Spec 2.8, 6.1.
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import { recordEvent } from '../resources/events/index.ts'
import { ATTEMPTS_MAX, type ClaimedDelivery } from './delivery.ts'
import type { EndedAttempt } from './settle.ts'
import { dueAt, type RetrySchedule } from './verdict.ts'

/**
 * What became of it. `failed`: the endpoint was disabled before, or is enabled anew since. `held`: another delivery of the
 * endpoint was first. `new_cycle`: not all five were failures of the endpoint, or it was enabled anew during the fifth.
 * `dropped`: the lease was lost.
 */
export type Exhaustion = 'disabled' | 'failed' | 'held' | 'new_cycle' | 'dropped'

export async function exhaustDelivery(
  sql: Sql,
  ended: EndedAttempt,
  schedule: RetrySchedule,
): Promise<Exhaustion> {
  const { delivery, endedAt } = ended
  const settle = async (sql: TxSql): Promise<Exhaustion> => {
    // The endpoint first, then its deliveries: whoever enables, disables or addresses it takes the same order.
    await sql`select from webhook_endpoints where id = ${delivery.endpointId} for no key update`
    const saved = await saveLastAttempt(sql, ended)
    if (saved === null) return 'dropped'
    if (saved.state === 'held') return 'held'
    // Held and resumed while this attempt was under way: its fresh cycle is due already.
    if (saved.cycle !== delivery.cycle) return 'new_cycle'
    if (await wasInterrupted(sql, delivery)) {
      await beginCycle(sql, delivery, dueAt(2, endedAt, schedule))
      return 'new_cycle'
    }
    await sql`
      update deliveries set state = 'failed', due_at = null, finished_at = ${endedAt}
      where id = ${delivery.id}
    `
    return (await disableEndpoint(sql, ended)) ? 'disabled' : 'failed'
  }
  // The lease token makes a second run find nothing to do.
  return tx(sql, settle, { safeToRepeat: true })
}

async function saveLastAttempt(
  sql: TxSql,
  ended: EndedAttempt,
): Promise<{ state: string; cycle: number } | null> {
  const { delivery, outcome } = ended
  const [row] = await sql<{ state: string; cycle: number }[]>`
    update deliveries set
      last_status = ${outcome.status}, last_error = ${outcome.errorClass},
      lease_token = null, lease_owner = null, lease_until = 0
    where id = ${delivery.id} and lease_token = ${delivery.leaseToken}
    returning state, cycle
  `
  if (row === undefined) return null
  await sql`
    insert into delivery_attempts (
      delivery_id, cycle, n, started_at, duration_ms, status, error_class, body
    ) values (
      ${delivery.id}, ${delivery.cycle}, ${delivery.attempt}, ${outcome.startedAt},
      ${outcome.durationMs}, ${outcome.status}, ${outcome.errorClass}, ${outcome.body}
    )
  `
  return row
}

// Chosen: an attempt that a dying dispatcher cut off counts as made, never as the endpoint's failure. With one of those
// among the five the delivery gets another five, instead of a healthy endpoint being disabled for our crashes.
async function wasInterrupted(sql: TxSql, delivery: ClaimedDelivery): Promise<boolean> {
  const rows = await sql`
    select from delivery_attempts
    where delivery_id = ${delivery.id} and cycle = ${delivery.cycle}
      and error_class = 'interrupted'
    limit 1
  `
  return rows.length > 0
}

async function beginCycle(sql: TxSql, delivery: ClaimedDelivery, due: number): Promise<void> {
  await sql`
    update deliveries set cycle = cycle + 1, attempts = 0, due_at = ${due}
    where id = ${delivery.id}
  `
}

// Row lock and condition make it happen once, whatever fails at the same time; a result from before the endpoint was
// enabled anew has an older epoch and disables nothing.
async function disableEndpoint(sql: TxSql, ended: EndedAttempt): Promise<boolean> {
  const { endpointId, tenantId, environment, epoch } = ended.delivery
  const disabled = await sql`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'retry_exhausted'
    where id = ${endpointId} and status = 'enabled' and enabled_epoch = ${epoch}
    returning id
  `
  if (disabled.length === 0) return false
  await sql`
    update deliveries set state = 'held'
    where endpoint_id = ${endpointId} and state = 'pending'
  `
  await recordEvent(sql, {
    tenantId,
    environment,
    type: 'webhook_endpoint.disabled',
    data: {
      endpoint_id: endpointId,
      disabled_reason: 'retry_exhausted',
      attempt_count: ATTEMPTS_MAX,
    },
    resourceId: endpointId,
    now: ended.endedAt,
    audience: { everyoneBut: endpointId },
  })
  return true
}
