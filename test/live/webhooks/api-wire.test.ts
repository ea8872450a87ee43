// The API byte by byte: requests that no HTTP client of ours would send. Every answer has the
// common shape, every connection ends or continues as HTTP says, and no unrequested action happens.
import { connect } from 'node:net'
import { test } from 'tap'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { exchange } from '../../harness/raw-http.ts'

const JSON_TYPE = 'Content-Type: application/json'

interface Wire {
  api: TestApi
  /** Status and code of each answer, in order. */
  say(bytes: string | Buffer): Promise<string[]>
  /** A call with the tenant's key, over a connection that ends with it. */
  write(headers: string[], body: string | Buffer, line?: string): Buffer
  /** The last request on a connection. */
  bye: string
}

async function open(): Promise<Wire> {
  const api = await startTestApi()
  const auth = 'Authorization: Bearer ' + api.tenant.keys.write
  const target = 'POST /v1/cards/' + api.tenant.cardId + '/resume HTTP/1.1'
  return {
    api,
    say: async (bytes) => answersIn((await exchange(api.port, bytes)).text),
    write: (headers, body, line = target) =>
      Buffer.concat([
        Buffer.from([line, 'Host: x', auth, 'Connection: close', ...headers, '', ''].join('\r\n')),
        Buffer.from(body),
      ]),
    bye: 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  }
}

/** Splits the answers, and checks the properties that every answer must have. */
function answersIn(text: string): string[] {
  const heads = text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => part.startsWith('HTTP/1.1 '))
  return heads.map((part) => {
    const [head = '', body = ''] = part.split('\r\n\r\n')
    const status = head.slice(9, 12)
    for (const name of [
      'Request-Id: req_',
      'Svc-Version: 2',
      'X-Content-Type-Options: nosniff',
      'X-RateLimit-Limit: ',
      'X-RateLimit-Remaining: ',
      'X-RateLimit-Reset: ',
      'X-RateLimit-Resource: ',
    ])
      if (!head.toLowerCase().includes('\r\n' + name.toLowerCase()))
        return status + ' without ' + name
    if (status < '400' || body === '') return status
    const { error } = JSON.parse(body)
    const whole = error.type && error.message && 'param' in error && error.doc_url
    if (!whole || !head.includes(error.request_id)) return status + ' of another shape'
    return status + ' ' + error.code
  })
}

function length(body: string | Buffer): string {
  return 'Content-Length: ' + Buffer.byteLength(body)
}

const MALFORMED = '400 malformed_request'
const WRONG_TYPE = '415 unsupported_media_type'

test('the end of a body is stated once and clearly, or the connection ends', async (t) => {
  const { api, say, write, bye } = await open()
  const chunked = 'Transfer-Encoding: chunked'
  const smuggled = 'DELETE /v1/cards HTTP/1.1\r\nHost: x\r\n\r\n'
  const table: [string, string[], string, string[]][] = [
    ['a length', ['Content-Length: 2'], '{}', ['200']],
    ['chunks', [chunked], '2\r\n{}\r\n0\r\n\r\n', ['200']],
    ['chunks with an extension', [chunked], '2;x=1\r\n{}\r\n0\r\n\r\n', ['200']],
    ['chunks with trailers', [chunked], '2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n', ['200']],
    ['no body', [], '', ['200']],
    ['both', ['Content-Length: 2', chunked], '2\r\n{}\r\n0\r\n\r\n' + smuggled, [MALFORMED]],
    [
      'both, the other way',
      [chunked, 'Content-Length: 4'],
      '2\r\n{}\r\n0\r\n\r\n' + smuggled,
      [MALFORMED],
    ],
    ['an encoding nobody knows', ['Transfer-Encoding: xchunked'], '{}', [MALFORMED]],
    [
      'chunks that are no longer the last',
      ['Transfer-Encoding: chunked, identity'],
      '2\r\n{}\r\n0\r\n\r\n',
      [MALFORMED],
    ],
    [
      'a space before the colon',
      ['Transfer-Encoding : chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
      [MALFORMED],
    ],
    ['a vertical tab', ['Transfer-Encoding: \x0bchunked'], '2\r\n{}\r\n0\r\n\r\n', [MALFORMED]],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 40'], '{}' + smuggled, [MALFORMED]],
    ['a list of lengths', ['Content-Length: 2, 2'], '{}', [MALFORMED]],
    ['a sign', ['Content-Length: +2'], '{}', [MALFORMED]],
    ['a negative length', ['Content-Length: -2'], '{}', [MALFORMED]],
    ['a hexadecimal length', ['Content-Length: 0x2'], '{}', [MALFORMED]],
    ['a length beyond all numbers', ['Content-Length: 99999999999999999999'], '{}', [MALFORMED]],
    ['a chunk of no size', [chunked], 'zz\r\n{}\r\n0\r\n\r\n', [MALFORMED]],
    ['a folded header', ['X: a\r\n b: c', 'Content-Length: 2'], '{}', [MALFORMED]],
    [
      'a line feed alone',
      ['X: a\nTransfer-Encoding: chunked', 'Content-Length: 2'],
      '{}',
      [MALFORMED],
    ],
    ['NUL in a header', ['X: \0', 'Content-Length: 2'], '{}', [MALFORMED]],
    ['a header without a name', [': x', 'Content-Length: 2'], '{}', [MALFORMED]],
  ]
  for (const [name, headers, body, expected] of table)
    t.same(await say(write([JSON_TYPE, ...headers], body)), expected, name)
  // The bytes behind a body are the next request, whoever wrote them.
  const keep = write([JSON_TYPE, 'Content-Length: 2'], '{}')
    .toString()
    .replace('Connection: close\r\n', '')
  t.same(await say(keep + smuggled + bye), ['200', '405 method_not_allowed', '200'])
  t.match(
    (await api.call('GET', '/v1/cards/' + api.tenant.cardId, { key: api.tenant.keys.read })).body,
    { status: 'active' },
  )
})

test('pipelined requests are answered in their order', async (t) => {
  const { api, say, bye } = await open()
  const auth = '\r\nAuthorization: Bearer ' + api.tenant.keys.read + '\r\n\r\n'
  const paths = ['/v1/cards', '/nowhere', '/v1/events', '/v1/cards/card_x', '/health/live']
  const codes = ['200', '404 route_not_found', '200', '404 resource_missing', '200']
  const round = paths.map((path) => 'GET ' + path + ' HTTP/1.1\r\nHost: x' + auth).join('')
  t.same(await say(round.repeat(6) + bye), [
    ...Array.from({ length: 6 }, () => codes).flat(),
    '200',
  ])
})

test('a body is JSON by its exact type only', async (t) => {
  const { say, write } = await open()
  const type = (value: string): string => 'Content-Type: ' + value
  const taken = [
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
  ]
  const refused = [
    'application/json;charset=utf-16le',
    'application/json; charset=utf-7',
    'application/jsonp',
    'application/json-seq',
    'application/x-ndjson',
    'application/problem+json',
    'application/*',
    '*/*',
    'text/json',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json/json',
    'application//json',
    '"application/json"',
    'application/json\\',
    ';charset=utf-8',
  ]
  for (const value of taken)
    t.same(await say(write([type(value), length('{}')], '{}')), ['200'], value)
  for (const value of refused)
    t.same(await say(write([type(value), length('{}')], '{}')), [WRONG_TYPE], value)
  t.same(await say(write([length('{}')], '{}')), [WRONG_TYPE], 'none')
  const twice = [type('application/json'), type('text/plain'), length('{}')]
  t.same(await say(write(twice, '{}')), ['400 header_duplicated'], 'two types')
})

test('a header that may occur once is refused if repeated', async (t) => {
  const { api, say } = await open()
  const { read } = api.tenant.keys
  const auth = 'Authorization: Bearer '
  const get = (...headers: string[]): string =>
    ['GET /v1/cards HTTP/1.1', ...headers, 'Connection: close', '', ''].join('\r\n')
  const table: [string, string, string][] = [
    ['two keys', get('Host: x', auth + read, auth + api.other.keys.read), '400 header_duplicated'],
    ['the same key twice', get('Host: x', auth + read, auth + read), '400 header_duplicated'],
    ['two hosts', get('Host: x', 'Host: y', auth + read), '400 header_duplicated'],
    [
      'two versions',
      get('Host: x', auth + read, 'Svc-Version: 2026-11-20', 'Svc-Version: 2026-12-01'),
      '400 header_duplicated',
    ],
    ['two unknown ones', get('Host: x', auth + read, 'X-A: 1', 'X-A: 2'), '200'],
  ]
  for (const [name, bytes, expected] of table) t.same(await say(bytes), [expected], name)
})

test('unknown addresses and methods are refused', async (t) => {
  const { api, say } = await open()
  const call = (line: string): string =>
    [
      line,
      'Host: x',
      'Authorization: Bearer ' + api.tenant.keys.admin,
      'Connection: close',
      '',
      '',
    ].join('\r\n')
  const nowhere = '404 route_not_found'
  const table: [string, string][] = [
    ['GET //v1/cards HTTP/1.1', nowhere],
    ['GET /v1//cards HTTP/1.1', nowhere],
    ['GET /v1/cards/ HTTP/1.1', '404 resource_missing'],
    ['GET /V1/CARDS HTTP/1.1', nowhere],
    ['GET /v1/cards/../cards HTTP/1.1', nowhere],
    ['GET /v1/./cards HTTP/1.1', nowhere],
    ['GET /v1/cards%2f HTTP/1.1', nowhere],
    ['GET /v1/cards%00 HTTP/1.1', nowhere],
    ['GET /v1/cards/%ff HTTP/1.1', nowhere],
    ['GET /v1/cards/%2e%2e%2fevents HTTP/1.1', '404 resource_missing'],
    ['GET /v1/cards?%zz=1 HTTP/1.1', '400 parameter_unknown'],
    ['GET /v1/cards?limit=1&limit=2 HTTP/1.1', '400 parameter_invalid'],
    ['GET /v1/cards?__proto__=1 HTTP/1.1', '400 parameter_unknown'],
    ['GET /v1/cards?constructor[prototype]=1 HTTP/1.1', '400 parameter_unknown'],
    ['GET /v1/cards?' + 'a'.repeat(9000) + ' HTTP/1.1', '400 parameter_unknown'],
    ['GET /' + 'a'.repeat(12_000) + ' HTTP/1.1', nowhere],
    ['GET /' + 'a'.repeat(40_000) + ' HTTP/1.1', '431 headers_too_large'],
    ['GET * HTTP/1.1', nowhere],
    ['OPTIONS * HTTP/1.1', nowhere],
    ['OPTIONS /v1/cards HTTP/1.1', '405 method_not_allowed'],
    ['OPTIONS /v1/tokens HTTP/1.1', '204'],
    ['TRACE /v1/cards HTTP/1.1', '405 method_not_allowed'],
    ['PROPFIND /v1/cards HTTP/1.1', '405 method_not_allowed'],
    ['HEAD /v1/cards HTTP/1.1', '200'],
    ['HEAD /v1/cards/card_x HTTP/1.1', '404'],
    ['get /v1/cards HTTP/1.1', MALFORMED],
    ['BREW /v1/cards HTTP/1.1', MALFORMED],
    ['GET /v1/cards HTTP/0.9', MALFORMED],
    ['GET /v1/cards HTTP/3.0', MALFORMED],
    ['GET /v1/cards', MALFORMED],
    ['PRI * HTTP/2.0', MALFORMED],
    ['GET /v1/cards HTTP/1.1 x', MALFORMED],
    // RFC 9112 3.2.2: an absolute address reaches this server, whatever host it names.
    ['GET http://elsewhere.example/v1/cards HTTP/1.1', '200'],
    ['GET /v1/cards\x00 HTTP/1.1', MALFORMED],
  ]
  for (const [line, expected] of table) t.same(await say(call(line)), [expected], line.slice(0, 60))
})

test('a body of ten megabytes is refused by its length, before it is sent', async (t) => {
  const { api, say, write } = await open()
  const large = 10 * 1024 * 1024
  t.same(await say(write([JSON_TYPE, 'Content-Length: ' + large], '{"reason":"')), [
    '413 payload_too_large',
  ])
  const chunk = '100000\r\n' + 'x'.repeat(0x100000) + '\r\n'
  t.same(
    await say(write([JSON_TYPE, 'Transfer-Encoding: chunked'], chunk.repeat(10) + '0\r\n\r\n')),
    ['413 payload_too_large'],
  )
  const deep = '{"reason":' + '['.repeat(500_000) + ']'.repeat(500_000) + '}'
  t.match(await say(write([JSON_TYPE, length(deep)], deep)), [/^400 /])
  t.equal((await api.call('GET', '/health/ready')).status, 200)
})

test('a repeated key in JSON is refused', async (t) => {
  const { say, write } = await open()
  const suspend = 'POST /v1/cards/card_x/suspend HTTP/1.1'
  const bodies: [string, string][] = [
    ['{"reason":"a","reason":"b"}', '400 invalid_json'],
    ['{"reason":"a","\\u0072eason":"b"}', '400 invalid_json'],
    ['\ufeff{"reason":"a"}', '404 resource_missing'],
    ['{"reason":"a","x":{"y":[{"z":1,"z":2}]}}', '400 invalid_json'],
    ['{"metadata":{"reason":",\\"reason\\":"},"reason":"reason"}', '400 parameter_unknown'],
    ['{"reason":"a"}}', '400 invalid_json'],
    ['{"reason":"a",}', '400 invalid_json'],
    ['{"reason":"a"} // x', '400 invalid_json'],
  ]
  for (const [body, expected] of bodies)
    t.same(await say(write([JSON_TYPE, length(body)], body, suspend)), [expected], body)
})

test('a slow body is waited for, and an endless one delays no other call', async (t) => {
  const { api, write } = await open()
  const body = '{}' + ' '.repeat(40)
  const whole = write([JSON_TYPE, length(body)], '').toString()
  const drip = (socket: ReturnType<typeof connect>, at = 0): void => {
    if (at === body.length || socket.destroyed) return
    socket.write(body.charAt(at))
    setImmediate(() => drip(socket, at + 1))
  }
  const slow = await exchange(api.port, whole, { afterwards: (socket) => drip(socket) })
  t.same(answersIn(slow.text), ['200'])
  const held = Array.from({ length: 40 }, () =>
    connect(api.port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
      this.write(whole + '{')
    }),
  )
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  const { status } = await api.call('GET', '/v1/cards', { key: api.tenant.keys.read })
  t.equal(status, 200)
  for (const socket of held) socket.destroy()
  t.equal((await api.call('GET', '/v1/cards', { key: api.tenant.keys.read })).status, 200)
})
