// An endpoint's results, added up by the hour while its attempts are written: its statistics never
// count attempts.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { EndedAttempt } from './settle.ts'

const HOUR_MS = 3_600_000
/** Bucket n holds answers that took less than 2^n milliseconds; an attempt ends after 15 s. */
const ANSWER_BUCKETS = 16

interface Hour {
  endpoint_id: string
  hour: EpochMs
  succeeded: number
  failed: number
  timed_out: number
  answered: number[]
}

/**
 * The statement, or part of one, that counts these attempts. All writers lock the rows in one
 * order. Attempts of an endpoint that was wiped meanwhile are not counted: such an endpoint must
 * not keep the others from being written.
 */
export function countHours(sql: SqlTag, ended: readonly EndedAttempt[]) {
  return sql`
      insert into endpoint_hours as h (endpoint_id, hour, succeeded, failed, timed_out, answered)
      select e.endpoint_id, e.hour, e.succeeded, e.failed, e.timed_out, e.answered
      from jsonb_to_recordset(${JSON.stringify(hoursOf(ended))}::text::jsonb) as e (
        endpoint_id text, hour bigint, succeeded bigint, failed bigint, timed_out bigint, answered bigint[]
      ) join webhook_endpoints w on w.id = e.endpoint_id
      order by e.endpoint_id, e.hour
      on conflict (endpoint_id, hour) do update set
        succeeded = h.succeeded + excluded.succeeded,
        failed = h.failed + excluded.failed,
        timed_out = h.timed_out + excluded.timed_out,
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
    if (outcome.answeredMs === null) continue
    const bucket = Math.min(ANSWER_BUCKETS - 1, 32 - Math.clz32(outcome.answeredMs))
    sum.answered[bucket] = (sum.answered[bucket] ?? 0) + 1
  }
  return [...hours.values()]
}

function noAttempts(endpointId: string, hour: EpochMs): Hour {
  const answered = new Array<number>(ANSWER_BUCKETS).fill(0)
  return { endpoint_id: endpointId, hour, succeeded: 0, failed: 0, timed_out: 0, answered }
}
