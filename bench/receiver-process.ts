// The receiver of the dispatcher's deliveries: a process of its own that costs little beside the
// measured one. The path selects the row of the report and the answer: `/calm/ok/7` at once,
// `/stuck/hang/7` never.
import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { type Latency, openLatency } from '../scripts/simulate/latency.ts'
import { decodeId } from '../shared/id.ts'
import type { Report, RequestBatch } from './receiver.ts'

const lines = new Map<string, { latency: Latency; deliveries: Set<string>; twice: number }>()

/** An event's id begins with the millisecond in which it was recorded. */
function recordedAtMs(eventId: string): number {
  return decodeId(eventId.slice(eventId.indexOf('_') + 1))?.readUIntBE(0, 6) ?? 0
}

function arrived(name: string, eventId: string, deliveryId: string): void {
  const line = lines.get(name) ?? { latency: openLatency(), deliveries: new Set(), twice: 0 }
  lines.set(name, line)
  if (line.deliveries.has(deliveryId)) {
    line.twice += 1
    return
  }
  line.deliveries.add(deliveryId)
  line.latency.record((Date.now() - recordedAtMs(eventId)) * 1000)
}

function report(): Report {
  const of = ([name, line]: [string, { latency: Latency; twice: number }]): [
    string,
    RequestBatch,
  ] => [name, { ...line.latency.percentiles(), twice: line.twice }]
  return Object.fromEntries([...lines].map(of))
}

/** The whole body is read before it is answered, as receivers do. */
function answerWhole(res: HttpResponse): void {
  let gone = false
  res.onAborted(() => {
    gone = true
  })
  res.onData((_chunk, last) => {
    if (last && !gone) res.cork(() => res.end('ok'))
  })
}

/** Those that are never answered, until the bench releases them. */
const stuck = new Set<HttpResponse>()

function hold(res: HttpResponse): void {
  stuck.add(res)
  res.onAborted(() => void stuck.delete(res))
}

const app = App({}).post('/*', (res, req) => {
  const [, name = '', answer = ''] = req.getUrl().split('/')
  arrived(name, req.getHeader('svc-event-id'), req.getHeader('svc-delivery-id'))
  if (answer === 'ok') answerWhole(res)
  else hold(res)
})
const ports: number[] = []
for (let port = 0; port < Number(process.argv[2]); port++)
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) ports.push(us_socket_local_port(socket))
  })
process.send?.(ports)

process.on('message', (order) => {
  process.send?.(report())
  if (order === 'forget') lines.clear()
  if (order === 'release stuck') for (const res of stuck) res.close()
})
process.on('disconnect', () => process.exit(0))
