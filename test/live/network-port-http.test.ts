// Bytes that no network sends: what two readers of HTTP could read two ways is refused and its connection closed, what never
// comes to an end is closed, and how many connections there are is bounded.
import { connect, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { type HttpDoor, openHttpDoor } from '../../engine/doors/http.ts'
import { systemClock } from '../../shared/clock.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import { pushFacts, startEngine, type TestEngine } from '../harness/engine.ts'
import {
  answersStill,
  exchange,
  headOf,
  messageText,
  portOf,
  requestOf,
} from '../harness/raw-http.ts'
import { until } from '../harness/until.ts'

const BODY = '{"id":1}'
const GET = 'GET /health/live HTTP/1.1\r\nHost: engine\r\n\r\n'

async function readyEngine(t: Test): Promise<TestEngine> {
  const engine = await startEngine(t)
  await pushFacts(engine)
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
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

// What it is, the bytes, the status and what the answer says. Without a code the library has answered, not we.
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
  ['length and chunks', withHeaders(LENGTH + CHUNKED, '2\r\n{}\r\n0\r\n\r\n'), 400],
  ['chunks and length', withHeaders(CHUNKED + LENGTH, '2\r\n{}\r\n0\r\n\r\n'), 400],
  ['chunks', withHeaders(CHUNKED, '2\r\n{}\r\n0\r\n\r\n'), 411, /length_required/],
  ['a chunk without its end', withHeaders(CHUNKED, '2\r\n{}XX0'), 411, /length_required/],
  ['another encoding', withHeaders('Transfer-Encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 411],
  ['no encoding at all', withHeaders('Transfer-Encoding: identity\r\n'), 400],
  ['no length', withHeaders('', ''), 411, /length_required/],
  ['no length but a body', withHeaders(''), 411, /length_required/],
  ['an empty length', withHeaders('Content-Length:\r\n'), 411, /length_required/],
  ['a length with a sign', withHeaders('Content-Length: +8\r\n'), 400],
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
  ['120 headers', withHeaders(MANY + LENGTH), 431],
  ['a header of 5 KB', withHeaders('X: ' + 'x'.repeat(5000) + '\r\n' + LENGTH), 431],
  ['no host', 'POST /v1/network/messages HTTP/1.1\r\n' + LENGTH + '\r\n' + BODY, 400],
  ['bare line feeds', withLine('POST /v1/network/messages HTTP/1.1').replaceAll('\r\n', '\n'), 505],
  ['HTTP/1.0', withLine('POST /v1/network/messages HTTP/1.0'), 505],
  ['HTTP/1.2', withLine('POST /v1/network/messages HTTP/1.2'), 505],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
  ['a hello of TLS', Buffer.from('16030102000100 01fc0303'.replaceAll(' ', ''), 'hex'), 505],
  ['an absolute target', withLine('POST http://engine/v1/network/messages HTTP/1.1'), 505],
  ['CONNECT', withLine('CONNECT engine:443 HTTP/1.1'), 505],
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

test('what is no plain HTTP is refused once, by name, and its connection closed', async (t) => {
  const engine = await readyEngine(t)
  const answers = await Promise.all(REFUSED.map(([, bytes]) => exchange(portOf(engine), bytes)))
  for (const [index, [what, , status, says]] of REFUSED.entries()) {
    const { statuses, text, closed } = answers[index]!
    t.same({ statuses, closed }, { statuses: [status], closed: true }, what)
    if (says !== undefined) t.match(text, says, what)
  }
  t.equal((await engine.entries()).length, 0)
  t.ok(await answersStill(engine))
})

// The library takes them for the beginning of something, and closes when it was idle for ten seconds.
const ENDLESS: [what: string, bytes: string, drip?: string][] = [
  ['a space before the colon', withHeaders('Content-Length : 8\r\n')],
  ['a folded header', withHeaders('X: a\r\n b\r\n' + LENGTH)],
  ['a NUL in a value', withHeaders('X: a\0b\r\n' + LENGTH)],
  ['a NUL in a name', withHeaders('X\0: a\r\n' + LENGTH)],
  ['a line feed in a value', withHeaders('X: a\nY: b\r\n' + LENGTH)],
  ['a carriage return in a value', withHeaders('X: a\rb\r\n' + LENGTH)],
  ['silence', ''],
  ['half a request line', 'POST /v1/netw'],
  ['half a header', headOf(BODY) + 'Content-Le'],
  ['half a body', headOf(BODY) + LENGTH + '\r\n{"id'],
  ['a header in drips', headOf(BODY) + 'X: ', 'x'],
  ['a body in drips', headOf(BODY) + 'Content-Length: 16000\r\n\r\n', ' '],
  ['a body in hundreds', headOf(BODY) + 'Content-Length: 16000\r\n\r\n', ' '.repeat(100)],
]

test('who does not come to an end is closed, however the bytes trickle', async (t) => {
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

test('what is allowed at the edge is answered', async (t) => {
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
    ['who expects 100', requestOf(messageText(), close + 'Expect: 100-continue\r\n'), [100, 200]],
    [
      'a body nobody asked for',
      GET.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\nabcd'),
      [200],
    ],
  ]
  for (const [what, bytes, statuses] of edges)
    t.match(await exchange(portOf(engine), bytes), { statuses, closed: true }, what)
  const expecting = headOf('') + 'Content-Length: 16385\r\nExpect: 100-continue\r\n\r\n'
  const refused = await exchange(portOf(engine), expecting)
  t.equal(refused.statuses.at(-1), 413, 'who expects 100 for too much')
  t.equal((await engine.entries()).length, 4)
})

test('a request that comes in two pieces is answered or refused, never read as another', async (t) => {
  const engine = await readyEngine(t)
  const sent = requestOf(messageText(), 'Connection: close\r\n')
  const lineEnd = sent.indexOf('\r\n') + 1
  const bodyAt = sent.indexOf('\r\n\r\n') + 4
  const cuts = Array.from({ length: sent.length - 1 }, (_, index) => index + 1)
  const answers = await Promise.all(
    cuts.map((cut) =>
      exchange(portOf(engine), sent.slice(0, cut), {
        afterwards: (socket) => systemClock.after(100, () => socket.write(sent.slice(cut))),
      }),
    ),
  )
  for (const [index, { statuses }] of answers.entries()) {
    const cut = index + 1
    // Within its request line the library may lose patience.
    if (cut <= lineEnd) t.ok(['200', '505'].includes(statuses.join()), 'cut at ' + cut)
    else t.same(statuses, [200], 'cut at ' + cut + ' of ' + bodyAt)
  }
  t.equal((await engine.entries()).length, 1, 'all of them were one message')
})

test('nothing behind a request in the same bytes is answered', async (t) => {
  const engine = await readyEngine(t)
  const first = messageText()
  const behind: [what: string, bytes: string][] = [
    ['two messages', requestOf(first) + requestOf(messageText())],
    ['a question behind a message', requestOf(first) + GET],
    ['three questions', GET.repeat(3)],
    ['a message behind a question', GET + requestOf(messageText())],
    ['a question behind a bad signature', requestOf(first).replace('v1=', 'v1=0') + GET],
    ['a question behind an unknown path', withLine('POST /x HTTP/1.1') + GET],
    ['a question behind two lengths', withHeaders(LENGTH + 'Content-Length: 3\r\n') + GET],
    ['a question behind no JSON', requestOf('{"a":1,"a":2}') + GET],
  ]
  for (const [what, bytes] of behind)
    t.match(await exchange(portOf(engine), bytes), { statuses: [], closed: true }, what)
  t.ok((await engine.purchase(JSON.parse(first))).approved, 'the first message can be repeated')
  t.equal((await engine.entries()).length, 1, 'and nothing else was decided')
})

test('who signed keeps its connection, a stranger has one answer', async (t) => {
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

async function smallDoor(t: Test): Promise<HttpDoor> {
  const door = await openHttpDoor({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    tls: null,
    connections: { max: 8, addressMax: 4 },
    nowMs: () => systemClock.nowMs(),
    authorize: ({ reply }) => reply.send(200, '{}'),
    authorized: () => undefined,
    failed: (error) => t.fail(String(error)),
    unready: () => null,
    metrics: () => '',
  })
  if (!door.ok) throw new Error(door.error)
  t.teardown(() => door.value.close())
  return door.value
}

/** A connection that stays as long as the server lets it. */
function hold(t: Test, port: number, localAddress: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket))
    socket.on('error', () => undefined)
    t.teardown(() => socket.destroy())
  })
}

test('connections are bounded: of one address, and in all', async (t) => {
  const { port } = await smallDoor(t)
  const asks = async (localAddress: string): Promise<number[]> =>
    (await exchange(port, GET, { localAddress })).statuses
  const held: Socket[] = []
  for (let index = 0; index < 4; index++) held.push(await hold(t, port, '127.0.0.1'))
  t.same(await asks('127.0.0.1'), [], 'the fifth of an address is closed without a word')
  t.same(await asks('127.0.0.2'), [200], 'another address is not held up by it')
  for (const address of ['127.0.0.2', '127.0.0.3'])
    for (let index = 0; index < 2; index++) held.push(await hold(t, port, address))
  t.same(await asks('127.0.0.4'), [], 'the ninth in all')
  for (const socket of held.slice(4)) socket.destroy()
  await until(async () => (await asks('127.0.0.4')).length === 1)
  // Until the kernel was asked, one of those that left may have been of the first address.
  await until(async () => (await asks('127.0.0.1')).length === 0)
  held[0]?.destroy()
  await until(async () => (await asks('127.0.0.1')).length === 1)
  const { text } = await exchange(port, GET.replace('health/live', 'metrics'), {
    localAddress: '127.0.0.5',
  })
  t.match(text, /svc_open_connections 4\n/)
  t.match(text, /svc_connections_refused_total [1-9]/)
})

test('who comes back with all connections at once is let in', async (t) => {
  const { port } = await smallDoor(t)
  const metrics = async (): Promise<string> =>
    (await exchange(port, GET.replace('health/live', 'metrics'), { localAddress: '127.0.0.5' }))
      .text
  await hold(t, port, '127.0.0.2')
  for (let round = 0; round < 3; round++) {
    const held: Socket[] = []
    for (let index = 0; index < 4; index++) held.push(await hold(t, port, '127.0.0.1'))
    await until(async () => /svc_open_connections 6\n/.test(await metrics()))
    for (const socket of held) socket.destroy()
    await until(async () => /svc_open_connections 2\n/.test(await metrics()))
  }
  t.match(await metrics(), /svc_connections_refused_total 0\n/)
})
