// The network port under overload, or with a peer that does not read: quick refusals, nothing piles
// up.
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Test, test } from 'tap'
import { openAuthorizationLine } from '../../engine/authorize.ts'
import type { Line } from '../../engine/line/line.ts'
import type { RawMessage } from '../../engine/line/receive.ts'
import { openHttpListener } from '../../engine/listeners/http.ts'
import type { Tls } from '../../engine/listeners/tls.ts'
import { Metrics } from '../../engine/metrics.ts'
import { systemClock } from '../../shared/clock.ts'
import { JOURNAL_AGE_MS_MAX, JOURNAL_QUEUE_MAX } from '../../shared/limits.ts'
import { createLog } from '../../shared/log.ts'
import { RSA_CERTIFICATE, RSA_KEY } from '../fakes/network-certificates.ts'
import { idleGauges } from '../harness/engine-gauges.ts'
import { exchange, messageText, requestOf } from '../harness/raw-http.ts'
import { writeTls } from '../harness/tls-files.ts'
import { happens } from '../harness/until.ts'

async function openListener(
  t: Test,
  authorize: (raw: RawMessage) => void,
  tls: Tls | null = null,
): Promise<number> {
  const listener = await openHttpListener({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: createLog({ name: 'test', level: 'silent' }),
    tls,
    allowed: [],
    otherPorts: [],
    nowMs: () => systemClock.nowMs(),
    authorize,
    authorized: () => undefined,
    failed: (error) => t.fail(String(error)),
    unready: () => null,
    metrics: () => 'x'.repeat(8000),
  })
  if (!listener.ok) throw new Error(listener.error)
  t.teardown(() => {
    listener.value.close()
    listener.value.end()
  })
  return listener.value.port
}

test('a full queue refuses every message at once, with a time to retry', async (t) => {
  const journal = { writable: true, waiting: 0, waitingMs: 0 }
  const metrics = new Metrics()
  const line = { unready: () => null, state: { latestMs: 0 }, journal, metrics } as unknown as Line
  const authorization = openAuthorizationLine(line)
  const port = await openListener(t, (raw) => authorization.authorize(raw))
  const full: [what: string, change: Partial<typeof journal>][] = [
    ['the journal’s queue is full', { waiting: JOURNAL_QUEUE_MAX }],
    ['its oldest entry is old', { waitingMs: JOURNAL_AGE_MS_MAX + 1 }],
    ['it cannot be written', { writable: false }],
  ]
  for (const [what, change] of full) {
    Object.assign(journal, { writable: true, waiting: 0, waitingMs: 0 }, change)
    const bytes = requestOf(messageText(), 'Connection: close\r\n')
    const { text } = await exchange(port, bytes, { overloadIsAnswer: true })
    t.match(text, /^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*"code":"overloaded"/s, what)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  t.teardown(() => agent.destroy())
  const statuses = await Promise.all(
    Array.from({ length: 2000 }, () => post(agent, port, messageText())),
  )
  t.same([...new Set(statuses)], [503])
  const opened = Object.values(agent.freeSockets).flat().length
  t.equal(opened, 50, 'and nobody loses its connection by it')
  t.equal(authorization.open, 0, 'nothing is kept of what was refused')
  t.match(metrics.text(idleGauges()), /refusals_total\{code="overloaded"\} 2003\n/)
})

function post(agent: Agent, port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) }
    const path = '/v1/network/messages'
    const sent = request(
      { agent, port, path, method: 'POST', headers },
      (response: IncomingMessage) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The kernel keeps some megabytes for a connection; the engine may keep nothing beyond them. */
const UNREAD_BYTES_MAX = 64e6
const METRICS = 'GET /metrics HTTP/1.1\r\nHost: engine\r\n\r\n'
const ANSWER = '{"x":"' + 'x'.repeat(8000) + '"}'

for (const kind of ['plain', 'TLS'] as const) {
  test('a sender that reads no answers is closed before they pile up, ' + kind, async (t) => {
    let answered = 0
    const tls =
      kind === 'TLS' ? writeTls(t.testdir(), { cert: RSA_CERTIFICATE, key: RSA_KEY }) : null
    const port = await openListener(
      t,
      ({ reply }) => {
        answered += 1
        setImmediate(() => reply.send(200, ANSWER))
      },
      tls,
    )
    const dial = (): Socket =>
      tls === null
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const deaf = dial()
    deaf.on('error', () => undefined)
    deaf.pause()
    t.teardown(() => deaf.destroy())
    await new Promise<void>((resolve) =>
      deaf.once(tls === null ? 'connect' : 'secureConnect', () => resolve()),
    )
    const bytes = requestOf(messageText())
    for (let before = -1; before < answered && answered * ANSWER.length < UNREAD_BYTES_MAX; ) {
      before = answered
      deaf.write(bytes)
      await happens(() => answered > before, 4000)
      // The answer leaves one turn later.
      await turn()
      await turn()
    }
    // A socket that reads nothing does not notice its end; the server knows.
    const closed = async (): Promise<boolean> => {
      const page = await hear(dial(), METRICS)
      return page.includes('svc_open_connections{port="http"} 1\n')
    }
    t.ok(await happens(closed), 'closed after ' + answered + ' answers nobody read')
    t.comment(answered + ' answers, ' + Math.round((answered * ANSWER.length) / 1e5) / 10 + ' MB')
    const heard = await hear(dial(), requestOf(messageText(), 'Connection: close\r\n'))
    t.ok(heard.includes(ANSWER), 'who reads is answered')
  })
}

/** The response until the server closes. */
function hear(socket: Socket, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.write(bytes)
  })
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

test('a stranger cannot request page after page without reading', async (t) => {
  const port = await openListener(t, () => undefined)
  const { text, closed } = await exchange(port, METRICS.repeat(500))
  t.ok(closed)
  t.equal(text, '', 'of five hundred at once not one is answered')
  const one = await exchange(port, METRICS, {
    afterwards: (socket) => socket.once('data', () => socket.write(METRICS)),
  })
  t.same(one.statuses, [200], 'and a connection has one')
})
