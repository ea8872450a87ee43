// One delivery, in the main thread and in threads: the request, the outcome, and failures of
// connections, certificates or threads.
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { test } from 'tap'
import type { AttemptOutcome } from '../../api/webhooks/delivery/delivery.ts'
import { Dispatch } from '../../api/webhooks/delivery/dispatch.ts'
import { createSend } from '../../api/webhooks/delivery/send.ts'
import { openSender, type SenderOptions } from '../../api/webhooks/delivery/sender.ts'
import { SenderChannel } from '../../api/webhooks/delivery/sender-channel.ts'
import { createTransmitter } from '../../api/webhooks/delivery/transmit.ts'
import { judgeAttempt } from '../../api/webhooks/delivery/verdict.ts'
import { type Cidr, cidrsText, parseCidrs } from '../../shared/address.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { verifySignature } from '../../shared/signature.ts'
import { type Behaviour, type FakeTenantOptions, startTenant } from '../fakes/tenant.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import { claimedDelivery } from '../harness/claimed-delivery.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { file } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const clock = systemClock
const loopback = ranges('127.0.0.0/8')
/** Every log line of the parts started here. */
const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
const IN_LINE_AND_BY_THREAD = [0, 1]

function ranges(text: string): readonly Cidr[] {
  const parsed = parseCidrs(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

async function senderOf(options: Partial<SenderOptions> & { threads: number }) {
  const sender = openSender({ opened: loopback, clock, log, ...options })
  file.teardown(() => sender.close())
  await sender.ready()
  return sender
}

async function tenantOf(options: FakeTenantOptions = {}) {
  const tenant = await startTenant(options)
  file.teardown(() => tenant.close())
  return tenant
}

for (const threads of IN_LINE_AND_BY_THREAD) {
  test(
    'the receiver gets the stored bytes, signed with both secrets; threads: ' + threads,
    async (t) => {
      const tenant = await tenantOf()
      const sender = await senderOf({ threads })
      const body = Buffer.from('{"id":"evt_1",  "name":"Zoë “√”"}')
      const secrets = ['whsec_b2xkb2xkb2xkb2xk', 'whsec_bmV3bmV3bmV3bmV3']
      const delivery = claimedDelivery({
        url: tenant.url + '?a=b',
        body,
        secrets,
        cause: 'recovery',
      })
      t.match(await sender.send(delivery), { status: 200, errorClass: null, retryAfterMs: null })
      t.match(await sender.send({ ...delivery, attempt: 2 }), { errorClass: null })

      t.equal(tenant.requests.length, 2)
      for (const [index, { headers, body: arrived, path }] of tenant.requests.entries()) {
        t.equal(arrived, body.toString())
        t.equal(path, '/realtime?a=b')
        const header = String(headers['svc-signature'])
        const nowS = Math.floor(clock.nowMs() / 1000)
        for (const secret of secrets)
          t.equal(verifySignature({ header, body, secrets: [secret], nowS }), null)
        t.equal(headers['svc-attempt'], index + 1 + '/5')
        t.equal(headers['svc-event-id'], delivery.eventId)
        t.equal(headers['svc-delivery-id'], delivery.id)
        t.equal(headers['svc-replay'], 'true')
        t.equal(headers['svc-test'], undefined)
        t.equal(headers['content-length'], String(body.length))
      }
    },
  )

  test('many deliveries of one turn all arrive once; threads: ' + threads, async (t) => {
    const tenant = await tenantOf()
    const sender = await senderOf({ threads: threads * 2 })
    const sent = Array.from({ length: 300 }, (_, index) =>
      claimedDelivery({
        url: tenant.url,
        endpointId: 'we_' + (index % 7),
        body: Buffer.alloc(index * 10, 'x'),
      }),
    )
    const outcomes = await Promise.all(sent.map((delivery) => sender.send(delivery)))
    t.ok(outcomes.every(({ errorClass }) => errorClass === null))
    const arrived = new Map(
      tenant.requests.map(({ headers, body }) => [headers['svc-event-id'], body.length]),
    )
    t.equal(tenant.requests.length, 300)
    t.ok(sent.every(({ eventId, body }) => arrived.get(eventId) === body.length))
  })
}

test('every attempt is signed afresh over identical bytes', async (t) => {
  const tenant = await tenantOf()
  const transmitter = createTransmitter({ clock, opened: loopback })
  file.teardown(() => transmitter.close())
  const delivery = claimedDelivery({ url: tenant.url })
  for (const nowMs of [1_700_000_000_000, 1_700_000_030_000]) {
    await createSend(transmitter, { ...clock, nowMs: () => nowMs })(delivery)
  }
  const [first, second] = tenant.requests.map(({ headers, body }) => ({ headers, body }))
  t.equal(first?.body, second?.body)
  t.match(first?.headers['svc-signature'], /^t=1700000000,/)
  t.match(second?.headers['svc-signature'], /^t=1700000030,/)
  t.not(first?.headers['webhook-signature'], second?.headers['webhook-signature'])
})

const ANSWERS: readonly [what: string, behaviour: Behaviour, expected: Partial<AttemptOutcome>][] =
  [
    ['a success', reply(204, ''), { status: 204, errorClass: null, body: '' }],
    ['a redirect', reply(302, '', { location: '/x' }), { status: 302, errorClass: 'http' }],
    ['patience asked for', reply(429, 'slow', { 'retry-after': '90' }), { retryAfterMs: 90_000 }],
    ['patience not asked for', reply(503, 'down'), { retryAfterMs: null, body: 'down' }],
    ['patience of another kind', reply(500, '', { 'retry-after': '90' }), { retryAfterMs: null }],
    [
      'a head and half a body',
      { kind: 'reset', when: 'within_body' },
      { status: 200, errorClass: null, body: '{"approve":\n[body broke off: reset]' },
    ],
    ['a reset', { kind: 'reset', when: 'before_reply' }, { status: null, errorClass: 'reset' }],
    [
      'a polite end of the connection',
      { kind: 'reset', when: 'before_reply', politely: true },
      { status: null, errorClass: 'reset' },
    ],
    [
      'no HTTP',
      { kind: 'raw', bytes: 'hello\r\n\r\n' },
      { status: null, errorClass: 'invalid_response' },
    ],
    ['silence', { kind: 'hang' }, { status: null, errorClass: 'timeout', answeredMs: null }],
    ['NUL', reply(500, 'a\0b'), { body: 'a\uFFFDb' }],
    ['half a character', reply(500, Buffer.from([0x61, 0xe2, 0x82])), { body: 'a\uFFFD' }],
    ['a card number', reply(400, 'card 4111 1111 1111 1111 is bad'), { body: 'card [pan] is bad' }],
    [
      'a card number at the cut',
      reply(400, 'x'.repeat(1015) + ' 4111111111111111 y'),
      { body: 'x'.repeat(1015) + ' [pan] y' },
    ],
    ['a long body', reply(500, 'y'.repeat(15_000)), { body: 'y'.repeat(1024) }],
    [
      'an endless body',
      { kind: 'flood', bytes: 50_000_000 },
      { status: 200, errorClass: null, body: ' '.repeat(1024) },
    ],
    [
      'a dripping body',
      { kind: 'drip', body: 'z'.repeat(1000), everyMs: 100 },
      { status: 200, errorClass: null },
    ],
  ]

function reply(
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Behaviour {
  return { kind: 'reply', status, body, headers }
}

for (const threads of IN_LINE_AND_BY_THREAD) {
  test('every answer becomes an outcome; threads: ' + threads, async (t) => {
    const sender = await senderOf({ threads, attemptMsMax: 1000 })
    const outcomes = await Promise.all(
      ANSWERS.map(async ([what, behaviour]) => {
        const tenant = await tenantOf({ behave: () => behaviour })
        const outcome = await sender.send(claimedDelivery({ url: tenant.url }))
        if (behaviour.kind === 'flood')
          t.ok(tenant.floodedBytes() < 40_000_000, 'the connection is dropped')
        return [what, outcome] as const
      }),
    )
    for (const [index, [what, outcome]] of outcomes.entries()) {
      t.match(outcome, ANSWERS[index]?.[2] ?? {}, what)
      t.ok(outcome.durationMs < 20_000, what + ' ends in time')
      t.ok(outcome.status === null || Number(outcome.answeredMs) <= outcome.durationMs)
      t.type(outcome.connectedMs, 'number', what + ': the connection was fresh')
    }
  })
}

test('an unknown host and one that never answers a connection become outcomes', async (t) => {
  const gone = await startTenant()
  await gone.close()
  const sender = await senderOf({ threads: 0, attemptMsMax: 500 })
  t.match(await sender.send(claimedDelivery({ url: gone.url })), {
    errorClass: 'connect',
    connectedMs: null,
    status: null,
  })
  // Accepts the TCP connection and never speaks TLS.
  const mute = createTcpServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const { port } = mute.address() as AddressInfo
  const outcome = await sender.send(claimedDelivery({ url: 'https://127.0.0.1:' + port + '/' }))
  t.match(outcome, { errorClass: 'timeout', connectedMs: null })
  t.ok(outcome.durationMs < 20_000)
  mute.close()
})

/** A connection becomes free a moment after its answer is complete. */
function connectionsRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('a closed kept connection costs no attempt: the delivery is resent once on a fresh one', async (t) => {
  for (const tls of [undefined, { key: TENANT_KEY, cert: TENANT_CERTIFICATES.good }]) {
    for (const politely of [true, false]) {
      const tenant = await tenantOf({
        ...(tls === undefined ? {} : { tls }),
        // Every connection serves one request and breaks at the next.
        behave: ({ turn }) =>
          turn === 1 ? reply(200, 'ok') : { kind: 'reset', when: 'before_reply', politely },
      })
      const sender = await senderOf({ threads: 0, trustedRoots: [TEST_AUTHORITY] })
      const outcomes: AttemptOutcome[] = []
      for (let attempt = 0; attempt < 4; attempt++) {
        outcomes.push(await sender.send(claimedDelivery({ url: tenant.url })))
        await connectionsRest()
      }
      t.ok(outcomes.every(({ status, errorClass }) => status === 200 && errorClass === null))
      const broken = tenant.requests.filter(({ turn }) => turn > 1)
      t.ok(broken.length > 0, broken.length + ' were sent on a connection that broke')
      t.equal(tenant.requests.length, outcomes.length + broken.length)
      await sender.close()
    }
  }
})

test('no resend follows a fresh connection, a byte of an answer, a late end or a second break', async (t) => {
  const sender = await senderOf({ threads: 0 })
  const cases: readonly [what: string, behave: Behaviour, requests: number, errorClass: string][] =
    [
      ['a byte came', { kind: 'raw', bytes: 'HTTP/1.1 2' }, 2, 'reset'],
      ['both break', { kind: 'reset', when: 'before_reply' }, 3, 'reset'],
      ['not reset', { kind: 'raw', bytes: 'nonsense\r\n\r\n' }, 2, 'invalid_response'],
    ]
  for (const [what, behave, requests, errorClass] of cases) {
    let served = 0
    const tenant = await tenantOf({ behave: () => (served++ === 0 ? reply(200, '') : behave) })
    t.match(await sender.send(claimedDelivery({ url: tenant.url })), { status: 200 })
    await connectionsRest()
    t.match(await sender.send(claimedDelivery({ url: tenant.url })), { errorClass, status: null })
    t.same([what, tenant.requests.length], [what, requests])
    t.equal(tenant.requests[1]?.turn, 2, 'the kept connection was used')
  }

  const fresh = await tenantOf({ behave: () => ({ kind: 'reset', when: 'before_reply' }) })
  t.match(await sender.send(claimedDelivery({ url: fresh.url })), { errorClass: 'reset' })
  t.equal(fresh.requests.length, 1, 'a fresh connection that breaks is a failed attempt')

  let turns = 0
  const late = await tenantOf({
    behave: async () => {
      turns += 1
      if (turns === 1) return reply(200, '')
      await new Promise((resolve) => clock.after(1100, () => resolve(null)))
      return { kind: 'reset', when: 'before_reply' }
    },
  })
  await sender.send(claimedDelivery({ url: late.url }))
  await connectionsRest()
  t.match(await sender.send(claimedDelivery({ url: late.url })), { errorClass: 'reset' })
  t.equal(late.requests.length, 2, 'it may have been worked on for a second')
})

test('a connection is reused, and only a fresh one reports its connect time', async (t) => {
  const tenant = await tenantOf()
  const sender = await senderOf({ threads: 2 })
  const connected: (number | null)[] = []
  for (let attempt = 0; attempt < 5; attempt++)
    connected.push((await sender.send(claimedDelivery({ url: tenant.url }))).connectedMs)
  t.type(connected[0], 'number')
  t.same(connected.slice(1), [null, null, null, null])
  t.equal(tenant.connectionsOpened(), 1, 'an endpoint always goes to the same thread')
})

for (const threads of IN_LINE_AND_BY_THREAD) {
  test('TLS is 1.2 or newer and verified; threads: ' + threads, async (t) => {
    const sender = await senderOf({ threads, trustedRoots: [TEST_AUTHORITY] })
    const untrusting = await senderOf({ threads })
    const serve = (cert: string) => tenantOf({ tls: { key: TENANT_KEY, cert } })
    const good = await serve(TENANT_CERTIFICATES.good)
    t.match(await sender.send(claimedDelivery({ url: good.url })), { status: 200 })
    const named = good.url.replace('127.0.0.1', 'localhost')
    t.match(await sender.send(claimedDelivery({ url: named })), { status: 200 })
    t.match(await untrusting.send(claimedDelivery({ url: good.url })), { errorClass: 'tls' })

    for (const name of ['selfSigned', 'expired', 'otherName'] as const) {
      const tenant = await serve(TENANT_CERTIFICATES[name])
      const outcome = await sender.send(claimedDelivery({ url: tenant.url }))
      t.match(outcome, { errorClass: 'tls', status: null, connectedMs: null }, name)
      t.equal(tenant.requests.length, 0, name + ': nothing was sent')
    }
    const plain = await tenantOf()
    const spoken = plain.url.replace('http:', 'https:')
    t.match(await sender.send(claimedDelivery({ url: spoken })), { errorClass: 'tls' })
    t.equal(plain.requests.length, 0)
  })
}

test('TLS 1.2 and 1.3 work; a server that hangs up or speaks 1.1 at most fails by TLS', async (t) => {
  const sender = await senderOf({ threads: 0, trustedRoots: [TEST_AUTHORITY] })
  for (const [version, expected] of [
    ['TLSv1.3', { status: 200, errorClass: null }],
    ['TLSv1.2', { status: 200, errorClass: null }],
    ['TLSv1.1', { status: null, errorClass: 'tls' }],
  ] as const) {
    let requests = 0
    const old = {
      minVersion: 'TLSv1.1',
      maxVersion: version,
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const
    const server = createTlsServer(
      { key: TENANT_KEY, cert: TENANT_CERTIFICATES.good, ...old },
      (_request, response) => {
        requests += 1
        response.end()
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const spoken = await new Promise<string | null>((resolve) => {
      const socket: TLSSocket = connectTls(
        { port, host: '127.0.0.1', ca: TEST_AUTHORITY, ...old },
        () => resolve(socket.end().getProtocol()),
      )
    })
    t.equal(spoken, version, 'the server does speak it')
    const url = 'https://127.0.0.1:' + port + '/'
    t.match(await sender.send(claimedDelivery({ url })), expected, version)
    t.equal(requests, expected.status === null ? 0 : 1)
    server.closeAllConnections()
    server.close()
  }
  const rude = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
  const { port } = rude.address() as AddressInfo
  const outcome = await sender.send(claimedDelivery({ url: 'https://127.0.0.1:' + port + '/' }))
  t.match(outcome, { errorClass: 'tls', status: null })
  rude.close()
})

test('a dying thread loses nothing: its open deliveries are interrupted, the rest moves on', async (t) => {
  let hangs = true
  const tenant = await tenantOf({ behave: () => (hangs ? { kind: 'hang' } : reply(200, '')) })
  const sender = await senderOf({ threads: 2 })
  const before = sender.threadIds()
  const deliveries = Array.from({ length: 20 }, (_, index) =>
    claimedDelivery({ url: tenant.url, endpointId: 'we_' + index, attempt: 5 }),
  )
  const inHand = deliveries.map((delivery) => sender.send(delivery))
  await until(() => tenant.requests.length === 20)
  await sender.endThreads()
  const outcomes = await Promise.all(inHand)
  t.ok(outcomes.every(({ errorClass, status }) => errorClass === 'interrupted' && status === null))
  t.ok(outcomes.every(({ startedAt, durationMs }) => startedAt > 0 && durationMs >= 0))
  const judged = judgeAttempt(5, outcomes[0] as AttemptOutcome, clock.nowMs(), {
    delaysMs: [0, 0, 0, 0, 0],
    random: () => 0,
  })
  t.not(judged.kind, 'succeeded')

  // Deliveries wait for the next thread while none runs.
  hangs = false
  const next = await Promise.all(deliveries.map((delivery) => sender.send(delivery)))
  t.ok(next.every(({ status }) => status === 200))
  t.equal(tenant.requests.length, 40, 'each once more, none a third time')
  const after = sender.threadIds()
  t.notOk(
    after.some((id) => before.includes(id)),
    'other threads took their places',
  )
  t.ok(lines.some((line) => line.includes('a sender thread ended')))
})

test('threads that keep dying lose no event, disable no endpoint and send none a sixth time', async (t) => {
  const { sql } = await openTestDatabase(file)
  let hangs = true
  const tenant = await tenantOf({ behave: () => (hangs ? { kind: 'hang' } : reply(200, '')) })
  const sender = await senderOf({ threads: 1 })
  const secret = { ok: true, value: Buffer.from('whsec_b2xkb2xkb2xkb2xk') } as const
  const dispatch = new Dispatch({
    sql,
    send: sender.send,
    unseal: () => secret,
    schedule: { delaysMs: [0, 0, 0, 0, 0], random: () => 0 },
    clock,
    log,
    owner: newId('dsp', clock.nowMs()),
  })
  const tenantId = await addTenant(sql)
  await addEndpoint(sql, { tenantId, url: tenant.url })
  await dispatch.start()
  const ids = await recordEvents(sql, { tenantId, count: 3 })
  for (let deaths = 1; deaths <= 6; deaths++) {
    await until(() => tenant.requests.length >= 3 * deaths)
    if (deaths === 6) hangs = false
    await sender.endThreads()
  }
  const open = () => sql`select from deliveries where tenant_id = ${tenantId} and state = 'pending'`
  await until(async () => (await open()).length === 0)
  await dispatch.stop(1000)

  const states = await sql`
    select event_id, state, cycle from deliveries where tenant_id = ${tenantId} order by event_id`
  t.strictSame(
    states.map((row) => ({ ...row })),
    ids.toSorted().map((event_id) => ({ event_id, state: 'succeeded', cycle: 2 })),
  )
  const timed = await sql<{ timed: boolean }[]>`
    select connected_ms <= answered_ms and answered_ms <= duration_ms as timed from delivery_attempts a
    join deliveries d on d.id = a.delivery_id
    where d.tenant_id = ${tenantId} and a.error_class is null and connected_ms is not null`
  t.ok(timed.length > 0 && timed.every((row) => row.timed), 'a fresh connection says when it stood')
  const attempts = await sql<{ cycle: number; error_class: string | null; count: number }[]>`
    select a.cycle, a.error_class, count(*) from delivery_attempts a
    join deliveries d on d.id = a.delivery_id where d.tenant_id = ${tenantId}
    group by 1, 2 order by 1, 2`
  t.strictSame(
    attempts.map((row) => ({ ...row })),
    [
      { cycle: 1, error_class: 'interrupted', count: 15 },
      { cycle: 2, error_class: 'interrupted', count: 3 },
      { cycle: 2, error_class: null, count: 3 },
    ],
  )
  t.equal(tenant.requests.length, 21, 'each attempt is one request')
  const [endpoint] = await sql`select status from webhook_endpoints where tenant_id = ${tenantId}`
  t.equal(endpoint?.['status'], 'enabled')
})

test('a thread that stops answering is ended, and overdue deliveries are given up', async (t) => {
  const tenant = await tenantOf({ behave: () => ({ kind: 'hang' }) })
  const settings = {
    openedCidrs: cidrsText(loopback),
    nameServers: [],
    trustedRoots: [],
    attemptMsMax: 60_000,
  }
  const lane = new SenderChannel({ settings, clock, log })
  await lane.started
  await until(() => lane.runs)
  const stuck = lane.threadId
  const sent = lane.send(claimedDelivery({ url: tenant.url }))
  await until(() => tenant.requests.length === 1)
  lane.giveUpOverdue(60_000)
  t.equal(lane.load, 1, 'there is time left')
  lane.giveUpOverdue(0)
  t.match(await sent, { errorClass: 'interrupted' })
  const waits = lane.send(claimedDelivery({ url: tenant.url }))
  lane.giveUpOverdue(0)
  t.match(await waits, { errorClass: 'interrupted' })
  await until(() => lane.runs && lane.threadId !== stuck)
  await lane.close()
  t.match(await lane.send(claimedDelivery({ url: tenant.url })), { errorClass: 'interrupted' })
  t.equal(tenant.requests.length, 1, 'nothing was sent twice')
})

test('a sender that cannot start reports it, and a closed one lets no caller wait', async (t) => {
  const settings = { openedCidrs: 'nonsense', nameServers: [], trustedRoots: [], attemptMsMax: 1 }
  const broken = new SenderChannel({ settings, clock, log })
  await t.rejects(broken.started, /ranges/)
  const waits = broken.send(claimedDelivery({ url: 'http://127.0.0.1:1/' }))
  await broken.close()
  t.match(await waits, { errorClass: 'interrupted' })

  const tenant = await tenantOf({ behave: () => ({ kind: 'hang' }) })
  const sender = await senderOf({ threads: 1 })
  const sent = sender.send(claimedDelivery({ url: tenant.url }))
  await until(() => tenant.requests.length === 1)
  await sender.close()
  t.match(await sent, { errorClass: 'interrupted' })
})

test('no secret and no body reaches the log', (t) => {
  t.ok(lines.length > 0)
  t.same(
    lines.filter((line) => /whsec_|card\.activated|Zoë/.test(line)),
    [],
  )
  t.end()
})
