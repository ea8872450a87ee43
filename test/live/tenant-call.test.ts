import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'tap'
import { openTenantCaller, type TenantCallerOptions } from '../../engine/tenant/call-pool.ts'
import type { EndpointRequest, TenantReply } from '../../engine/tenant/caller.ts'
import { parseCidrs } from '../../shared/address.ts'
import { systemClock } from '../../shared/clock.ts'
import { TENANT_REPLY_BYTES_MAX } from '../../shared/limits.ts'
import { createLog } from '../../shared/log.ts'
import { startNameServer } from '../fakes/name-server.ts'
import {
  approve,
  type Behaviour,
  decline,
  json,
  startTenant,
  type TenantRequest,
} from '../fakes/tenant.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import { file } from '../harness/per-file.ts'
import { happens } from '../harness/until.ts'

const SECRETS = ['whsec_b2xkLW9sZC1vbGQtb2xk', 'whsec_bmV3LW5ldy1uZXctbmV3']
/** An answered call never reaches this bound, however busy the machine. */
const ANSWER_MS_MAX = 5_000
/** Budget of tests about silence. */
const SILENCE_MS = 400
const WAIT_MS_MAX = 60_000
/** The worker's own timer has run by then, also on a busy machine. */
const LATE_MS = 300

async function caller(cidrs = '127.0.0.0/8,::1/128', more: Partial<TenantCallerOptions> = {}) {
  const allowed = parseCidrs(cidrs)
  const pool = openTenantCaller({
    allowCidrs: allowed.ok ? allowed.value : [],
    threads: 1,
    clock: systemClock,
    log: createLog({ name: 'test', level: 'silent' }),
    ...more,
  })
  await pool.ready()
  return {
    ...pool,
    call: (asking: EndpointRequest): Promise<TenantReply> => pool.call(asking).reply,
    begin: pool.call,
  }
}

// Threads take a moment to start: tests that need none of their own share this pool.
const shared = await caller()
file.teardown(() => shared.close())

let asked = 0
function request(url: string, more: Partial<EndpointRequest> = {}): EndpointRequest {
  asked += 1
  return {
    tenantId: 'ten_1',
    endpointId: 'we_1',
    url,
    secrets: SECRETS,
    body: '{"type":"card.transaction.authorization","note":"caf\u00e9"}',
    requestId: 'iauth_' + asked,
    deadlineAtMs: systemClock.nowMs() + ANSWER_MS_MAX,
    ...more,
  }
}

/** A deadline that a test lets pass. */
function soon(): Partial<EndpointRequest> {
  return { deadlineAtMs: systemClock.nowMs() + SILENCE_MS }
}

test('the request is signed with every secret and states its deadline, and nothing else', async (t) => {
  const tenant = await startTenant({ secrets: [SECRETS[0]!] })
  const other = await startTenant({ secrets: [SECRETS[1]!] })
  const asking = request(tenant.url + '?a=b')
  const reply = await shared.call(asking)
  t.match(reply, { outcome: 'answered_approve', httpStatus: 200, attempts: 1, errorHint: null })
  t.ok(reply.signUs > 0 && reply.connectUs > 0 && Number.isInteger(reply.latencyMs))
  await shared.call(request(other.url))
  const [first] = tenant.requests as [TenantRequest]
  t.equal(first.signatureProblem, null, 'the old secret verifies')
  t.equal(other.requests[0]?.signatureProblem, null, 'the new secret verifies')
  t.match(first, { method: 'POST', path: '/realtime?a=b', body: asking.body })
  const leftMs = Number(first.headers['svc-deadline-ms'])
  t.ok(Number.isInteger(leftMs) && leftMs > 0 && leftMs <= ANSWER_MS_MAX, `${leftMs} ms left`)
  t.equal(first.headers['user-agent'], 'Svc-Realtime/1')
  t.equal(first.headers['content-type'], 'application/json')
  t.equal(first.headers['accept-encoding'], undefined)
  t.equal(first.headers['transfer-encoding'], undefined)
  t.equal(first.headers['svc-event-id'], asking.requestId)
  t.equal(first.headers['webhook-id'], asking.requestId)
  t.match(first.headers['webhook-timestamp'], /^\d{10}$/)
  t.match(first.headers['webhook-signature'], /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
  await Promise.all([tenant.close(), other.close()])
})

const OUTCOMES: readonly [name: string, behaviour: Behaviour, expected: Partial<TenantReply>][] = [
  ['approve', approve(), { outcome: 'answered_approve', httpStatus: 200 }],
  ['decline', decline(), { outcome: 'answered_decline', httpStatus: 200 }],
  ['201', json({ approve: true }, 201), { outcome: 'answered_approve', httpStatus: 201 }],
  ['500', json({ approve: true }, 500), { outcome: 'http_status', httpStatus: 500 }],
  ['404', json({}, 404), { outcome: 'http_status', httpStatus: 404 }],
  ['204', { kind: 'reply', status: 204 }, { outcome: 'malformed_schema', httpStatus: 204 }],
  [
    'redirect',
    { kind: 'reply', status: 301, headers: { location: '/elsewhere' } },
    { outcome: 'http_status', httpStatus: 301 },
  ],
  ['approved', json({ approved: true }), { outcome: 'malformed_schema', httpStatus: 200 }],
  ['array', json([{ approve: true }]), { outcome: 'malformed_schema' }],
  ['not JSON', { kind: 'reply', body: 'yes' }, { outcome: 'malformed_json', httpStatus: 200 }],
  ['empty', { kind: 'reply', body: '' }, { outcome: 'malformed_json', httpStatus: 200 }],
  [
    'not UTF-8',
    { kind: 'reply', body: Buffer.from([0x22, 0xc3, 0x28, 0x22]) },
    { outcome: 'malformed_json' },
  ],
  [
    'compressed',
    { kind: 'reply', headers: { 'content-encoding': 'gzip' }, body: '{"approve":true}' },
    { outcome: 'malformed_json', errorHint: 'content_encoding' },
  ],
  [
    'identity',
    { kind: 'reply', headers: { 'content-encoding': 'Identity' }, body: '{"approve":true}' },
    { outcome: 'answered_approve' },
  ],
  [
    'text/html that is JSON',
    { kind: 'reply', headers: { 'content-type': 'text/html' }, body: '{"approve":true}' },
    { outcome: 'answered_approve' },
  ],
  [
    'one byte too much',
    { kind: 'reply', body: '{"approve":true}'.padEnd(TENANT_REPLY_BYTES_MAX + 1) },
    { outcome: 'oversized', httpStatus: 200 },
  ],
  [
    'exactly 16 KB',
    { kind: 'reply', body: '{"approve":true}'.padEnd(TENANT_REPLY_BYTES_MAX) },
    { outcome: 'answered_approve' },
  ],
  [
    'no length, ended by the connection',
    { kind: 'raw', bytes: 'HTTP/1.0 200 OK\r\n\r\n{"approve":true}' },
    { outcome: 'answered_approve' },
  ],
  [
    'informational first',
    {
      kind: 'raw',
      bytes:
        'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{"approve":true}',
    },
    { outcome: 'answered_approve', httpStatus: 200 },
  ],
  [
    'not HTTP',
    { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' },
    { outcome: 'connection_error', errorHint: 'HTTPParserError' },
  ],
  [
    'endless header',
    { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nx: ' + 'x'.repeat(40_000), keepOpen: true },
    { outcome: 'oversized', errorHint: 'UND_ERR_HEADERS_OVERFLOW' },
  ],
  [
    'upgrade',
    {
      kind: 'raw',
      bytes: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    },
    { outcome: 'connection_error' },
  ],
  [
    'cut short',
    { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"approve":true}' },
    { outcome: 'connection_error' },
  ],
  [
    'reset before the reply',
    { kind: 'reset', when: 'before_reply' },
    { outcome: 'connection_error', errorHint: 'ECONNRESET', attempts: 1 },
  ],
  [
    'closed before the reply',
    { kind: 'reset', when: 'before_reply', politely: true },
    { outcome: 'connection_error', errorHint: 'UND_ERR_SOCKET', attempts: 1 },
  ],
  [
    'reset within the body',
    { kind: 'reset', when: 'within_body' },
    { outcome: 'connection_error', attempts: 1 },
  ],
]

test('every reply has its outcome, and only answers carry an answer', async (t) => {
  for (const [name, behaviour, expected] of OUTCOMES) {
    const tenant = await startTenant({ behave: () => behaviour })
    const reply = await shared.call(request(tenant.url))
    t.match(reply, expected, name)
    t.equal(reply.answer !== null, reply.outcome.startsWith('answered'))
    t.equal(tenant.requests.length, 1, name + ': asked once')
    await tenant.close()
  }
})

test('an answer brings its fields, and an echoed id must be ours', async (t) => {
  const tenant = await startTenant({
    behave: () =>
      json({
        approve: false,
        decline_reason: 'too late at night',
        approved_amount_cents: -1,
        metadata: { rule: '7' },
        request_id: 'iauth_another',
      }),
  })
  const reply = await shared.call(request(tenant.url))
  t.same(reply.answer, {
    approve: false,
    reason: 'too late at night',
    approvedAmountCents: null,
    metadata: { rule: '7' },
    dropped: ['approved_amount_cents', 'request_id'],
  })
  await tenant.close()
})

test('a reply of ten megabytes is not read', async (t) => {
  const tenant = await startTenant({ behave: () => ({ kind: 'flood', bytes: 10 * 1024 * 1024 }) })
  const reply = await shared.call(request(tenant.url))
  t.match(reply, { outcome: 'oversized', httpStatus: 200 })
  t.ok(
    await happens(() => tenant.connectionsOpen() === 0, WAIT_MS_MAX),
    'the connection is dropped',
  )
  t.ok(tenant.floodedBytes() < 8 * 1024 * 1024, `${tenant.floodedBytes()} bytes left the tenant`)
  await tenant.close()
})

test('an unreachable host is a connection error, a silent one a timeout', async (t) => {
  const gone = await startTenant()
  await gone.close()
  t.match(await shared.call(request(gone.url)), {
    outcome: 'connection_error',
    errorHint: 'ECONNREFUSED',
  })
  t.match(await shared.call(request('no url')), {
    outcome: 'connection_error',
    errorHint: 'bad_url',
  })
  t.match(await shared.call(request(gone.url, { deadlineAtMs: systemClock.nowMs() - 1 })), {
    outcome: 'timeout_connect',
  })
  // Accepts the TCP connection and never speaks TLS: there is no connection by the deadline.
  const mute = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const address = mute.address() as AddressInfo
  const asking = request('https://127.0.0.1:' + address.port + '/', soon())
  const reply = await shared.call(asking)
  t.match(reply, { outcome: 'timeout_connect', httpStatus: null, answer: null })
  t.ok(systemClock.nowMs() < asking.deadlineAtMs + 5000, 'it ends with the deadline')
  mute.close()
})

test('TLS is verified: authority, date and name', async (t) => {
  const pool = await caller('127.0.0.0/8', { trustedRoots: [TEST_AUTHORITY] })
  const untrusting = await caller('127.0.0.0/8')
  const serve = (cert: string) => startTenant({ tls: { key: TENANT_KEY, cert } })
  const good = await serve(TENANT_CERTIFICATES.good)
  t.match(await pool.call(request(good.url)), { outcome: 'answered_approve' })
  t.match(await pool.call(request(good.url.replace('127.0.0.1', 'localhost'))), {
    outcome: 'answered_approve',
  })
  t.match(await untrusting.call(request(good.url)), { outcome: 'tls_error' }, 'unknown authority')
  const bad: readonly [cert: string, hint: string][] = [
    [TENANT_CERTIFICATES.selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [TENANT_CERTIFICATES.expired, 'CERT_HAS_EXPIRED'],
    [TENANT_CERTIFICATES.otherName, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ]
  for (const [cert, errorHint] of bad) {
    const tenant = await serve(cert)
    t.match(await pool.call(request(tenant.url)), { outcome: 'tls_error', errorHint })
    t.equal(tenant.requests.length, 0, errorHint + ': nothing was sent')
    await tenant.close()
  }
  const plain = await startTenant()
  const reply = await pool.call(request(plain.url.replace('http:', 'https:')))
  t.equal(reply.outcome, 'tls_error', 'a server that speaks HTTP where TLS is due')
  await Promise.all([pool.close(), untrusting.close(), good.close(), plain.close()])
})

test('an address that is not opened gets no connection, in any spelling', async (t) => {
  const pool = await caller('')
  const tenant = await startTenant()
  const six = await startTenant({ host: '::1' })
  const urls = [
    tenant.url,
    tenant.url.replace('127.0.0.1', '127.1'),
    tenant.url.replace('127.0.0.1', '2130706433'),
    tenant.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    tenant.url.replace('127.0.0.1', '[::ffff:7f00:1]'),
    tenant.url.replace('127.0.0.1', '[::127.0.0.1]'),
    tenant.url.replace('127.0.0.1', '[64:ff9b::7f00:1]'),
    tenant.url.replace('127.0.0.1', 'localhost'),
    tenant.url.replace('127.0.0.1', 'a.localhost.'),
    tenant.url.replace('127.0.0.1', '0.0.0.0'),
    six.url,
    'http://169.254.169.254/latest/meta-data/',
  ]
  const replies = await Promise.all(urls.map((url) => pool.call(request(url))))
  const blocked = { outcome: 'connection_error', errorHint: 'blocked_address' }
  t.match(
    replies,
    urls.map(() => blocked),
  )
  t.equal(tenant.connectionsOpened() + six.connectionsOpened(), 0)
  await Promise.all([pool.close(), tenant.close(), six.close()])
})

test('names are resolved without dns.lookup, once, and vetted as a whole', async (t) => {
  const dns = await startNameServer({
    'good.test': ['127.0.0.1'],
    'inside.test': ['169.254.169.254'],
    'both.test': ['127.0.0.1', '10.0.0.1'],
    'six.test': ['127.0.0.1', '::1'],
    'hang.test': 'hang',
  })
  const pool = await caller('127.0.0.0/8', { nameServers: [dns.address] })
  const tenant = await startTenant()
  const at = (name: string) => tenant.url.replace('127.0.0.1', name)
  const goods = await Promise.all(
    Array.from({ length: 20 }, () => pool.call(request(at('good.test')))),
  )
  t.ok(goods.every((reply) => reply.outcome === 'answered_approve'))
  t.same(dns.queries.filter((name) => name === 'good.test').length, 2, 'one A, one AAAA')
  t.equal(tenant.requests[0]?.headers.host, 'good.test:' + tenant.port)
  const blocked = { outcome: 'connection_error', errorHint: 'blocked_address' }
  t.match(await pool.call(request(at('inside.test'))), blocked)
  t.match(await pool.call(request(at('both.test'))), blocked, 'one forbidden address is enough')
  t.match(await pool.call(request(at('six.test'))), blocked, 'an AAAA counts as well')
  t.match(await pool.call(request(at('gone.test'))), {
    outcome: 'connection_error',
    errorHint: 'dns_not_found',
  })
  // A name that changes after it was vetted is not asked again: the vetted address is used.
  dns.names.set('good.test', ['169.254.169.254'])
  t.match(await pool.call(request(at('good.test'))), { outcome: 'answered_approve' })
  let hung = 0
  const hanging = Array.from({ length: 50 }, async () => {
    const reply = await pool.call(request(at('hang.test')))
    hung += 1
    return reply
  })
  t.match(await pool.call(request(at('good.test'))), { outcome: 'answered_approve' })
  t.equal(hung, 0, 'hanging names delay nobody')
  t.match(await pool.call(request(at('hang.test'), soon())), { outcome: 'timeout_connect' })
  t.match(
    await Promise.all(hanging),
    hanging.map(() => ({ outcome: 'connection_error', errorHint: 'dns_timeout' })),
  )
  await Promise.all([pool.close(), tenant.close(), dns.close()])
})

test('connections are kept and reused', async (t) => {
  const tenant = await startTenant()
  for (let turn = 0; turn < 5; turn += 1) await shared.call(request(tenant.url))
  const reply = await shared.call(request(tenant.url))
  t.equal(tenant.connectionsOpened(), 1)
  t.equal(reply.connectUs, 0)
  const refused = await startTenant({ behave: ({ turn }) => json({}, turn === 1 ? 503 : 200) })
  await shared.call(request(refused.url))
  t.match(await shared.call(request(refused.url)), { outcome: 'malformed_schema' })
  t.equal(refused.connectionsOpened(), 1, 'also after a status that is no answer')
  await Promise.all([tenant.close(), refused.close()])
})

test('the time of a call is known while it runs, and if it never connects', async (t) => {
  const tenant = await startTenant({ behave: () => ({ kind: 'hang' }) })
  const asked = shared.begin(request(tenant.url, soon()))
  t.ok(await happens(() => tenant.requests.length === 1, WAIT_MS_MAX))
  const spent = asked.spent()
  t.ok(spent.signUs > 0 && spent.connectUs > 0, 'before the deadline')
  await tenant.close()
  t.match(await asked.reply, spent)

  // Accepts and never speaks TLS.
  const silent = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = 'https://127.0.0.1:' + (silent.address() as AddressInfo).port + '/'
  const stuck = shared.begin(request(url, soon()))
  const reply = await stuck.reply
  t.equal(reply.outcome, 'timeout_connect')
  t.ok(reply.connectUs > (SILENCE_MS / 2) * 1000, reply.connectUs + ' µs were spent connecting')
  t.equal(reply.signUs > 0, true)
  silent.close()
})

test('a call that waits for a connection takes a returned one', async (t) => {
  const pool = await caller('127.0.0.0/8', { trustedRoots: [TEST_AUTHORITY] })
  const tenant = await startTenant({
    tls: { key: TENANT_KEY, cert: TENANT_CERTIFICATES.good },
    behave: () => ({ kind: 'reply', body: '{"approve":true}', afterMs: 100 }),
  })
  // Lets one connection through; the others are accepted and never speak TLS.
  let accepted = 0
  const gate = createServer((socket) => {
    accepted += 1
    socket.on('error', () => undefined)
    if (accepted > 1) return
    const inner = connect(tenant.port, '127.0.0.1')
    inner.on('error', () => undefined)
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  const url = 'https://127.0.0.1:' + (gate.address() as AddressInfo).port + '/'
  const first = pool.call(request(url))
  t.ok(await happens(() => tenant.requests.length === 1, WAIT_MS_MAX))
  const replies = await Promise.all([first, pool.call(request(url)), pool.call(request(url))])
  t.ok(replies.every((reply) => reply.outcome === 'answered_approve' && reply.attempts === 1))
  t.same([accepted, tenant.connectionsOpened()], [3, 1])
  await Promise.all([pool.close(), tenant.close()])
  gate.close()
})

test('a reused connection that is reset before any byte is replaced once', async (t) => {
  for (const politely of [false, true]) {
    // The second request of every connection is reset.
    const tenant = await startTenant({
      behave: ({ turn }) =>
        turn === 2 ? { kind: 'reset', when: 'before_reply', politely } : approve(),
    })
    t.match(await shared.call(request(tenant.url)), { attempts: 1 })
    const asking = request(tenant.url)
    t.match(await shared.call(asking), {
      outcome: 'answered_approve',
      attempts: 2,
      errorHint: null,
    })
    const twice = tenant.requests.slice(1)
    t.same(
      twice.map(({ connection }) => connection),
      [1, 2],
      'on a fresh connection',
    )
    t.same(
      twice.map(({ headers }) => headers['svc-event-id']),
      [asking.requestId, asking.requestId],
    )
    t.equal(twice[0]?.body, twice[1]?.body)
    await tenant.close()
  }
})

test('a reset after a byte, or a second reset, is not followed by another request', async (t) => {
  const halfway = await startTenant({
    behave: ({ turn }) => (turn === 2 ? { kind: 'reset', when: 'within_body' } : approve()),
  })
  await shared.call(request(halfway.url))
  t.match(await shared.call(request(halfway.url)), { outcome: 'connection_error', attempts: 1 })
  t.equal(halfway.requests.length, 2)
  const always = await startTenant({
    behave: ({ connection, turn }) =>
      connection === 1 && turn === 1 ? approve() : { kind: 'reset', when: 'before_reply' },
  })
  await shared.call(request(always.url))
  t.match(await shared.call(request(always.url)), { outcome: 'connection_error', attempts: 2 })
  t.equal(always.requests.length, 3)
  const silent = await startTenant({
    behave: ({ turn }) => (turn === 1 ? approve() : { kind: 'hang' }),
  })
  await shared.call(request(silent.url))
  const asking = request(silent.url, soon())
  const late = shared.call(asking)
  t.ok(await happens(() => silent.requests.length === 2, WAIT_MS_MAX))
  t.ok(await happens(() => systemClock.nowMs() > asking.deadlineAtMs + LATE_MS, WAIT_MS_MAX))
  await silent.close()
  t.match(await late, { outcome: 'timeout_response', attempts: 1 }, 'never after a timeout')
  await Promise.all([halfway.close(), always.close()])
})

test('an idle connection that the tenant closed costs nothing', async (t) => {
  const tenant = await startTenant()
  await Promise.all(Array.from({ length: 10 }, () => shared.call(request(tenant.url))))
  tenant.closeIdle()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => shared.call(request(tenant.url))),
  )
  t.ok(replies.every((reply) => reply.outcome === 'answered_approve'))
  t.equal(tenant.requests.length, 20, 'each was asked once')
  await tenant.close()
})

test('a late reply is reported after the deadline, and its call counts as open until then', async (t) => {
  const pool = await caller()
  const tenant = await startTenant({
    behave: () => ({ kind: 'reply', body: '{"approve":false}', afterMs: SILENCE_MS + 200 }),
  })
  const asking = request(tenant.url, soon())
  const call = pool.call(asking)
  t.same([pool.inFlight('ten_1'), pool.inFlight('ten_2'), pool.openCalls()], [1, 0, 1])
  t.ok(await happens(() => systemClock.nowMs() >= asking.deadlineAtMs, WAIT_MS_MAX))
  t.same([pool.inFlight('ten_1'), pool.openCalls()], [0, 1], 'past its deadline it is still open')
  const reply = await call
  t.match(reply, { outcome: 'answered_decline', httpStatus: 200, answer: { approve: false } })
  t.ok(reply.latencyMs >= SILENCE_MS + 190)
  t.equal(pool.openCalls(), 0)
  await Promise.all([pool.close(), tenant.close()])
})

test('silence and dripping bytes end ten seconds after sending', async (t) => {
  const tenant = await startTenant({
    behave: ({ path }) => {
      if (path.endsWith('hang')) return { kind: 'hang' }
      if (path.endsWith('garbage')) return { kind: 'reply', body: 'x', afterMs: SILENCE_MS + 100 }
      return { kind: 'drip', body: '{"approve":true}'.padEnd(4000), everyMs: 50 }
    },
  })
  const sentMs = systemClock.nowMs()
  const [hang, drip, garbage] = await Promise.all(
    ['?hang', '?drip', '?garbage'].map((query) => shared.call(request(tenant.url + query, soon()))),
  )
  const tookMs = systemClock.nowMs() - sentMs
  t.match(hang, { outcome: 'timeout_response', answer: null })
  t.match(drip, { outcome: 'timeout_response', answer: null })
  t.match(garbage, { outcome: 'timeout_response', errorHint: 'late_malformed_json' })
  t.ok(tookMs > 9_900 && tookMs < 60_000, `${tookMs} ms`)
  t.ok(
    await happens(() => tenant.connectionsOpen() <= 1, WAIT_MS_MAX),
    'given up connections are dropped',
  )
  await tenant.close()
})

test('six hundred hanging calls of one tenant do not delay another', async (t) => {
  const pool = await caller()
  const hanging = await startTenant({ behave: () => ({ kind: 'hang' }) })
  const other = await startTenant()
  const stuck = Array.from({ length: 600 }, () =>
    pool.call(request(hanging.url, { deadlineAtMs: systemClock.nowMs() + ANSWER_MS_MAX })),
  )
  t.equal(pool.inFlight('ten_1'), 600)
  t.ok(await happens(() => hanging.requests.length === 600, WAIT_MS_MAX), 'all of them are open')
  // Queued behind the hanging ones, they would miss their own deadlines.
  for (let turn = 0; turn < 100; turn += 1) {
    const reply = await pool.call(request(other.url, { tenantId: 'ten_2' }))
    if (reply.outcome !== 'answered_approve') t.fail(reply.outcome)
  }
  // One thread: a quarter of all late calls is one tenant's share, the rest ends at its deadline.
  t.ok(await happens(() => pool.openCalls() <= 250, 2 * ANSWER_MS_MAX))
  t.equal(pool.openCalls(), 250)
  t.equal(pool.inFlight('ten_1'), 0)
  await pool.close()
  const replies = await Promise.all(stuck)
  t.equal(replies.filter(({ outcome }) => outcome === 'timeout_response').length, 350)
  await Promise.all([hanging.close(), other.close()])
})

test('a dying thread fails its calls as values and is replaced', async (t) => {
  const pool = await caller('127.0.0.0/8', { threads: 2 })
  const tenant = await startTenant({
    behave: ({ path }) => (path.endsWith('hang') ? { kind: 'hang' } : approve()),
  })
  const before = pool.threadIds()
  const lost = pool.call(request(tenant.url + '?hang'))
  t.ok(await happens(() => tenant.requests.length === 1, WAIT_MS_MAX))
  await pool.endThreads()
  t.match(await lost, { outcome: 'connection_error', errorHint: 'worker_lost', answer: null })
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => {
      const deadlineAtMs = systemClock.nowMs() + WAIT_MS_MAX
      return pool.call(request(tenant.url, { deadlineAtMs }))
    }),
  )
  t.ok(replies.every((reply) => reply.outcome === 'answered_approve'))
  t.ok(await happens(() => pool.threadIds().length === 2, WAIT_MS_MAX))
  t.same(
    pool.threadIds().filter((id) => before.includes(id)),
    [],
    'by threads of their own',
  )
  t.equal(pool.inFlight('ten_1') + pool.openCalls(), 0)
  await Promise.all([pool.close(), tenant.close()])
})

test('closing ends the open calls, and later ones find the pool closed', async (t) => {
  const pool = await caller()
  const tenant = await startTenant({ behave: () => ({ kind: 'hang' }) })
  const open = pool.call(request(tenant.url))
  t.ok(await happens(() => tenant.requests.length === 1, WAIT_MS_MAX))
  await pool.close()
  const closed = { outcome: 'connection_error', errorHint: 'closed' }
  t.match(await open, closed)
  t.match(await pool.call(request(tenant.url)), closed)
  t.ok(await happens(() => tenant.connectionsOpen() === 0, WAIT_MS_MAX))
  await tenant.close()
})
