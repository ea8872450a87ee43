// Handles an endpoint's open deliveries after enabling or deleting it: a part at once, the rest
// part by part, so no call waits for a backlog. No canceled delivery is sent meanwhile: a claim
// checks whether the endpoint is enabled.
import type { EpochMs } from '../../../shared/clock.ts'
import type { DeliveryError } from '../../../shared/delivery-reference.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** `cancel`: the deliveries are never sent. `resume`: they are due at once. */
export type SweepWork = 'cancel' | 'resume'

export interface Sweep {
  endpointId: string
  work: SweepWork
  /** Installation time of the deletion or enabling. */
  at: EpochMs
}

/** Deliveries in the first call. */
const FIRST_PART = 1000
/** Deliveries in each later transaction. */
const PART = 5000
const ENDPOINT_DELETED: DeliveryError = 'endpoint_deleted'

/** Handles the first part and, if more remain, records the sweep. */
export async function beginSweep(sql: TxSql, sweep: Sweep): Promise<void> {
  const { endpointId, work, at } = sweep
  await sql`delete from endpoint_sweeps where endpoint_id = ${endpointId}`
  if ((await sweepPart(sql, sweep, FIRST_PART)) < FIRST_PART) return
  await sql`
    insert into endpoint_sweeps (endpoint_id, work, since_at) values (${endpointId}, ${work}, ${at})`
}

/**
 * Handles the next part of one unlocked sweep. Returns its number of deliveries; null if no sweep
 * is left.
 */
export async function continueSweep(sql: TxSql, after: string): Promise<SweptPart | null> {
  const [sweep] = await sql<Sweep[]>`
    select endpoint_id as "endpointId", work, since_at as at from endpoint_sweeps
    where endpoint_id > ${after}
    order by endpoint_id limit 1 for update skip locked`
  if (sweep === undefined) return null
  const { endpointId } = sweep
  const count = await sweepPart(sql, sweep, PART)
  if (count < PART) await sql`delete from endpoint_sweeps where endpoint_id = ${endpointId}`
  return { endpointId, count }
}

export interface SweptPart {
  endpointId: string
  count: number
}

/**
 * Returns the number found, though other workers may have settled or claimed some meanwhile: fewer
 * than `most` means all.
 */
async function sweepPart(sql: TxSql, sweep: Sweep, most: number): Promise<number> {
  const swept = sweep.work === 'cancel' ? canceled(sql, sweep, most) : resumed(sql, sweep, most)
  const [row] = await sql<{ found: number }[]>`with ${swept} select count(*) as found from found`
  return row?.found ?? 0
}

function canceled(sql: SqlTag, { endpointId, at }: Sweep, most: number): Fragment {
  return sql`
    found as materialized (
      select id from open_deliveries where endpoint_id = ${endpointId}
      order by (cause = 'event'), id collate "POSIX" limit ${most}
    ),
    canceled as (
      delete from open_deliveries where id = any (array(select id from found)) returning *
    ),
    ended as (
      insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause,
        recovery_id, lane, cycle, attempts, epoch, created_at, state, last_status, last_error, finished_at)
      select id, event_id, endpoint_id, tenant_id, environment, type, cause,
        recovery_id, lane, cycle, attempts, epoch, created_at, 'canceled', last_status, ${ENDPOINT_DELETED}, ${at}
      from canceled
    )`
}

// Deliveries that came due while the endpoint was disabled are due already: only later retries are
// moved, in index order. A delivery claimed since the search, and failed, waits for its own
// backoff.
function resumed(sql: SqlTag, { endpointId, at }: Sweep, most: number): Fragment {
  const waits = sql`d.lease_token is null and d.due_at > ${at} and d.epoch < e.enabled_epoch`
  return sql`
    found as materialized (
      select waiting.id from webhook_endpoints e
      cross join (values (0, false), (0, true), (1, false), (1, true)) as line (lane, tried)
      cross join lateral (
        select id from open_deliveries d
        where d.endpoint_id = e.id and d.lane = line.lane and (d.attempts > 0) = line.tried and ${waits}
        order by d.due_at limit ${most}
      ) waiting
      where e.id = ${endpointId} and e.status = 'enabled'
      limit ${most}
    ),
    resumed as (
      update open_deliveries d set due_at = ${at} from webhook_endpoints e
      where d.id = any (array(select id from found)) and e.id = ${endpointId} and ${waits}
    )`
}
