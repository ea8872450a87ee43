// Bytes that no network sends: ambiguous HTTP is refused and its connection closed, an endless
// request is closed, and connections are bounded.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { type HttpListener, openHttpListener } from '../../engine/listeners/http.ts'
import { type Cidr, parseCidrs } from '../../shared/address.ts'
import { systemClock } from '../../shared/clock.ts'
import type { SlotLimits } from '../../shared/connection-slots.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import { RSA_CERTIFICATE, RSA_KEY } from '../fakes/network-certificates.ts'
import { pushConfig, startEngine, type TestEngine } from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import {
  answersStill,
  exchange,
  headOf,
  messageText,
  portOf,
  requestOf,
} from '../harness/raw-http.ts'
import { writeTls } from '../harness/tls-files.ts'
import { until } from '../harness/until.ts'

const BODY = '{"id":1}'
const GET = 'GET /health/live HTTP/1.1\r\nHost: engine\r\n\r\n'

async function readyEngine(t: Test): Promise<TestEngine> {
  const engine = await startEngine(t)
  await pushConfig(engine)
  return engine
}

/** The headers of a signed message, these headers, and its body. */
function withHeaders(headers: string, body = BODY): string {
  return headOf(body) + headers + '\r\n' + body
}

function withLine(requestLine: string): string {
  return headOf(BODY, { requestLine }) + 'Content-Length: 8\r\n\r\n' + BODY
}

const LENGTH = 'Content-Length: 8\r\n'
const MANY = Array.from({ length: 120 }, (_, index) => 'X-' + index + ': 1\r\n').join('')
const MALFORMED = /malformed_request/
const VERSION = /http_version_unsupported/
/** Signature, version 2 with PROXY, TCP over IPv4, 12 bytes of addresses and ports. */
const PROXY_V2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000201c0000202138801bb', 'hex')
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

// Name, bytes, status, and expected text of the answer.
const REFUSED: [what: string, bytes: string | Buffer, status: number, says?: RegExp][] = [
  ['two lengths', withHeaders(LENGTH + 'Content-Length: 30\r\n'), 400, /header_duplicated/],
  ['the same length twice', withHeaders(LENGTH + LENGTH), 400, /header_duplicated/],
  ['two hosts', withHeaders('Host: other\r\n' + LENGTH), 400, /header_duplicated/],
  [
    'two signatures',
    withHeaders('Svc-Signature: t=1,v1=aa\r\n' + LENGTH),
    400,
    /header_duplicated/,
  ],
  [
    'two key ids',
    withHeaders('Svc-Key-Id: a\r\nSvc-Key-Id: b\r\n' + LENGTH),
    400,
    /header_duplicated/,
  ],
  ['length and chunks', withHeaders(LENGTH + CHUNKED, '2\r\n{}\r\n0\r\n\r\n'), 400, MALFORMED],
  ['chunks and length', withHeaders(CHUNKED + LENGTH, '2\r\n{}\r\n0\r\n\r\n'), 400, MALFORMED],
  ['chunks', withHeaders(CHUNKED, '2\r\n{}\r\n0\r\n\r\n'), 411, /length_required/],
  ['a chunk without its end', withHeaders(CHUNKED, '2\r\n{}XX0'), 411, /length_required/],
  ['another encoding', withHeaders('Transfer-Encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 411],
  ['no encoding at all', withHeaders('Transfer-Encoding: identity\r\n'), 411, /length_required/],
  ['no length', withHeaders('', ''), 411, /length_required/],
  ['no length but a body', withHeaders(''), 411, /length_required/],
  ['an empty length', withHeaders('Content-Length:\r\n'), 411, /length_required/],
  ['a length with a sign', withHeaders('Content-Length: +8\r\n'), 400, MALFORMED],
  ['a negative length', withHeaders('Content-Length: -1\r\n'), 400],
  ['a hexadecimal length', withHeaders('Content-Length: 0x8\r\n'), 400],
  ['a list of lengths', withHeaders('Content-Length: 8,8\r\n'), 400],
  ['a length as a float', withHeaders('Content-Length: 8e0\r\n'), 400],
  ['a length of 20 digits', withHeaders('Content-Length: 99999999999999999999\r\n'), 400],
  [
    'a length of 15 digits',
    withHeaders('Content-Length: 999999999999999\r\n'),
    413,
    /payload_too_large/,
  ],
  [
    'one byte too many, announced',
    withHeaders('Content-Length: 16385\r\n', ''),
    413,
    /payload_too_large/,
  ],
  ['one byte too many, sent', requestOf('x'.repeat(16_385)), 413, /payload_too_large/],
  ['a hundred kilobytes', requestOf('x'.repeat(100_000)), 413, /payload_too_large/],
  ['120 headers', withHeaders(MANY + LENGTH), 431, /headers_too_large/],
  ['a header of 5 KB', withHeaders('X: ' + 'x'.repeat(5000) + '\r\n' + LENGTH), 431],
  ['no host', 'POST /v1/network/messages HTTP/1.1\r\n' + LENGTH + '\r\n' + BODY, 400],
  ['bare line feeds', withLine('POST /v1/network/messages HTTP/1.1').replaceAll('\r\n', '\n'), 400],
  ['HTTP/1.0', withLine('POST /v1/network/messages HTTP/1.0'), 505, VERSION],
  ['HTTP/1.2', withLine('POST /v1/network/messages HTTP/1.2'), 505],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
  ['a hello of TLS', Buffer.from('16030102000100 01fc0303'.replaceAll(' ', ''), 'hex'), 400],
  ['an absolute target', withLine('POST http://engine/v1/network/messages HTTP/1.1'), 400],
  ['CONNECT', withLine('CONNECT engine:443 HTTP/1.1'), 400],
  ['HTTP/0.9', 'GET /health/live\r\n', 400, MALFORMED],
  ['no version', withLine('POST /v1/network/messages'), 400, MALFORMED],
  ['a space before the colon of a header', withHeaders('Content-Length : 8\r\n'), 400, MALFORMED],
  [
    'a space before the colon of chunks',
    withHeaders('Transfer-Encoding : chunked\r\n'),
    400,
    MALFORMED,
  ],
  ['a folded header', withHeaders('X: a\r\n b\r\n' + LENGTH), 400, MALFORMED],
  ['a header folded with a tab', withHeaders('X: a\r\n\tb\r\n' + LENGTH), 400, MALFORMED],
  ['a NUL in a value', withHeaders('X: a\0b\r\n' + LENGTH), 400, MALFORMED],
  ['a NUL in a name', withHeaders('X\0: a\r\n' + LENGTH), 400, MALFORMED],
  ['a NUL in a target', withLine('POST /v1/network\0/messages HTTP/1.1'), 400, MALFORMED],
  ['a line feed in a value', withHeaders('X: a\nY: b\r\n' + LENGTH), 400, MALFORMED],
  ['a carriage return in a value', withHeaders('X: a\rb\r\n' + LENGTH), 400, MALFORMED],
  ['a header without a name', withHeaders(': a\r\n' + LENGTH), 400, MALFORMED],
  ['a header without a colon', withHeaders('X\r\n' + LENGTH), 400, MALFORMED],
  ['a body nobody announced', withHeaders('X: a\r\n'), 411, /length_required/],
  [
    'a PROXY preamble',
    'PROXY TCP4 192.0.2.1 192.0.2.2 5000 443\r\n' + requestOf(BODY),
    400,
    MALFORMED,
  ],
  [
    'a PROXY preamble in binary',
    Buffer.concat([PROXY_V2, Buffer.from(requestOf(BODY))]),
    400,
    MALFORMED,
  ],
  [
    'TRACE',
    withLine('TRACE /v1/network/messages HTTP/1.1'),
    405,
    /Allow: POST\r\n.*method_not_allowed/s,
  ],
  ['PUT', withLine('PUT /v1/network/messages HTTP/1.1'), 405, /Allow: POST\r\n/],
  ['an unknown method', withLine('FOO /v1/network/messages HTTP/1.1'), 405, /Allow: POST\r\n/],
  [
    'a method in lower case',
    withLine('post /v1/network/messages HTTP/1.1'),
    405,
    /Allow: POST\r\n/,
  ],
  ['POST where one asks', withLine('POST /health/ready HTTP/1.1'), 405, /Allow: GET\r\n/],
  ['an unknown path', withLine('POST /v1/network HTTP/1.1'), 404, /route_not_found/],
  ['an unknown path by TRACE', withLine('TRACE / HTTP/1.1'), 404, /route_not_found/],
  ['a slash more behind', withLine('POST /v1/network/messages/ HTTP/1.1'), 404, /route_not_found/],
  ['a slash more before', withLine('POST //v1/network/messages HTTP/1.1'), 404, /route_not_found/],
  ['a letter as a code', withLine('POST /v1/network/%6dessages HTTP/1.1'), 404, /route_not_found/],
  [
    'an upgrade',
    GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n').replace(
      '/health/live',
      '/v1/network/messages',
    ),
    405,
  ],
]

/** An engine whose port speaks TLS. */
async function securedEngine(t: Test): Promise<TestEngine> {
  const tls = writeTls(t.testdir(), { cert: RSA_CERTIFICATE, key: RSA_KEY })
  const engine = await startEngine(t, { tls, iso: { networkKeyId: 'nk_1', tls } })
  await pushConfig(engine)
  return engine
}

for (const secured of [false, true])
  test(
    'malformed HTTP is refused once, by name, and its connection closed' +
      (secured ? ', over TLS' : ''),
    async (t) => {
      const engine = await (secured ? securedEngine(t) : readyEngine(t))
      const send = (bytes: string | Buffer) => exchange(portOf(engine), bytes, { secured })
      const answers = await Promise.all(REFUSED.map(([, bytes]) => send(bytes)))
      for (const [index, [what, , status, says]] of REFUSED.entries()) {
        const { statuses, text, closed } = answers[index]!
        t.same({ statuses, closed }, { statuses: [status], closed: true }, what)
        if (says !== undefined) t.match(text, says, what)
      }
      t.equal((await engine.entries()).length, 0)
      const message = requestOf(messageText(), 'Connection: close\r\n')
      t.same((await send(message)).statuses, [200])
    },
  )

test('a PROXY preamble before TLS or ISO 8583 ends its connection, and nothing is decided', async (t) => {
  const [plain, secured] = [await readyEngine(t), await securedEngine(t)]
  for (const port of [plain.isoPort, secured.isoPort, portOf(secured)])
    for (const preamble of ['PROXY TCP4 192.0.2.1 192.0.2.2 5000 443\r\n', PROXY_V2]) {
      const bytes = Buffer.concat([Buffer.from(preamble), Buffer.from(requestOf(messageText()))])
      const { statuses, closed } = await exchange(port, bytes)
      t.same({ statuses, closed }, { statuses: [], closed: true })
    }
  for (const engine of [plain, secured]) t.equal((await engine.entries()).length, 0)
})

const ENDLESS: [what: string, bytes: string, drip?: string][] = [
  ['silence', ''],
  ['half a request line', 'POST /v1/netw'],
  ['half a header', headOf(BODY) + 'Content-Le'],
  ['half a body', headOf(BODY) + LENGTH + '\r\n{"id'],
  ['a header in drips', headOf(BODY) + 'X: ', 'x'],
  ['a body in drips', headOf(BODY) + 'Content-Length: 16000\r\n\r\n', ' '],
  ['a body in hundreds', headOf(BODY) + 'Content-Length: 16000\r\n\r\n', ' '.repeat(100)],
]

test('an endless request is closed, however its bytes trickle', async (t) => {
  const engine = await readyEngine(t)
  const answers = await Promise.all(
    ENDLESS.map(([, bytes, drip]) =>
      exchange(portOf(engine), bytes, {
        afterwards(socket) {
          if (drip === undefined) return
          const more = setInterval(() => socket.write(drip), 500)
          socket.on('close', () => clearInterval(more))
        },
      }),
    ),
  )
  for (const [index, [what]] of ENDLESS.entries()) {
    const { statuses, closed } = answers[index]!
    t.same({ statuses, closed }, { statuses: [], closed: true }, what)
  }
  t.equal((await engine.entries()).length, 0)
  t.ok(await answersStill(engine))
})

test('a request at the bounds is answered', async (t) => {
  const engine = await readyEngine(t)
  const close = 'Connection: close\r\n'
  const whole = messageText().padEnd(NETWORK_BODY_BYTES_MAX, ' ')
  const edges: [what: string, bytes: string, statuses: number[]][] = [
    ['a body of 16 KB', requestOf(whole, close), [200]],
    [
      'headers of nearly 4 KB',
      requestOf(messageText(), close + 'X: ' + 'x'.repeat(3500) + '\r\n'),
      [200],
    ],
    [
      'a question mark',
      requestOf(messageText(), close).replace('messages ', 'messages?a=b '),
      [200],
    ],
    [
      'who expects 100 and sends all',
      requestOf(messageText(), close + 'Expect: 100-continue\r\n'),
      [200],
    ],
    [
      'a body nobody asked for',
      GET.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\nabcd'),
      [200],
    ],
  ]
  for (const [what, bytes, statuses] of edges)
    t.match(await exchange(portOf(engine), bytes), { statuses, closed: true }, what)
  const body = messageText()
  const waiting =
    headOf(body) + close + 'Content-Length: ' + body.length + '\r\nExpect: 100-continue\r\n\r\n'
  const waited = await exchange(portOf(engine), waiting, {
    afterwards: (socket) => socket.once('data', () => socket.write(body)),
  })
  t.same(waited.statuses, [100, 200], 'a sender that waits for 100 is told to go on')
  const expecting = headOf('') + 'Content-Length: 16385\r\nExpect: 100-continue\r\n\r\n'
  const refused = await exchange(portOf(engine), expecting)
  t.same(refused.statuses, [413], 'who expects 100 for too much')
  t.equal((await engine.entries()).length, 5)
})

test('no bytes behind a refused request are answered', async (t) => {
  const engine = await readyEngine(t)
  const first = messageText()
  const behind: [what: string, bytes: string][] = [
    ['two messages', requestOf(first) + requestOf(messageText())],
    ['a question behind a message', requestOf(first) + GET],
    ['three questions', GET.repeat(3)],
    ['a message behind a question', GET + requestOf(messageText())],
    ['a question behind a bad signature', requestOf(first).replace('v1=', 'v1=0') + GET],
    ['a question behind an unknown path', withLine('POST /x HTTP/1.1') + GET],
    ['a question behind no JSON', requestOf('{"a":1,"a":2}') + GET],
  ]
  for (const [what, bytes] of behind)
    t.match(await exchange(portOf(engine), bytes), { statuses: [], closed: true }, what)
  t.ok((await engine.purchase(JSON.parse(first))).approved, 'the first message can be repeated')
  t.equal((await engine.entries()).length, 1, 'and nothing else was decided')
})

test('a signed sender keeps its connection, a stranger gets one answer', async (t) => {
  const engine = await readyEngine(t)
  const port = portOf(engine)
  const kept = await exchange(port, requestOf(messageText()), {
    afterwards(socket) {
      let answers = 0
      socket.on('data', () => {
        answers += 1
        if (answers === 1) socket.write(requestOf('{"no":"message"}'))
        if (answers === 2) socket.write(requestOf(messageText(), 'Connection: close\r\n'))
      })
    },
  })
  t.same(kept.statuses, [200, 400, 200])
  t.match(
    kept.text,
    /^HTTP\/1\.1 200 [^{]*\r\nX-Content-Type-Options: nosniff\r\nKeep-Alive: timeout=8\r\n/,
    'and hears how long it may rest',
  )
  const wrong = requestOf(messageText()).replace('v1=', 'v1=0')
  for (const bytes of [
    GET,
    GET.replace('live', 'ready'),
    GET.replace('health/live', 'metrics'),
    wrong,
  ]) {
    const { text, closed, tookMs } = await exchange(port, bytes)
    t.match(text, /^HTTP\/1\.1 (200|401) .*Connection: close\r\n/s)
    t.notMatch(text, /Keep-Alive/i)
    t.ok(closed && tookMs < 5000, 'closed at once')
  }
})

const LIMITS: SlotLimits = { max: 8, strangersMax: 8, addressMax: 4 }

async function smallListener(
  t: Test,
  connections = LIMITS,
  allowed: readonly Cidr[] = [],
): Promise<HttpListener> {
  const listener = await openHttpListener({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    tls: null,
    log: silentLog,
    allowed,
    otherPorts: [],
    connections,
    nowMs: () => systemClock.nowMs(),
    authorize: ({ reply }) => reply.send(200, '{}'),
    authorized: () => undefined,
    failed: (error) => t.fail(String(error)),
    unready: () => null,
    metrics: () => '',
  })
  if (!listener.ok) throw new Error(listener.error)
  t.teardown(() => {
    listener.value.close()
    listener.value.end()
  })
  return listener.value
}

/** A connection kept as long as the server allows. */
function hold(t: Test, port: number, localAddress: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket))
    socket.on('error', () => undefined)
    t.teardown(() => socket.destroy())
  })
}

/** A connection whose peer has signed once, open until the test ends. */
async function holdSigned(t: Test, port: number, localAddress: string): Promise<Socket> {
  const socket = await hold(t, port, localAddress)
  socket.write(requestOf(messageText()))
  await once(socket, 'data')
  return socket
}

test('connections are bounded per address and in all', async (t) => {
  const { port } = await smallListener(t)
  const asks = async (localAddress: string): Promise<number[]> =>
    (await exchange(port, GET, { localAddress })).statuses
  const held: Socket[] = []
  for (let index = 0; index < 4; index++) held.push(await holdSigned(t, port, '127.0.0.1'))
  t.same(await asks('127.0.0.1'), [], 'the fifth of an address is closed without a word')
  t.same(await asks('127.0.0.2'), [200], 'another address is not held up by it')
  for (let index = 0; index < 4; index++) held.push(await holdSigned(t, port, '127.0.0.2'))
  t.same(await asks('127.0.0.3'), [], 'the ninth in all')
  held[0]?.destroy()
  await until(async () => (await asks('127.0.0.1')).length === 1)
  const { text } = await exchange(port, GET.replace('health/live', 'metrics'), {
    localAddress: '127.0.0.5',
  })
  t.match(text, /svc_open_connections\{port="http"\} 8\n/)
  t.match(text, /svc_connections_refused_total\{port="http",reason="address_full"\} [1-9]/)
  t.match(text, /svc_connections_refused_total\{port="http",reason="port_full"\} [1-9]/)
})

test('a peer that reconnects all its connections at once is accepted', async (t) => {
  const { port } = await smallListener(t)
  const metrics = async (): Promise<string> =>
    (await exchange(port, GET.replace('health/live', 'metrics'), { localAddress: '127.0.0.5' }))
      .text
  await hold(t, port, '127.0.0.2')
  for (let round = 0; round < 3; round++) {
    const held: Socket[] = []
    for (let index = 0; index < 4; index++) held.push(await hold(t, port, '127.0.0.1'))
    await until(async () => /svc_open_connections\{port="http"\} 6\n/.test(await metrics()))
    for (const socket of held) socket.destroy()
    await until(async () => /svc_open_connections\{port="http"\} 2\n/.test(await metrics()))
  }
  t.notMatch(await metrics(), /svc_connections_refused_total\{[^}]*\} [1-9]/)
})

test('strangers fill their own slots: a signed message and a probe are answered meanwhile', async (t) => {
  const { port } = await smallListener(t, { max: 12, strangersMax: 8, addressMax: 6 })
  const half = 'POST /v1/network/messages HTTP/1.1\r\nHost: engine\r\n'
  const addresses = [1, 2, 3, 4, 5].map((last) => '127.0.0.' + last)
  const held: Socket[] = []
  for (let round = 0; round < 6; round++)
    for (const address of addresses) {
      const socket = await hold(t, port, address)
      socket.write(half)
      held.push(socket)
    }
  const message = { localAddress: '127.0.0.6', waitMsMax: 5000 }
  const kept = await exchange(port, requestOf(messageText()), message)
  t.same(kept.statuses, [200], 'a network from an address nobody has signed from')
  t.same((await exchange(port, GET, { localAddress: '127.0.0.7' })).statuses, [200], 'a probe')
  const metrics = GET.replace('health/live', 'metrics')
  const { text } = await exchange(port, metrics, { localAddress: '127.0.0.7' })
  t.match(text, /svc_connections_refused_total\{port="http",reason="evicted"\} 2[0-9]\n/)
  const open = Number(/svc_open_connections\{port="http"\} (\d+)/.exec(text)?.[1])
  t.ok(open <= 8, 'no more than strangers may have')
  await until(() => held.every(({ closed }) => closed))
  t.ok(
    held.every(({ closed }) => closed),
    'each half request is closed',
  )
})

test('only configured addresses reach the port', async (t) => {
  const allowed = parseCidrs('127.0.0.8/29')
  const { port } = await smallListener(t, LIMITS, allowed.ok ? allowed.value : [])
  t.same((await exchange(port, GET, { localAddress: '127.0.0.9' })).statuses, [200])
  t.same((await exchange(port, GET, { localAddress: '127.0.0.1' })).statuses, [])
  const metrics = GET.replace('health/live', 'metrics')
  const { text } = await exchange(port, metrics, { localAddress: '127.0.0.10' })
  t.match(text, /svc_connections_refused_total\{port="http",reason="not_allowed"\} 1\n/)
})
