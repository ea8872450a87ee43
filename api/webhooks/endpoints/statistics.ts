// An endpoint's statistics of the last day, from counters written with its attempts, and its
// waiting deliveries.
import { unixSeconds } from '../../../shared/clock.ts'
import type { WebhookEndpointStatistics } from '../../../shared/schemas/webhook-endpoint-statistics.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { type HourRow, readBacklog, readHours } from './statistics-store.ts'
import { findEndpoint } from './store.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

export async function readStatistics(
  { sql, principal, now: tenantNow }: Context,
  endpointId: string,
): Promise<WebhookEndpointStatistics> {
  const endpoint = await findEndpoint(sql, principal, endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  const now = tenantNow - principal.clockOffsetMs
  const first = now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS
  const kept = await readHours(sql, { endpointId, first })
  const { waiting, oldestAt, nextAt } = await readBacklog(sql, endpointId)
  const enabled = endpoint.status === 'enabled'
  return {
    object: 'webhook_endpoint_statistics',
    livemode: principal.environment === 'live',
    endpoint_id: endpointId,
    total: sumsOf(kept),
    hours: Array.from({ length: HOURS }, (_, at) => first + at * HOUR_MS).map((hour) => ({
      hour: unixSeconds(hour),
      ...sumsOf(kept.filter((row) => row.hour === hour)),
    })),
    pending: enabled ? waiting : 0,
    held: enabled ? 0 : waiting,
    oldest_age_seconds: oldestAt === null ? null : Math.max(0, unixSeconds(now - oldestAt)),
    next_attempt_at: nextAt === null || !enabled ? null : unixSeconds(nextAt),
  }
}

function sumsOf(hours: readonly HourRow[]): WebhookEndpointStatistics['total'] {
  const sum = (of: (row: HourRow) => number): number => hours.reduce((all, row) => all + of(row), 0)
  const succeeded = sum((row) => row.succeeded)
  const failed = sum((row) => row.failed)
  const buckets = Math.max(0, ...hours.map(({ answered }) => answered.length))
  const answered = Array.from({ length: buckets }, (_, at) => sum((row) => row.answered[at] ?? 0))
  return {
    succeeded,
    failed,
    timed_out: sum((row) => row.timedOut),
    success_share: succeeded + failed === 0 ? null : shareOf(succeeded, succeeded + failed),
    answer_ms: {
      p50: quantile(answered, 0.5),
      p95: quantile(answered, 0.95),
      p99: quantile(answered, 0.99),
    },
  }
}

/** Rounded to four places. */
function shareOf(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 10_000
}

/** Chosen: answers within a bucket, from 2^(n-1) to 2^n milliseconds, count as evenly spread. */
function quantile(answered: readonly number[], share: number): number | null {
  const rank = share * answered.reduce((all, count) => all + count, 0)
  if (rank === 0) return null
  let before = 0
  for (const [n, count] of answered.entries()) {
    if (before + count >= rank) {
      const least = n === 0 ? 0 : 2 ** (n - 1)
      return Math.round(least + (2 ** n - least) * ((rank - before) / count))
    }
    before += count
  }
  return null
}
