// Verdicts → rows: successes and retries of many attempts in one statement, states and attempt log together. The lease
// token is checked: a zombie's result changes nothing. Exhausted deliveries go to `exhaust`.

import type { EpochMs } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
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
 * Writes attempts that succeeded or will be retried. A delivery that was held while its attempt was under way succeeds
 * when it succeeded, and otherwise stays held.
 */
export async function settleAttempts(sql: Sql, ended: readonly EndedAttempt[]): Promise<void> {
  const rows = ended.map(({ delivery, outcome, verdict, endedAt }) => ({
    id: delivery.id,
    token: delivery.leaseToken,
    cycle: delivery.cycle,
    n: delivery.attempt,
    started_at: outcome.startedAt,
    duration_ms: outcome.durationMs,
    status: outcome.status,
    error_class: outcome.errorClass,
    body: outcome.body,
    due_at: verdict.kind === 'retry' ? verdict.dueAt : null,
    finished_at: verdict.kind === 'succeeded' ? endedAt : null,
  }))
  // Locked in the order of their ids, as everyone does who locks several: two batches cannot wait for each other.
  await sql`
    with ended as materialized (
      select e.* from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as e (
        id text, token uuid, cycle integer, n integer, started_at bigint, duration_ms integer,
        status integer, error_class text, body text, due_at bigint, finished_at bigint
      )
    ),
    locked as materialized (
      select d.id from deliveries d join ended on ended.id = d.id and ended.token = d.lease_token
      order by d.id for update of d
    ),
    settled as (
      update deliveries d set
        state = case when ended.finished_at is null then d.state else 'succeeded' end,
        due_at = ended.due_at,
        finished_at = ended.finished_at,
        last_status = ended.status,
        last_error = ended.error_class,
        lease_token = null, lease_owner = null, lease_until = 0
      from locked join ended on ended.id = locked.id
      where d.id = locked.id
      returning d.id
    )
    insert into delivery_attempts (
      delivery_id, cycle, n, started_at, duration_ms, status, error_class, body
    )
    select ended.id, cycle, n, started_at, duration_ms, status, error_class, body
    from ended join settled on settled.id = ended.id
  `
}

/** Gives an attempt back that was never made, through a fault on our side; the delivery is due again at `dueAt`. */
export async function returnDelivery(
  sql: Sql,
  delivery: { id: string; leaseToken: string },
  dueAt: EpochMs,
): Promise<void> {
  await sql`
    update deliveries set
      attempts = attempts - 1, due_at = ${dueAt},
      lease_token = null, lease_owner = null, lease_until = 0
    where id = ${delivery.id} and lease_token = ${delivery.leaseToken}
  `
}
