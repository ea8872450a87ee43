// A dispatcher's own metrics: `/metrics` for Prometheus, `/health/live` and `/health/ready`. On
// loopback only, and without a credential: the pages give counts and durations, never names.
import type { Server } from 'node:http'
import type { Clock } from '../../../shared/clock.ts'
import { METRICS_TYPE, valueLines } from '../../../shared/metric-text.ts'
import { observeProcess } from '../../../shared/process-metrics.ts'
import type { Result } from '../../../shared/result.ts'
import { withDeadline } from '../../database/deadline.ts'
import type { Sql } from '../../database/pool.ts'
import { JSON_TYPE, type MetricsAddress, openMetricsPort } from '../../http/metrics-port.ts'
import type { Dispatch } from './dispatch.ts'
import { recordedAt } from './stages.ts'

/** Most rows counted: a request costs the same whatever the backlog. */
const COUNTED_MAX = 100_000
/**
 * Milliseconds PostgreSQL has to answer; after that the page shows only this process's own values.
 */
const DEPTHS_MS_MAX = 1000

export interface MetricsListenerOptions {
  at: MetricsAddress
  sql: Sql
  clock: Clock
  dispatch: Dispatch
  jobs: { lines(): string[] }
}

/** Backlog in the database, for all dispatchers together. */
interface Depths {
  events: number
  deliveries: number
  /** The event that has waited longest for its fan-out. */
  oldestEvent: string | null
}

/** Listens, or returns one sentence why the port is unavailable. */
export function openMetricsListener(
  options: MetricsListenerOptions,
): Promise<Result<Server, string>> {
  const { at, dispatch } = options
  const processLines = observeProcess()
  return openMetricsPort({
    process: 'the dispatcher',
    at,
    pages: {
      '/health/live': async () => ({ status: 200, body: '{"live":true}', type: JSON_TYPE }),
      '/health/ready': async () => {
        const reason = dispatch.unready()
        const body = reason === null ? { ready: true } : { ready: false, reason }
        return { status: reason === null ? 200 : 503, body: JSON.stringify(body), type: JSON_TYPE }
      },
      '/metrics': async () => {
        const lines = [...(await metricsLines(options)), ...processLines()]
        return { status: 200, body: lines.join('\n') + '\n', type: METRICS_TYPE }
      },
    },
  })
}

async function metricsLines({
  sql,
  clock,
  dispatch,
  jobs,
}: MetricsListenerOptions): Promise<string[]> {
  const depths = await withDeadline(readDepths(sql), DEPTHS_MS_MAX).catch(() => null)
  const now = clock.nowMs()
  const gauge = (name: string, help: string, value: number): string[] =>
    valueLines({ name, type: 'gauge', help }, value)
  const age = (since: number | null): number =>
    since === null ? 0 : Math.max(0, now - since) / 1000
  const oldest = depths?.oldestEvent ?? null
  return [
    ...gauge('svc_ready', '1 while deliveries are made.', dispatch.unready() === null ? 1 : 0),
    ...gauge(
      'svc_clock_offset_seconds',
      'How far the clock is ahead of the database’s.',
      dispatch.watch.aheadMs / 1000,
    ),
    ...gauge('svc_deliveries_in_flight', 'Deliveries under way.', dispatch.inFlight),
    ...gauge(
      'svc_oldest_due_seconds',
      'Age of the oldest delivery that is due and waits.',
      age(dispatch.oldestDueAt),
    ),
    ...(depths === null
      ? []
      : [
          ...gauge('svc_waiting_events', 'Events that wait for their fan-out.', depths.events),
          ...gauge('svc_open_deliveries', 'Deliveries that have not ended.', depths.deliveries),
          ...gauge(
            'svc_fan_out_lag_seconds',
            'Age of the oldest event that waits for its fan-out.',
            age(oldest === null ? null : recordedAt(oldest)),
          ),
        ]),
    ...gauge(
      'svc_permit_allowance_seconds',
      'Time in which a delivery may leave after its permit was granted; grows with the lag of this process.',
      dispatch.allowanceMs / 1000,
    ),
    ...dispatch.stages.lines(),
    ...jobs.lines(),
  ]
}

async function readDepths(sql: Sql): Promise<Depths> {
  const [row] = await sql<[Depths]>`
    select
      (select count(*) from (select from event_outbox limit ${COUNTED_MAX}) counted) as events,
      (select count(*) from (select from open_deliveries limit ${COUNTED_MAX}) counted) as deliveries,
      (select event_id from event_outbox order by entry limit 1) as "oldestEvent"`
  return row
}
