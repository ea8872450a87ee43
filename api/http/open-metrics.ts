// The API's metrics on a port of their own.
import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import { connectionMetrics } from '../../shared/connection-slots.ts'
import {
  familyLines,
  METRICS_TYPE,
  type MetricFamily,
  valueLines,
} from '../../shared/metric-text.ts'
import { observeProcess } from '../../shared/process-metrics.ts'
import type { Result } from '../../shared/result.ts'
import type { ClockWatch } from '../database/clock-watch.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import { replicationLines } from '../database/replication.ts'
import { type MetricsAddress, openMetricsPort } from './metrics-port.ts'
import { RequestMetrics } from './request-metrics.ts'

/**
 * PostgreSQL has to answer within this time, else the page shows the numbers of this process only.
 */
const DATABASE_MS_MAX = 1000

const DRAIN_LAG: MetricFamily = {
  name: 'svc_drain_lag_seconds',
  type: 'gauge',
  help: 'Time since PostgreSQL was known to have every entry of a shard’s journal.',
}

const QUARANTINED: MetricFamily = {
  name: 'svc_drain_quarantined_entries',
  type: 'gauge',
  help: 'Journal entries that PostgreSQL refused: they stand in drain_quarantine.',
}

const FX_AGE: MetricFamily = {
  name: 'svc_fx_rates_age_seconds',
  type: 'gauge',
  help: 'Time since the moment of the oldest exchange rate in force.',
}

export interface MetricsParts {
  server: FastifyInstance
  sql: Sql
  clock: Pick<Clock, 'nowMs'>
  watch: ClockWatch
  /** Metrics of the jobs of this process. */
  jobLines(): string[]
}

/**
 * Counts the answers of `server` from now on, and listens; or says in one sentence why the port
 * cannot be opened.
 */
export function openApiMetrics(
  at: MetricsAddress,
  { server, sql, clock, watch, jobLines }: MetricsParts,
): Promise<Result<Server, string>> {
  const requests = new RequestMetrics()
  const processLines = observeProcess()
  server.addHook('onResponse', (request, reply, done) => {
    requests.observe(request, reply)
    done()
  })
  const page = async (): Promise<string[]> => {
    const asked = Promise.all([
      databaseConnections(sql),
      drainLags(sql, clock.nowMs()),
      quarantined(sql),
      fxAge(sql, clock.nowMs()),
      replicationLines(sql),
    ])
    const answered = await withDeadline(asked, DATABASE_MS_MAX).catch(() => null)
    const [database, lags, refused, age, replication] = answered ?? [null, [], null, null, []]
    const gauge = (name: string, help: string, value: number): string[] =>
      valueLines({ name, type: 'gauge', help }, value)
    return [
      ...requests.lines(),
      connectionMetrics([server.connectionSlots]).trimEnd(),
      ...gauge(
        'svc_clock_offset_seconds',
        'How far the clock is ahead of the database’s.',
        watch.aheadMs / 1000,
      ),
      ...(database === null
        ? []
        : [
            ...gauge(
              'svc_database_connections',
              'Connections of all API processes to PostgreSQL.',
              database.all,
            ),
            ...gauge(
              'svc_database_connections_busy',
              'Those that run a statement or a transaction.',
              database.busy,
            ),
          ]),
      ...(lags.length === 0 ? [] : familyLines(DRAIN_LAG, lags)),
      ...(refused === null ? [] : valueLines(QUARANTINED, refused)),
      ...(age === null ? [] : valueLines(FX_AGE, age)),
      ...replication,
      ...jobLines(),
      ...processLines(),
    ]
  }
  return openMetricsPort({
    process: 'the API',
    at,
    pages: {
      '/metrics': async () => ({
        status: 200,
        body: (await page()).join('\n') + '\n',
        type: METRICS_TYPE,
      }),
    },
  })
}

/** This question itself is not counted. */
async function databaseConnections(sql: Sql): Promise<{ all: number; busy: number }> {
  const [row] = await sql<[{ all: number; busy: number }]>`
    select count(*)::integer as all, (count(*) filter (where state <> 'idle' and pid <> pg_backend_pid()))::integer as busy
    from pg_stat_activity where application_name = 'svc-api' and datname = current_database()`
  return row
}

/**
 * The samples of every shard whose drain has caught up once. Every api shows the same: the lag goes
 * on growing while no process drains.
 */
async function drainLags(sql: Sql, now: EpochMs): Promise<string[]> {
  const rows = await sql<{ shard: string; at: EpochMs }[]>`
    select shard, caught_up_at as at from journal_cursor where caught_up_at is not null order by shard`
  return rows.map(
    ({ shard, at }) => DRAIN_LAG.name + '{shard="' + shard + '"} ' + Math.max(0, now - at) / 1000,
  )
}

/** Entries of all journals; an operator looks at each and removes its row. */
async function quarantined(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from drain_quarantine`
  return row?.count ?? 0
}

/** Seconds; null in an installation without rates. */
async function fxAge(sql: Sql, now: EpochMs): Promise<number | null> {
  const [row] = await sql<{ at: EpochMs | null }[]>`select min(rate_at) as at from fx_rates`
  const at = row?.at ?? null
  return at === null ? null : Math.max(0, now - at) / 1000
}
