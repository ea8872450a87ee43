// What becomes of an endpoint's open deliveries when it is enabled or deleted: a part at once, the rest part by part, so that
// no call waits for a backlog. None of them is sent meanwhile that should not be: a claim asks whether the endpoint is enabled.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** `cancel`: they are never sent. `resume`: they are due at once. */
export type SweepWork = 'cancel' | 'resume'

export interface Sweep {
  endpointId: string
  work: SweepWork
  /** When it was deleted or enabled, by the installation's time. */
  at: EpochMs
}

/** Deliveries of one call. */
const FIRST_PART = 1000
/** Deliveries of one transaction behind it. */
const PART = 5000

/** Does the first part and, where more is left, writes down that it is. */
export async function beginSweep(sql: TxSql, sweep: Sweep): Promise<void> {
  const { endpointId, work, at } = sweep
  await sql`delete from endpoint_sweeps where endpoint_id = ${endpointId}`
  if ((await sweepPart(sql, sweep, FIRST_PART)) < FIRST_PART) return
  await sql`
    insert into endpoint_sweeps (endpoint_id, work, since_at) values (${endpointId}, ${work}, ${at})`
}

/** Does the next part of one sweep that nobody is at. How many deliveries it was; null where there is no sweep left. */
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

/** How many were found, though others may have settled or claimed some of them meanwhile: fewer than `most` are all. */
async function sweepPart(sql: TxSql, sweep: Sweep, most: number): Promise<number> {
  const swept = sweep.work === 'cancel' ? canceled(sql, sweep, most) : resumed(sql, sweep, most)
  const [row] = await sql<{ found: number }[]>`with ${swept} select count(*) as found from found`
  return row?.found ?? 0
}

function canceled(sql: SqlTag, { endpointId, at }: Sweep, most: number): Fragment {
  return sql`
    found as materialized (
      select id from open_deliveries where endpoint_id = ${endpointId} order by id collate "POSIX" limit ${most}
    ),
    canceled as (
      delete from open_deliveries where id = any (array(select id from found)) returning *
    ),
    ended as (
      insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause,
        recovery_id, lane, cycle, attempts, epoch, created_at, state, last_status, last_error, finished_at)
      select id, event_id, endpoint_id, tenant_id, environment, type, cause,
        recovery_id, lane, cycle, attempts, epoch, created_at, 'canceled', last_status, 'endpoint_deleted', ${at}
      from canceled
    )`
}

// What was due while it was disabled is due already: only later retries of before are moved, line by line of their index. What
// was claimed since it was found, and failed, waits as long as that failure says.
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
