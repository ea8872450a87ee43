// Statistics of endpoints of the last day, from counters written with their attempts, and their
// waiting deliveries.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type {
  WebhookEndpointHealth,
  WebhookEndpointStatistics,
} from '../../../shared/schemas/webhook-endpoint-statistics.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  type Backlog,
  COUNTED_MAX,
  type HourRow,
  LISTED_MAX,
  readBacklogs,
  readHours,
} from './statistics-store.ts'
import { findEndpoint, listEndpoints } from './store.ts'
import type { EndpointStatus } from './view.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

export async function readStatistics(
  context: Context,
  endpointId: string,
): Promise<WebhookEndpointStatistics> {
  const { sql, principal } = context
  const endpoint = await findEndpoint(sql, principal, endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  const { now, first } = dayOf(context)
  const kept = await readHours(sql, { endpointIds: [endpointId], first })
  const [backlog] = await readBacklogs(sql, [endpointId], COUNTED_MAX)
  return {
    object: 'webhook_endpoint_statistics',
    livemode: principal.environment === 'live',
    endpoint_id: endpointId,
    total: sumsOf(kept),
    hours: Array.from({ length: HOURS }, (_, at) => first + at * HOUR_MS).map((hour) => ({
      hour: unixSeconds(hour),
      ...sumsOf(kept.filter((row) => row.hour === hour)),
    })),
    ...waitingOf(backlog, endpoint.status, now),
  }
}

/** A page of endpoints, newest first, each with its sums of the last day and its backlog. */
export async function readHealth(
  context: Context,
  query: PageQuery,
): Promise<Page<WebhookEndpointHealth>> {
  const { sql, principal } = context
  const page = await listEndpoints(sql, principal, query)
  const { now, first } = dayOf(context)
  const endpointIds = page.rows.map(({ id }) => id)
  const [kept, backlogs] = await Promise.all([
    readHours(sql, { endpointIds, first }),
    readBacklogs(sql, endpointIds, LISTED_MAX),
  ])
  return mapPage(page, ({ id, url, status }) => ({
    id,
    object: 'webhook_endpoint_health',
    livemode: principal.environment === 'live',
    ...{ url, status },
    total: sumsOf(kept.filter(({ endpointId }) => endpointId === id)),
    ...waitingOf(
      backlogs.find(({ endpointId }) => endpointId === id),
      status,
      now,
    ),
  }))
}

/** Now and the first of the shown hours, by real time. */
function dayOf({ principal, now: tenantNow }: Context): { now: EpochMs; first: EpochMs } {
  const now = tenantNow - principal.clockOffsetMs
  return { now, first: now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS }
}

function waitingOf(backlog: Backlog | undefined, status: EndpointStatus, now: EpochMs) {
  const { waiting, oldestAt, nextAt } = backlog ?? { waiting: 0, oldestAt: null, nextAt: null }
  const enabled = status === 'enabled'
  return {
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
  const firstTries = sum((row) => row.firstTries)
  const buckets = Math.max(0, ...hours.map(({ answered }) => answered.length))
  const answered = Array.from({ length: buckets }, (_, at) => sum((row) => row.answered[at] ?? 0))
  return {
    succeeded,
    failed,
    timed_out: sum((row) => row.timedOut),
    success_share: succeeded + failed === 0 ? null : shareOf(succeeded, succeeded + failed),
    first_tries: firstTries,
    first_try_share:
      firstTries === 0
        ? null
        : shareOf(
            sum((row) => row.firstSucceeded),
            firstTries,
          ),
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
