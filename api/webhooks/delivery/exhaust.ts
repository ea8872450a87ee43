// Chosen: the fifth failed attempt of one delivery disables its endpoint, once; its other open
// deliveries are held, and the tenant's other endpoints are told, all in one transaction. Spec 2.8,
// 6.1.
import { assert } from '../../../shared/assert.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { recordEvent } from '../events/index.ts'
import { ATTEMPTS_MAX, type ClaimedDelivery } from './delivery.ts'
import { countHours, type EndedAttempt, sharedColumns } from './settle.ts'
import { dueAt, type RetrySchedule } from './verdict.ts'

/**
 * Result of the exhaustion. `failed`: the delivery was given up, and disables nothing. `held`: the
 * endpoint is or was disabled meanwhile. `new_cycle`: not all five were failures of the endpoint.
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
    // Lock order: the endpoint first, then its deliveries. Calls that enable, disable or address it
    // use the same order.
    const [endpoint] = await sql<{ status: string; epoch: number }[]>`
      select status, enabled_epoch as epoch from webhook_endpoints
      where id = ${delivery.endpointId} for no key update
    `
    if (!(await saveLastAttempt(sql, ended))) return 'dropped'
    // The delivery stays open: with the endpoint's next epoch, which may have begun, it begins a
    // fresh cycle.
    if (endpoint?.status !== 'enabled' || endpoint.epoch !== delivery.epoch) return 'held'
    if (await wasInterrupted(sql, delivery)) {
      await beginCycle(sql, delivery, dueAt(2, endedAt, schedule))
      return 'new_cycle'
    }
    await endDelivery(sql, ended)
    // Chosen: replayed events and tests disable nothing.
    if (delivery.cause !== 'event') return 'failed'
    await disableEndpoint(sql, ended)
    return 'disabled'
  }
  // The lease token makes a second run a no-op.
  return tx(sql, settle, { safeToRepeat: true })
}

async function saveLastAttempt(sql: TxSql, ended: EndedAttempt): Promise<boolean> {
  const { delivery, outcome } = ended
  const [saved] = await sql<{ is_rewritten: boolean }[]>`
    update open_deliveries set
      last_status = ${outcome.status}, last_error = ${outcome.errorClass},
      lease_token = null, lease_owner = null, lease_until = 0
    where id = ${delivery.id} and lease_token = ${delivery.leaseToken}
    returning is_rewritten
  `
  if (saved === undefined) return false
  const body = saved.is_rewritten ? '' : outcome.body
  await sql`
    with counted as (${countHours(sql, [ended])})
    insert into delivery_attempts (
      delivery_id, cycle, n, cause, started_at, duration_ms, connected_ms, answered_ms, status, error_class, body
    ) values (
      ${delivery.id}, ${delivery.cycle}, ${delivery.attempt}, ${delivery.cause}, ${outcome.startedAt},
      ${outcome.durationMs}, ${outcome.connectedMs}, ${outcome.answeredMs}, ${outcome.status}, ${outcome.errorClass}, ${body}
    )
  `
  return true
}

// Chosen: an attempt that a dying dispatcher cut off counts as made, never as the endpoint's
// failure. A delivery with such an attempt among the five gets another five: our crashes must not
// disable a healthy endpoint.
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
    update open_deliveries set cycle = cycle + 1, attempts = 0, due_at = ${due}
    where id = ${delivery.id}
  `
}

async function endDelivery(sql: TxSql, { delivery, endedAt }: EndedAttempt): Promise<void> {
  await sql`
    with failed as (delete from open_deliveries where id = ${delivery.id} returning *)
    insert into ended_deliveries (${sharedColumns(sql)}, state, last_status, last_error, finished_at)
    select ${sharedColumns(sql)}, 'failed', last_status, last_error, ${endedAt} from failed
  `
}

// The endpoint is locked and enabled in the delivery's own epoch: the disabling happens once,
// whatever fails at the same time. The disabled state alone holds the endpoint's open deliveries.
// The endpoint's missed events begin with the first event that is not fanned out yet.
async function disableEndpoint(sql: TxSql, ended: EndedAttempt): Promise<void> {
  const { endpointId, tenantId, environment } = ended.delivery
  // The tenant sees its endpoint and its events in its own time. The absence is compared with ids,
  // which are made in ours.
  const [disabled] = await sql<{ now: number }[]>`
    update webhook_endpoints
    set status = 'disabled', disabled_reason = 'retry_exhausted',
      disabled_at = ${ended.endedAt}::bigint + clock_offset(tenant_id, environment)
    where id = ${endpointId}
    returning disabled_at as now
  `
  assert(disabled !== undefined, 'a locked endpoint does not vanish')
  await sql`
    insert into endpoint_absences (endpoint_id, from_seq, from_at, reason)
    select ${endpointId}, coalesce(
      (
        select min(seq) from event_outbox
        where tenant_id = ${tenantId} and environment = ${environment} and recovery_id is null
      ),
      (
        select event_seq + 1 from tenant_sequences
        where tenant_id = ${tenantId} and environment = ${environment}
      ), 1
    ), ${ended.endedAt}, 'retry_exhausted'
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
    now: disabled.now,
    audience: { everyoneBut: endpointId },
  })
}
