import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'tap'
import { NUMBERS_OF_NETWORKS } from '../../../api/http/gates/card-numbers.ts'
import { ROUTES } from '../../../api/routes.ts'
import { apiKeyHash, newApiKey } from '../../../shared/api-key.ts'
import { type Answer, startTestApi, type TestApi, withoutRequestId } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'

function codes(answer: Answer): [number, string, string | null] {
  return [answer.status, answer.body.error.code, answer.body.error.param]
}

async function keyState(api: TestApi, key: string, state: string, revokeAt: number | null) {
  await api.sql`
    update api_keys set state = ${state}, revoke_at = ${revokeAt} where hash = ${apiKeyHash(key)}`
}

test('every answer, refusals included, names its request and its version', async (t) => {
  const api = await startTestApi()
  const answers = [
    await api.call('GET', '/v1/cards', { key: api.tenant.keys.read }),
    await api.call('GET', '/v1/cards'),
    await api.call('GET', '/nowhere'),
    await api.call('DELETE', '/v1/cards'),
    await api.call('GET', '/v1/cards/%zz'),
    await api.call('GET', '/v1/cards/' + 'x'.repeat(300), { key: api.tenant.keys.read }),
    await api.call('GET', '/health/live'),
  ]
  t.same(
    answers.map(({ status }) => status),
    [200, 401, 404, 405, 404, 404, 200],
  )
  for (const { headers, body } of answers) {
    t.match(headers.get('request-id'), /^req_[0-9a-z]{26}$/)
    t.match(headers.get('svc-version'), /^\d{4}-\d{2}-\d{2}$/)
    if (body.error) t.equal(body.error.request_id, headers.get('request-id'))
  }
  t.equal(new Set(answers.map(({ headers }) => headers.get('request-id'))).size, answers.length)
})

test('a known path under another method is 405 with Allow, before any credential check', async (t) => {
  const api = await startTestApi()
  const wrong = await api.call('DELETE', '/v1/cards/card_1')
  t.same(codes(wrong), [405, 'method_not_allowed', null])
  t.equal(wrong.headers.get('allow'), 'GET, HEAD, PATCH')
  const post = await api.call('POST', '/v1/webhook-endpoints/we_1', { raw: 'x' })
  t.equal(post.headers.get('allow'), 'GET, HEAD, PATCH, DELETE')
  t.same(codes(await api.call('GET', '/v2/cards')), [404, 'route_not_found', null])
  t.same(codes(await api.call('POST', '/nowhere', { raw: 'x' })), [404, 'route_not_found', null])
})

test('only a complete, known, active key is accepted', async (t) => {
  const api = await startTestApi()
  const { read } = api.tenant.keys
  const with_ = async (authorization: string): Promise<unknown> =>
    codes(await api.call('GET', '/v1/cards', { headers: { authorization } }))

  t.same(codes(await api.call('GET', '/v1/cards')), [401, 'missing_credential', null])
  const invalid = [401, 'invalid_credential', null]
  t.same(await with_(read), invalid)
  t.same(await with_('Basic ' + read), invalid)
  t.same(await with_('Bearer ' + read + 'x'), invalid)
  t.same(await with_('Bearer ' + newApiKey('secret', 'sandbox')), invalid)
  t.equal((await api.call('GET', '/v1/cards', { key: read })).status, 200)
  t.equal(
    (await api.call('GET', '/v1/cards')).headers.get('www-authenticate'),
    'Bearer realm="svc"',
  )
})

test('a key pending revocation works until its grace ends, a revoked one fails at once', async (t) => {
  const api = await startTestApi()
  const { read, write } = api.tenant.keys
  const status = async (key: string) => (await api.call('GET', '/v1/cards', { key })).status

  await keyState(api, read, 'pending', api.clock.nowMs + 1000)
  t.equal(await status(read), 200)
  api.clock.nowMs += 1000
  t.same(codes(await api.call('GET', '/v1/cards', { key: read })), [401, 'key_revoked', null])

  t.equal(await status(write), 200)
  await keyState(api, write, 'revoked', null)
  t.same(codes(await api.call('GET', '/v1/cards', { key: write })), [401, 'key_revoked', null])

  api.clock.nowMs += 10 * 365 * 24 * 3_600_000
  t.equal(await status(api.tenant.keys.admin), 200, 'an active key does not expire')
})

test('a scope covers the narrower ones, and a publishable key reaches none of these routes', async (t) => {
  const api = await startTestApi()
  const { keys, cardId } = api.tenant
  const path = '/v1/cards/' + cardId
  const refused = await api.call('POST', path + '/suspend', { key: keys.read })
  t.same(codes(refused), [403, 'insufficient_scope', null])
  t.equal(refused.body.error.required_scope, 'write')
  t.equal((await api.call('GET', path, { key: keys.write })).status, 200)
  t.equal((await api.call('POST', path + '/suspend', { key: keys.admin })).status, 200)

  const publishable = await api.call('GET', path, { key: keys.publishable })
  t.same(codes(publishable), [403, 'insufficient_scope', null])
  t.equal(publishable.body.error.required_scope, 'read')
})

test('a body is UTF-8 JSON of type application/json, or it is refused with the reason', async (t) => {
  const api = await startTestApi()
  const { keys, cardId } = api.tenant
  const path = '/v1/cards/' + cardId + '/suspend'
  const send = async (type: string | null, raw: string | Uint8Array): Promise<unknown> => {
    const headers = type === null ? {} : { 'content-type': type }
    return codes(await api.call('POST', path, { key: keys.write, raw, headers }))
  }
  const wrongType = [415, 'unsupported_media_type', null]
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json+xml',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'json',
    'application / json',
    '',
  ]
  const answers = await Promise.all(types.map((type) => send(type, '{"reason":"x"}')))
  for (const [index, answer] of answers.entries()) t.same(answer, wrongType, types[index] ?? '')

  const json = 'application/json'
  for (const raw of [
    '{',
    '{"reason":"x"',
    "{'reason':1}",
    'NaN',
    Buffer.from([0x22, 0xff, 0x22]),
  ]) {
    t.same(await send(json, raw), [400, 'invalid_json', null], String(raw))
  }
  t.same(await send(json, '[]'), [400, 'parameter_invalid', null])
  t.same(await send(json, '{"__proto__":{"x":1}}'), [400, 'parameter_unknown', '__proto__'])
  t.same(await send(json, '{"reasons":"x"}'), [400, 'parameter_unknown', 'reasons'])
  t.same(await send(json, '{"reason":1}'), [400, 'parameter_invalid', 'reason'])
  t.same(await send(json, '{"reason":"a\\u0000b"}'), [400, 'parameter_invalid', 'reason'])
  const large = JSON.stringify({ reason: 'x'.repeat(1024 * 1024) })
  t.same(await send(json, large), [413, 'payload_too_large', null])

  t.equal((await api.call('GET', '/v1/cards/' + cardId, { key: keys.read })).body.status, 'active')
  for (const raw of ['', '{}']) {
    const answer = await api.call('POST', path, {
      key: keys.write,
      raw,
      headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
    })
    t.equal(answer.status, 200, JSON.stringify(raw) + answer.text)
  }
})

test('foreign ids of a tenant or environment get the same answer as an unknown one', async (t) => {
  const api = await startTestApi()
  const ids = (path: string, id: (of: TestApi['tenant']) => string) => [
    path + id(api.other),
    path + id(api.live),
    path + id(api.tenant).slice(0, -1) + '~',
    path + id(api.tenant).slice(0, -4) + '0000',
    path + '%00',
    path + '%F0%9F%92%B3',
  ]
  const paths = [
    ...ids('/v1/cards/', (of) => of.cardId),
    ...ids('/v1/cardholders/', (of) => of.cardholderId),
    ...ids('/v1/webhook_endpoints/', (of) => of.endpointId),
    ...ids('/v1/card_transactions/', (of) => of.cardId.replace('card', 'txn')),
    ...ids('/v1/events/', (of) => of.cardId.replace('card', 'evt')),
  ]
  const key = api.tenant.keys.write
  const gets = await Promise.all(paths.map((path) => api.call('GET', path, { key })))
  const writes = await Promise.all(
    [api.other, api.live].flatMap(({ cardId, cardholderId, endpointId }) => [
      api.call('POST', '/v1/cards/' + cardId + '/suspend', { key }),
      api.call('POST', '/v1/cards/' + cardId + '/resume', { key }),
      api.call('PUT', '/v1/cards/' + cardId + '/limits', { key, body: { limits: [] } }),
      api.call('POST', '/v1/cardholders/' + cardholderId + '/freeze', { key }),
      api.call('POST', '/v1/cardholders/' + cardholderId + '/unfreeze', { key }),
      api.call('PATCH', '/v1/webhook-endpoints/' + endpointId, {
        key,
        body: { status: 'enabled' },
      }),
    ]),
  )
  const texts = new Set([...gets, ...writes].map(withoutRequestId))
  t.equal(texts.size, 1, [...texts].join('\n'))
  t.ok([...gets, ...writes].every(({ status }) => status === 404))
  const untouched = await api.call('GET', '/v1/cards/' + api.other.cardId, {
    key: api.other.keys.read,
  })
  t.equal(untouched.body.status, 'active')
})

test('half a character and NUL are refused in every field, by name', async (t) => {
  const api = await startTestApi()
  const { keys, cardId } = api.tenant
  const path = '/v1/cards/' + cardId
  const put = async (verb: 'POST' | 'PUT', to: string, raw: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    return codes(await api.call(verb, path + to, { key: keys.write, raw, headers }))
  }
  for (const text of ['\\ud800', 'x\\udc00', '\\u0000']) {
    const refused = [400, 'parameter_invalid']
    t.same(await put('POST', '/suspend', '{"reason":"' + text + '"}'), [...refused, 'reason'])
    const deep = '{"limits":[{"interval":"daily","amount_cents":1,"time_zone":"' + text + '"}]}'
    t.same(await put('PUT', '/limits', deep), [...refused, '/limits/0/time_zone'])
    const name = (await put('POST', '/suspend', '{"' + text + '":1}')) as unknown[]
    t.same(name.slice(0, 2), refused)
  }
  t.same(codes(await api.call('GET', '/v1/cards?cardholder_id=%00', { key: keys.read })), [
    400,
    'parameter_invalid',
    'cardholder_id',
  ])
  t.equal((await api.call('GET', path, { key: keys.read })).body.status, 'active')
})

test('a card number is refused in every text, by field, and reaches no log', async (t) => {
  const api = await startTestApi()
  api.log.level = 'trace'
  const { write: key, admin } = api.tenant.keys
  const pan = '4111111111111111'
  const grouped = '4111-1111 1111-1111'
  const escaped = '?c=4111%201111+1111%2D1111'
  const holder = { program_id: 'prg_1', name: 'Ada', email: 'ada@example.com' }
  const hook = { url: 'https://tenant.example/hook' }
  const post = (path: string, body: object) => ['POST', path, { key, body }] as const
  const calls: [readonly [string, string, object], string][] = [
    [post('/v1/cardholders', { ...holder, name: 'x ' + grouped }), 'name'],
    [post('/v1/cardholders', { ...holder, external_id: pan }), 'external_id'],
    [post('/v1/cardholders', { ...holder, metadata: { pan } }), '/metadata/pan'],
    [post('/v1/cardholders', { ...holder, metadata: { [pan]: 'x' } }), '/metadata/[pan]'],
    [
      post('/v1/cardholders', { ...holder, metadata: { ['card' + pan]: '' } }),
      '/metadata/card[pan]',
    ],
    [post('/v1/cards/card_1/suspend', { reason: 'stolen: ' + pan }), 'reason'],
    [post('/v1/disputes/dsp_1/evidence', { kind: 'other', text: pan }), 'text'],
    [
      ['POST', '/v1/webhook_endpoints', { key: admin, body: { url: hook.url + '?c=' + pan } }],
      'url',
    ],
    [['POST', '/v1/webhook_endpoints', { key: admin, body: { url: hook.url + escaped } }], 'url'],
    [['GET', '/v1/cards?external_id=' + pan, { key }], 'external_id'],
    [['GET', '/v1/cards?external_id=' + encodeURIComponent(grouped), { key }], 'external_id'],
    [['GET', '/v1/card_transactions?merchant_name=' + pan, { key }], 'merchant_name'],
    [
      [
        'POST',
        '/v1/cards/card_1/resume',
        { key, body: {}, headers: { 'idempotency-key': 'order ' + grouped } },
      ],
      'Idempotency-Key',
    ],
  ]
  for (const [[method, path, call], param] of calls) {
    const answer = await api.call(method, path, call)
    t.same(codes(answer), [400, 'parameter_invalid', param])
    t.match(answer.body.error.message, /payment card|Idempotency-Key/)
    t.notMatch(answer.text, /4111\W*(?:20)?1111\W*1111/)
  }
  for (const path of ['/v1/cards/' + pan, '/v1/api_keys/' + pan, '/nowhere/' + pan]) {
    const answer = await api.call('GET', path, { key: admin })
    t.equal(answer.status, 404)
    t.notMatch(answer.text, pan)
  }
  const guarded = await api.call('POST', '/v1/api_keys/' + pan + '/revoke', { key: admin })
  t.equal(guarded.status, 404, 'nobody is asked to approve it, and its path is kept nowhere')
  for (const text of ['2026112418444712', '+4915123456783', '50 % of 4', '12+34']) {
    const path = '/v1/cards?external_id=' + encodeURIComponent(text)
    t.equal((await api.call('GET', path, { key })).status, 200, text)
  }
  const given = await api.call('GET', '/v1/card_transactions?network_transaction_id=' + pan, {
    key,
  })
  t.equal(given.status, 200, 'a network gives what numbers it likes')
  t.ok(api.lines.length > calls.length)
  t.same(
    api.lines.filter((line) => /4111.?1111.?1111/.test(line)),
    [],
  )
})

test('each field that may hold a card number is a field of a route', (t) => {
  const found = new Set<string>()
  for (const { method, paths, body, query } of ROUTES) {
    const route = method + ' ' + paths[0] + ' '
    for (const pointer of pointersIn(body, 'body')) found.add(route + pointer)
    for (const pointer of pointersIn(query, 'query')) found.add(route + pointer)
  }
  const fields = Object.entries(NUMBERS_OF_NETWORKS).flatMap(([route, pointers]) =>
    pointers.map((pointer) => route + ' ' + pointer),
  )
  t.same(
    fields.filter((field) => !found.has(field)),
    [],
  )
  t.end()
})

// biome-ignore lint/suspicious/noExplicitAny: a schema is read here as it is written.
function pointersIn(schema: any, at = ''): string[] {
  const { properties = {}, items, anyOf = [] } = schema ?? {}
  return [
    at,
    ...anyOf.flatMap((option: unknown) => pointersIn(option, at)),
    ...(items === undefined ? [] : pointersIn(items, at + '/*')),
    ...Object.entries(properties).flatMap(([name, field]) => pointersIn(field, at + '/' + name)),
  ]
}

test('malformed HTTP is refused in the same shape', async (t) => {
  const api = await startTestApi()
  const answers = [
    ['HELLO\r\n\r\n', 'malformed_request'],
    ['GET /v1/cards HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'malformed_request'],
    ['GET /v1/cards HTTP/1.1\r\nX: ' + 'x'.repeat(20_000) + '\r\n\r\n', 'headers_too_large'],
    [
      'GET /v1/cards HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nConnection: close\r\n\r\n',
      'missing_credential',
    ],
  ] as const
  for (const [bytes, code] of answers) {
    const answer = await exchange(api.port, bytes)
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    t.equal(body.error.code, code)
    t.match(body.error.request_id, /^req_/)
    t.match(answer, new RegExp('^Request-Id: ' + body.error.request_id, 'im'))
  }
})

test('a connection whose answers are not read is closed, whatever the client does', async (t) => {
  const api = await startTestApi()
  const socket = connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  socket.resume().write('HELLO\r\n\r\n')
  await once(socket, 'end')
  const broken = once(socket, 'error').then(([error]) => error)
  // The client's own side stays open: it notices at its next write.
  await until(() => {
    if (!socket.destroyed) socket.write('x')
    return socket.destroyed
  })
  t.match(await broken, { code: /^(EPIPE|ECONNRESET)$/ })
})

test('a connection is closed after a thousand calls, with the last answer', async (t) => {
  const api = await startTestApi()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const connections: (string | undefined)[] = []
  const ports = new Set<number | undefined>()
  for (let call = 0; call < 1001; call++) {
    const sent = request({ port: api.port, host: '127.0.0.1', path: '/health/live', agent }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    ports.add(response.socket.localPort)
    connections.push(response.headers.connection)
    await once(response.resume(), 'end')
  }
  t.equal(connections.indexOf('close'), 999)
  t.equal(ports.size, 2)
})

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

test('health needs no credential, and readiness follows PostgreSQL', async (t) => {
  const api = await startTestApi()
  t.same((await api.call('GET', '/health/live')).body, { status: 'ok' })
  t.same((await api.call('GET', '/health/ready')).body, { status: 'ok' })
  t.same(codes(await api.call('GET', '/health/live?x=1')), [400, 'parameter_unknown', 'x'])
})
