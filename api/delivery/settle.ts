// Verdicts → rows: successes and retries of many attempts in one statement, states and attempt log together. The lease
// token is checked: a zombie's result changes nothing. Exhausted deliveries go to `exhaust`.

import type { EpochMs } from '../../shared/clock.ts'
import type { Sql, SqlTag } from '../database/pool.ts'
import { countHours } from './count-hours.ts'
import type { AttemptOutcome, ClaimedDelivery } from './delivery.ts'
import type { Verdict } from './verdict.ts'

/** Attempts of one statement. */
export const SETTLED_MAX = 200

export interface EndedAttempt {
  delivery: ClaimedDelivery
  outcome: AttemptOutcome
  verdict: Verdict
  endedAt: EpochMs
}

/**
 * Writes attempts that succeeded or will be retried, and counts them for their endpoints. A delivery that succeeded leaves the
 * open ones.
 */
export async function settleAttempts(sql: Sql, ended: readonly EndedAttempt[]): Promise<void> {
  const rows = ended.map(attemptColumns)
  // Locked in the order of their ids, as everyone does who locks several: two batches cannot wait for each other.
  await sql`
    with ended as materialized (
      select e.* from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as e (
        id text, token uuid, cycle integer, n integer, started_at bigint, duration_ms integer,
        answered_ms integer, status integer, error_class text, body text, due_at bigint, finished_at bigint
      )
    ),
    locked as materialized (
      select d.id from open_deliveries d join ended on ended.id = d.id and ended.token = d.lease_token
      order by d.id for update of d
    ),
    succeeded as (
      delete from open_deliveries d using locked join ended on ended.id = locked.id
      where d.id = locked.id and ended.finished_at is not null
      returning d.*, ended.status as answer, ended.finished_at
    ),
    kept as (
      insert into ended_deliveries (${sharedColumns(sql)}, state, last_status, last_error, finished_at)
      select ${sharedColumns(sql)}, 'succeeded', answer, null, finished_at from succeeded
    ),
    waiting as (
      update open_deliveries d set
        due_at = ended.due_at,
        last_status = ended.status,
        last_error = ended.error_class,
        lease_token = null, lease_owner = null, lease_until = 0
      from locked join ended on ended.id = locked.id
      where d.id = locked.id and ended.finished_at is null
      returning d.id, d.endpoint_id, d.cause
    ),
    settled as (
      select id, endpoint_id, cause from succeeded union all select id, endpoint_id, cause from waiting
    ),
    counted as (${countHours(sql, ended)})
    insert into delivery_attempts (
      delivery_id, cycle, n, cause, started_at, duration_ms, answered_ms, status, error_class, body
    )
    select ended.id, cycle, n, cause, started_at, duration_ms, answered_ms, status, error_class, body
    from ended join settled on settled.id = ended.id
  `
}

/** What an open delivery and an ended one have in common. */
export function sharedColumns(sql: SqlTag) {
  return sql`id, event_id, endpoint_id, tenant_id, environment, type, cause, recovery_id, lane, cycle,
    attempts, epoch, created_at`
}

function attemptColumns({ delivery, outcome, verdict, endedAt }: EndedAttempt) {
  return {
    id: delivery.id,
    token: delivery.leaseToken,
    cycle: delivery.cycle,
    n: delivery.attempt,
    started_at: outcome.startedAt,
    duration_ms: outcome.durationMs,
    answered_ms: outcome.answeredMs,
    status: outcome.status,
    error_class: outcome.errorClass,
    body: outcome.body,
    due_at: verdict.kind === 'retry' ? verdict.dueAt : null,
    finished_at: verdict.kind === 'succeeded' ? endedAt : null,
  }
}

/** Gives an attempt back that was never made, through a fault on our side; the delivery is due again at `dueAt`. */
export async function returnDelivery(
  sql: Sql,
  delivery: { id: string; leaseToken: string },
  dueAt: EpochMs,
): Promise<void> {
  await sql`
    update open_deliveries set
      attempts = attempts - 1, due_at = ${dueAt},
      lease_token = null, lease_owner = null, lease_until = 0
    where id = ${delivery.id} and lease_token = ${delivery.leaseToken}
  `
}
