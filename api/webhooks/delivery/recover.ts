// Heartbeats of dispatchers, and recovery of leases from dead ones. A dispatcher renews its row
// every second; when it stops, its leased deliveries go back to the others within seconds.
//
// No delivery is lost and none is sent too often: the attempt was counted when it was claimed, so
// the cut-off one is recorded as `interrupted` and the next one starts at once (the receiver gave
// no reason for a delay). After a cut-off fifth attempt a fresh cycle begins: giving up could lose
// an event that no receiver saw.

import type { EpochMs } from '../../../shared/clock.ts'
import type { DeliveryError } from '../../../shared/delivery-reference.ts'
import type { Sql } from '../../database/pool.ts'
import { LEASE_MS } from './claim.ts'
import { ATTEMPTS_MAX } from './delivery.ts'

export const RENEW_MS = 1000
/** Milliseconds without a heartbeat after which a dispatcher counts as dead. */
export const ALIVE_MS = 5000
/** Rows of one statement; the next second takes the next. */
const RECOVERED_MAX = 1000
const INTERRUPTED: DeliveryError = 'interrupted'

/** Renews the heartbeat; returns the database's time. */
export async function heartbeat(sql: Sql, owner: string): Promise<EpochMs> {
  const [row] = await sql<[{ now: EpochMs }]>`
    insert into dispatchers (id, alive_until)
    values (${owner}, (extract(epoch from clock_timestamp()) * 1000)::bigint + ${ALIVE_MS})
    on conflict (id) do update set alive_until = excluded.alive_until
    returning alive_until - ${ALIVE_MS} as now
  `
  return row.now
}

/**
 * Records that this dispatcher has no delivery in flight; its remaining leases are free at once.
 */
export async function deregister(sql: Sql, owner: string): Promise<void> {
  await sql`delete from dispatchers where id = ${owner}`
}

export interface RecoverInput {
  owner: string
  /** Deliveries this dispatcher is working on. */
  inFlight: readonly string[]
  /**
   * True when this dispatcher renewed its own heartbeat without a gap for ALIVE_MS. After an outage
   * of the database every row looks dead, and the first to return must not take the work of those
   * who follow.
   */
  steady: boolean
  now: EpochMs
}

/**
 * Frees abandoned leases; returns the number. The lease holder's heartbeat is a subquery and no
 * join: for a row that was freed and claimed again since the statement began, a join would still
 * show the earlier holder.
 */
export async function recoverAbandoned(sql: Sql, input: RecoverInput): Promise<number> {
  const { owner, inFlight, steady, now } = input
  const recovered = await sql`
    with wall as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms),
    abandoned as materialized (
      select d.id, d.cycle, d.attempts, d.lease_until
      from open_deliveries d cross join wall
      where d.lease_token is not null and d.id <> all (${[...inFlight]}::text[])
        and (
          d.lease_until <= wall.now_ms
          or (d.lease_owner <> ${owner} and coalesce(
            (
              select ${steady} and p.alive_until <= wall.now_ms from dispatchers p
              where p.id = d.lease_owner
            ),
            true
          ))
        )
      order by d.id limit ${RECOVERED_MAX}
      for update of d skip locked
    ),
    noted as (
      insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms, error_class)
      select id, cycle, attempts, lease_until - ${LEASE_MS}::bigint, 0, ${INTERRUPTED} from abandoned
    )
    update open_deliveries d set
      cycle = d.cycle + case when d.attempts >= ${ATTEMPTS_MAX} then 1 else 0 end,
      attempts = case when d.attempts >= ${ATTEMPTS_MAX} then 0 else d.attempts end,
      due_at = ${now},
      last_error = ${INTERRUPTED},
      lease_token = null, lease_owner = null, lease_until = 0
    where d.id = any (array(select id from abandoned))
    returning d.id
  `
  return recovered.length
}
