// A process's own port for health and metrics. On loopback unless SVC_METRICS_HOST opens it to a
// monitoring network, and without a credential: its pages say how much and how long, never of whom.
import { createServer, type Server, type ServerResponse } from 'node:http'
import { ERRORS, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import type { Result } from '../../shared/result.ts'

export interface MetricsAddress {
  host: string
  port: number
}

/** Null without a port: then no page is served. */
export function metricsAddress(host: string, port: number | null): MetricsAddress | null {
  return port === null ? null : { host, port }
}

export interface MetricsPage {
  status: number
  body: string
  type: string
}

export const JSON_TYPE = 'application/json'

export interface MetricsPortOptions {
  /** Named in the sentence that says why the port cannot be opened. */
  process: string
  at: MetricsAddress
  /** Answers to GET, by path. */
  pages: { readonly [path: string]: () => Promise<MetricsPage> }
}

/** Listens, or says in one sentence why the port cannot be had. */
export function openMetricsPort(options: MetricsPortOptions): Promise<Result<Server, string>> {
  const {
    at: { host, port },
    pages,
    process,
  } = options
  const server = createServer((request, response) => {
    request.resume()
    const [path = ''] = (request.url ?? '').split('?')
    void answer(Object.hasOwn(pages, path) ? pages[path] : undefined, request.method, response)
  })
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = host + ':' + port
      const why = error.code ?? error.message
      resolve({ ok: false, error: process + '’s port ' + where + ' cannot be opened: ' + why })
    })
    server.listen({ host, port, exclusive: true }, () => resolve({ ok: true, value: server }))
  })
}

async function answer(
  page: (() => Promise<MetricsPage>) | undefined,
  method: string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (page === undefined) return refuse(response, 'route_not_found')
  if (method !== 'GET') return refuse(response, 'method_not_allowed')
  const { status, body, type } = await page()
  send(response, status, body, type)
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
