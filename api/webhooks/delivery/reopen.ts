// Reopens an ended delivery: a caller asked for its event again. The delivery keeps its id and
// begins another cycle.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface AskedAgain {
  event_id: string
  endpoint_id: string
  recovery_id: string | null
  lane: Lane
  /** The endpoint's epoch. */
  epoch: number
}

/**
 * Opens ended deliveries, and leaves open ones alone: they are sent anyway. Returns the pairs of
 * event and endpoint with an open delivery now; the other pairs never had a delivery. The caller
 * locks the endpoints, so no other call opens a delivery of theirs meanwhile.
 */
export async function reopenDeliveries(
  sql: TxSql,
  asked: readonly AskedAgain[],
  { cause, dueAt }: { cause: 'replay' | 'recovery'; dueAt: EpochMs },
): Promise<{ event_id: string; endpoint_id: string }[]> {
  if (asked.length === 0) return []
  return sql<{ event_id: string; endpoint_id: string }[]>`
    with asked as materialized (
      select * from unnest(
        ${asked.map((row) => row.event_id)}::text[],
        ${asked.map((row) => row.endpoint_id)}::text[],
        ${asked.map((row) => row.recovery_id)}::text[],
        ${asked.map((row) => row.lane)}::integer[],
        ${asked.map((row) => row.epoch)}::integer[]
      ) as asked (event_id, endpoint_id, recovery_id, lane, epoch)
    ),
    waiting as materialized (
      select event_id, endpoint_id from asked where exists (
        select from open_deliveries o
        where o.event_id = asked.event_id and o.endpoint_id = asked.endpoint_id
      )
    ),
    ended as materialized (
      select latest.id, asked.* from asked cross join lateral (
        select d.id from ended_deliveries d
        where d.event_id = asked.event_id and d.endpoint_id = asked.endpoint_id
        order by d.id desc limit 1
      ) latest
      where (asked.event_id, asked.endpoint_id) not in (select event_id, endpoint_id from waiting)
    ),
    taken as (
      delete from ended_deliveries d where d.id = any (array(select id from ended)) returning d.*
    ),
    opened as (
      insert into open_deliveries (
        id, event_id, endpoint_id, tenant_id, environment, type, cause, recovery_id, lane, cycle, epoch, due_at,
        last_status, last_error, created_at
      )
      select id, taken.event_id, taken.endpoint_id, tenant_id, environment, type, ${cause}, ended.recovery_id, ended.lane,
        cycle + 1, ended.epoch, ${dueAt}, last_status, last_error, created_at
      from taken join ended using (id)
      returning event_id, endpoint_id
    )
    select event_id, endpoint_id from opened union all select event_id, endpoint_id from waiting
  `
}
