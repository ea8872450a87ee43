// What a dispatcher tells of itself: `/metrics` for Prometheus, `/health/live` and `/health/ready`. On loopback only, and without
// a credential: it says how much and how long, never of whom.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../shared/clock.ts'
import { ERRORS, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import { logMetricLines } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import type { Dispatch } from './dispatch.ts'
import { recordedAt } from './stages.ts'

const HOST = '127.0.0.1'
/** Rows are counted so far: whoever asks costs the same whatever waits. */
const COUNTED_MAX = 100_000
/** PostgreSQL has to answer within this, else the page says what this process knows. */
const DEPTHS_MS_MAX = 1000

export interface MetricsDoorOptions {
  port: number
  sql: Sql
  clock: Clock
  dispatch: Dispatch
}

/** What waits in the database, for all dispatchers together. */
interface Depths {
  events: number
  deliveries: number
  /** The event that has waited longest for its fan-out. */
  oldestEvent: string | null
}

/** Listens, or says in one sentence why the port cannot be had. */
export function openMetricsDoor(options: MetricsDoorOptions): Promise<Result<Server, string>> {
  const server = createServer((request, response) => {
    request.resume()
    const [path = ''] = (request.url ?? '').split('?')
    void answer(options, request.method ?? '', path, response)
  })
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = HOST + ':' + options.port
      const why = error.code ?? error.message
      const sentence = 'the dispatcher’s port ' + where + ' cannot be opened: ' + why
      resolve({ ok: false, error: sentence })
    })
    server.listen({ host: HOST, port: options.port, exclusive: true }, () =>
      resolve({ ok: true, value: server }),
    )
  })
}

async function answer(
  options: MetricsDoorOptions,
  method: string,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const page = PAGES[path]
  if (page === undefined) return refuse(response, 'route_not_found')
  if (method !== 'GET') return refuse(response, 'method_not_allowed')
  const { status, body, type } = await page(options)
  send(response, status, body, type)
}

interface Page {
  status: number
  body: string
  type: string
}

const JSON_TYPE = 'application/json'

const PAGES: { readonly [path: string]: (options: MetricsDoorOptions) => Promise<Page> } = {
  '/health/live': async () => ({ status: 200, body: '{"live":true}', type: JSON_TYPE }),
  '/health/ready': async ({ dispatch }) => {
    const reason = dispatch.unready()
    const body = reason === null ? { ready: true } : { ready: false, reason }
    return { status: reason === null ? 200 : 503, body: JSON.stringify(body), type: JSON_TYPE }
  },
  '/metrics': async (options) => ({
    status: 200,
    body: await metricsText(options),
    type: 'text/plain; version=0.0.4',
  }),
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  if (code === 'method_not_allowed') response.setHeader('allow', 'GET')
  send(response, ERRORS[code].status, JSON.stringify(errorBody(code)), JSON_TYPE)
}

function send(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

async function metricsText({ sql, clock, dispatch }: MetricsDoorOptions): Promise<string> {
  const depths = await withDeadline(readDepths(sql), DEPTHS_MS_MAX).catch(() => null)
  const now = clock.nowMs()
  const gauge = (name: string, value: number): string[] => [
    '# TYPE ' + name + ' gauge',
    name + ' ' + value,
  ]
  const age = (since: number | null): number =>
    since === null ? 0 : Math.max(0, now - since) / 1000
  const lines = [
    ...gauge('svc_ready', dispatch.unready() === null ? 1 : 0),
    ...gauge('svc_clock_offset_seconds', dispatch.watch.aheadMs / 1000),
    ...gauge('svc_deliveries_in_flight', dispatch.inFlight),
    ...gauge('svc_oldest_due_seconds', age(dispatch.oldestDueAt)),
    ...(depths === null ? [] : gauge('svc_waiting_events', depths.events)),
    ...(depths === null ? [] : gauge('svc_open_deliveries', depths.deliveries)),
    ...(depths === null
      ? []
      : gauge(
          'svc_fan_out_lag_seconds',
          age(depths.oldestEvent === null ? null : recordedAt(depths.oldestEvent)),
        )),
    ...dispatch.stages.lines(),
    ...logMetricLines(),
  ]
  return lines.join('\n') + '\n'
}

async function readDepths(sql: Sql): Promise<Depths> {
  const [row] = await sql<[Depths]>`
    select
      (select count(*) from (select from event_outbox limit ${COUNTED_MAX}) counted) as events,
      (select count(*) from (select from open_deliveries limit ${COUNTED_MAX}) counted) as deliveries,
      (select event_id from event_outbox order by entry limit 1) as "oldestEvent"`
  return row
}
