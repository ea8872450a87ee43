// Verdicts → rows: many attempts in one statement, states and attempt log together. The lease token
// is checked: a zombie's result changes nothing. Exhausted deliveries go to `exhaust`.

import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import type { AttemptOutcome, ClaimedDelivery } from './delivery.ts'
import type { Verdict } from './verdict.ts'

const HOUR_MS = 3_600_000
/** Bucket n holds answers that took less than 2^n milliseconds; an attempt ends after 15 s. */
const ANSWER_BUCKETS = 16

interface Hour {
  endpoint_id: string
  hour: EpochMs
  succeeded: number
  failed: number
  timed_out: number
  /**
   * Attempts that were the first of their delivery to end, and those of them that succeeded.
   * Chosen: a delivery that was held before, or whose dispatcher died, has its first try then.
   */
  first_tries: number
  first_succeeded: number
  answered: number[]
}

export interface EndedAttempt {
  delivery: ClaimedDelivery
  outcome: AttemptOutcome
  verdict: Verdict
  endedAt: EpochMs
}

/**
 * Writes attempts that succeeded or will be retried, and counts them for their endpoints. A
 * successful delivery leaves the open ones. One kind of verdict per call: when another statement
 * fails, written attempts are never counted again.
 */
export async function settleAttempts(
  sql: Sql,
  kind: 'succeeded' | 'retry',
  ended: readonly EndedAttempt[],
): Promise<void> {
  // Rows are locked in the order of their ids, as in every statement that locks several: two
  // batches cannot deadlock.
  const sorted = ended.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  const settled = kind === 'succeeded' ? succeeded(sql, sorted) : waiting(sql, sorted)
  // Each row carries its data along: with another join, every row would scan the whole batch.
  await sql`
    with ${settled},
    counted as (${countHours(sql, ended)})
    insert into delivery_attempts (
      delivery_id, cycle, n, cause, started_at, duration_ms, connected_ms, answered_ms, status, error_class, body
    )
    select delivery_id, cycle, n, cause, started_at, duration_ms, connected_ms, answered_ms, status, error_class, answer
    from settled
  `
}

function succeeded(sql: SqlTag, ended: readonly EndedAttempt[]) {
  return sql`
    settled as (
      delete from open_deliveries d using ${attempts(sql, ended)}
      where d.id = attempt.delivery_id and d.lease_token = attempt.token
      returning ${sharedColumns(sql)}, delivery_id, ${attemptColumns(sql)}
    ),
    kept as (
      insert into ended_deliveries (${sharedColumns(sql)}, state, last_status, last_error, finished_at)
      select ${sharedColumns(sql)}, 'succeeded', status, null, at from settled
    )`
}

function waiting(sql: SqlTag, ended: readonly EndedAttempt[]) {
  return sql`
    settled as (
      update open_deliveries d set
        due_at = attempt.at,
        last_status = attempt.status,
        last_error = attempt.error_class,
        lease_token = null, lease_owner = null, lease_until = 0
      from ${attempts(sql, ended)}
      where d.id = attempt.delivery_id and d.lease_token = attempt.token
      returning d.cycle, d.cause, delivery_id, ${attemptColumns(sql)}
    )`
}

/** A receiver may repeat what it got: its words about a rewritten event are not kept. */
function attemptColumns(sql: SqlTag) {
  return sql`n, started_at, duration_ms, connected_ms, answered_ms, status, error_class,
    case when d.is_rewritten then '' else answer end as answer, at`
}

/** `at`: when the attempt ended, or when the delivery is due again. */
function attempts(sql: SqlTag, ended: readonly EndedAttempt[]) {
  const at = ({ verdict, endedAt }: EndedAttempt): EpochMs =>
    verdict.kind === 'retry' ? verdict.dueAt : endedAt
  return sql`
    unnest(
      ${ended.map(({ delivery }) => delivery.id)}::text[],
      ${ended.map(({ delivery }) => delivery.leaseToken)}::uuid[],
      ${ended.map(({ delivery }) => delivery.attempt)}::integer[],
      ${ended.map(({ outcome }) => outcome.startedAt)}::bigint[],
      ${ended.map(({ outcome }) => outcome.durationMs)}::integer[],
      ${ended.map(({ outcome }) => outcome.connectedMs)}::integer[],
      ${ended.map(({ outcome }) => outcome.answeredMs)}::integer[],
      ${ended.map(({ outcome }) => outcome.status)}::integer[],
      ${ended.map(({ outcome }) => outcome.errorClass)}::text[],
      ${ended.map(({ outcome }) => outcome.body)}::text[],
      ${ended.map(at)}::bigint[]
    ) as attempt (
      delivery_id, token, n, started_at, duration_ms, connected_ms, answered_ms, status, error_class, answer, at
    )`
}

/** Columns that open and ended deliveries share. */
export function sharedColumns(sql: SqlTag) {
  return sql`id, event_id, endpoint_id, tenant_id, environment, type, cause, recovery_id, lane, cycle,
    attempts, epoch, created_at`
}

/**
 * Gives back an attempt that was never made, through a fault on our side; the delivery is due again
 * at `dueAt`.
 */
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

/**
 * The statement, or part of one, that counts these attempts. All writers lock the rows in one
 * order. Attempts of an endpoint that was wiped meanwhile are not counted: such an endpoint must
 * not keep the others from being written.
 */
export function countHours(sql: SqlTag, ended: readonly EndedAttempt[]) {
  return sql`
      insert into endpoint_hours as h (
        endpoint_id, hour, succeeded, failed, timed_out, first_tries, first_succeeded, answered
      )
      select e.endpoint_id, e.hour, e.succeeded, e.failed, e.timed_out, e.first_tries, e.first_succeeded, e.answered
      from jsonb_to_recordset(${JSON.stringify(hoursOf(ended))}::text::jsonb) as e (
        endpoint_id text, hour bigint, succeeded bigint, failed bigint, timed_out bigint,
        first_tries bigint, first_succeeded bigint, answered bigint[]
      ) join webhook_endpoints w on w.id = e.endpoint_id
      order by e.endpoint_id, e.hour
      on conflict (endpoint_id, hour) do update set
        succeeded = h.succeeded + excluded.succeeded,
        failed = h.failed + excluded.failed,
        timed_out = h.timed_out + excluded.timed_out,
        first_tries = h.first_tries + excluded.first_tries,
        first_succeeded = h.first_succeeded + excluded.first_succeeded,
        answered = array(
          select a + b from unnest(h.answered, excluded.answered) with ordinality as sum (a, b, at)
          order by at
        )`
}

function hoursOf(ended: readonly EndedAttempt[]): Hour[] {
  const hours = new Map<string, Hour>()
  for (const { delivery, outcome } of ended) {
    const hour = outcome.startedAt - (outcome.startedAt % HOUR_MS)
    const key = delivery.endpointId + hour
    const sum = hours.get(key) ?? noAttempts(delivery.endpointId, hour)
    hours.set(key, sum)
    if (outcome.errorClass === null) sum.succeeded += 1
    else sum.failed += 1
    if (outcome.errorClass === 'timeout') sum.timed_out += 1
    if (delivery.isUntried) {
      sum.first_tries += 1
      if (outcome.errorClass === null) sum.first_succeeded += 1
    }
    if (outcome.answeredMs === null) continue
    const bucket = Math.min(ANSWER_BUCKETS - 1, 32 - Math.clz32(outcome.answeredMs))
    sum.answered[bucket] = (sum.answered[bucket] ?? 0) + 1
  }
  return [...hours.values()]
}

function noAttempts(endpointId: string, hour: EpochMs): Hour {
  const answered = new Array<number>(ANSWER_BUCKETS).fill(0)
  return {
    ...{ endpoint_id: endpointId, hour, succeeded: 0, failed: 0, timed_out: 0 },
    ...{ first_tries: 0, first_succeeded: 0, answered },
  }
}
