// Receivers before a real dispatcher: verifiers of others, our own receiver, and the examples
// tenants begin with.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import Stripe from 'stripe'
import { type Test, test } from 'tap'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { openWebhookReceiver, type Received } from '../fakes/webhook-receiver.ts'
import {
  addEndpoint,
  addTenant,
  killDispatcher,
  recordEvents,
  startDispatcher,
} from '../harness/dispatcher-process.ts'
import { file as stands } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { happens, until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const OWN = join(ROOT, 'scripts/receive.ts')

const { sql, url: databaseUrl } = await openTestDatabase(stands)
const keeper = await openWebhookReceiver()
stands.teardown(() => keeper.close())
const dispatcher = await startDispatcher(databaseUrl)
stands.teardown(() => killDispatcher(dispatcher))

interface Running {
  url: string
  child: ChildProcess
  lines(): readonly string[]
  /** Its exit code after Ctrl-C. */
  interrupt(): Promise<number | null>
}

/** A receiver as a process; ready when it prints its address. */
async function run(
  t: Test,
  command: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv = {},
): Promise<Running> {
  const [program, ...words] = command
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const ready = await happens(() => /istening on http\S+/.test(text))
  if (!ready) throw new Error('it does not listen: ' + text)
  return {
    url: /istening on (http\S+)/.exec(text)?.[1] ?? '',
    child,
    lines: () => text.split('\n').slice(1, -1),
    interrupt() {
      child.kill('SIGINT')
      return exited
    },
  }
}

/** A delivery made by a real dispatcher, signed with both secrets of its endpoint. */
async function deliver(): Promise<{ received: Received; secrets: string[] }> {
  const tenantId = await addTenant(sql)
  const path = '/' + tenantId
  const { secrets } = await addEndpoint(sql, {
    tenantId,
    url: keeper.url + path,
    secretCount: 2,
  })
  await recordEvents(sql, { tenantId, count: 1 })
  await until(() => keeper.at(path).length === 1)
  return { received: keeper.at(path)[0] as Received, secrets }
}

/** The body with one byte changed, for several bytes. */
function changed(body: Buffer): Buffer[] {
  return [0, 1, body.length >> 1, body.length - 1].map((at) => {
    const other = Buffer.from(body)
    other[at] = (other[at] ?? 0) ^ 1
    return other
  })
}

const REFUSED = /No signatures found matching the expected signature/

test('stripe’s constructEvent accepts our deliveries with either secret, and no changed one', async (t) => {
  const { received, secrets } = await deliver()
  const { body, headers } = received
  const header = String(headers['svc-signature'])
  const { webhooks } = new Stripe('sk_test_of_nobody')
  for (const secret of secrets) {
    const event = webhooks.constructEvent(body, header, secret)
    t.equal(event.id, headers['svc-event-id'])
    for (const other of changed(body))
      t.throws(() => webhooks.constructEvent(other, header, secret), REFUSED)
    const turned = header.replace(
      /(v1=)(.)/g,
      (_, name, digit) => name + (digit === '0' ? '1' : '0'),
    )
    for (const wrong of [turned, header.replace(/t=\d/, 't=2')])
      t.throws(() => webhooks.constructEvent(body, wrong, secret), REFUSED)
  }
  t.throws(() => webhooks.constructEvent(body, header, secrets[0] + '='), REFUSED)
  const [only] = header.split(',v1=').slice(-1)
  const after = header.slice(0, header.indexOf(',')) + ',v1=' + only
  t.equal(webhooks.constructEvent(body, after, secrets[1] ?? '').id, headers['svc-event-id'])
  t.throws(() => webhooks.constructEvent(body, after, secrets[0] ?? ''), REFUSED)
})

test('the Standard Webhooks package accepts our deliveries with either secret, and no changed one', async (t) => {
  const { received, secrets } = await deliver()
  const { body } = received
  const headers = received.headers as { [name: string]: string }
  for (const secret of secrets) {
    const verifier = new Webhook(secret)
    const event = verifier.verify(body, headers) as { id: string }
    t.equal(event.id, headers['webhook-id'])
    for (const other of changed(body))
      t.throws(() => verifier.verify(other, headers), WebhookVerificationError)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    for (const wrong of [{ 'webhook-id': 'evt_other' }, { 'webhook-timestamp': later }])
      t.throws(() => verifier.verify(body, { ...headers, ...wrong }), WebhookVerificationError)
  }
  const stranger = new Webhook('whsec_' + Buffer.alloc(32, 7).toString('base64'))
  t.throws(() => stranger.verify(body, headers), WebhookVerificationError)
})

test('npm run receive prints each delivery with its verification, and ends on request', async (t) => {
  const tenantId = await addTenant(sql)
  const known = 'whsec_' + Buffer.alloc(32, 1).toString('base64')
  const options = ['--port', '0', '--fail', '2', '--delay', '5', '--secret', known]
  const { id, secrets } = await addEndpoint(sql, { tenantId, url: keeper.url, secretCount: 2 })
  const own = await run(t, [process.execPath, OWN, ...options, '--secret', secrets[1] ?? ''])
  await sql`update webhook_endpoints set url = ${own.url} where id = ${id}`
  const [event] = await recordEvents(sql, { tenantId, count: 1 })
  await until(() => own.lines().length === 3)
  for (const [index, line] of own.lines().entries()) {
    const answered = index < 2 ? 500 : 200
    const said = 'card.activated  attempt ' + (index + 1) + '/5  verified  answered ' + answered
    t.match(line, /^\d\d:\d\d:\d\d\.\d{3} {2}/)
    t.ok(line.endsWith('  ' + event + '  ' + said), line)
  }
  const send = async (header: string | null, body = '{}') => {
    const headers: { [name: string]: string } = { 'Svc-Event-Id': 'evt_\u0085\u009b2J' }
    if (header !== null) headers['Svc-Signature'] = header
    const answer = await fetch(own.url, { method: 'POST', body, headers })
    return [answer.status, ((await answer.json()) as { error?: string }).error]
  }
  const now = unixSeconds(systemClock.nowMs())
  t.same(await send(null), [400, 'malformed_header'])
  t.same(await send(signatureHeader(['x'], now, '{}')), [400, 'invalid_signature'])
  const stale = signatureHeader([known], now - 301, '{}')
  t.same(await send(stale), [400, 'timestamp_out_of_tolerance'])
  t.same(await send(null, 'x'.repeat(2 ** 20 + 1)), [413, 'body_too_large'])
  t.same(await send(signatureHeader([known], now, 'x'), 'x'), [400, 'body_not_json'])
  t.same(await send(signatureHeader([known], now, '{}')), [200, undefined])
  t.ok(
    own.lines().every((line) => /^[\x20-\x7e]*$/.test(line)),
    'no control character is printed',
  )
  t.equal(await own.interrupt(), 0)
  t.equal(own.lines().at(-1), '9 arrived, 4 of them verified.')

  for (const [words, sentence] of [
    [[], /--secret/],
    [['--secret', ''], /--secret/],
    [['--secret', 'x', '--tolerance', '601'], /--tolerance must be a whole number from 0 to 600/],
    [['--secret', 'x', '--port', 'http'], /--port/],
    [['--secret', 'x', '--loud'], /--loud/],
  ] as const) {
    const refused = spawnSync(process.execPath, [OWN, ...words], { encoding: 'utf8' })
    t.equal(refused.status, 2)
    t.match(refused.stderr, sentence)
  }
})

for (const [words, reply, said] of [
  [[], { approve: true }, 'approve'],
  [
    ['--decline', 'insufficient_funds'],
    { approve: false, decline_reason: 'insufficient_funds' },
    'decline',
  ],
] as const) {
  test('npm run receive answers a question in real time: ' + said, async (t) => {
    const secret = 'whsec_' + Buffer.alloc(32, 3).toString('base64')
    const own = await run(t, [process.execPath, OWN, '--secret', secret, ...words])
    const body = '{"type":"card.transaction.authorization_request"}'
    const header = signatureHeader([secret], unixSeconds(systemClock.nowMs()), body)
    const headers = { 'Svc-Signature': header }
    const answer = await fetch(own.url, { method: 'POST', body, headers })
    t.same([answer.status, await answer.json()], [200, reply])
    await until(() => own.lines().length === 1)
    t.match(own.lines()[0], new RegExp(' {2}verified {2}answered 200: ' + said + '$'))
  })
}

test('npm run receive in its hanging mode keeps deliveries, and answers none', async (t) => {
  const secret = 'whsec_' + Buffer.alloc(32, 2).toString('base64')
  const own = await run(t, [
    process.execPath,
    OWN,
    '--hang',
    '--tolerance',
    '600',
    '--secret',
    secret,
  ])
  const header = signatureHeader([secret], unixSeconds(systemClock.nowMs()) - 550, '{"type":"a"}')
  const request = fetch(own.url, {
    method: 'POST',
    body: '{"type":"a"}',
    headers: { 'Svc-Signature': header },
  })
  const outcome = request.then(String, () => 'broken off')
  await until(() => own.lines().length === 1)
  t.match(own.lines()[0], / {2}verified {2}not answered$/)
  t.equal(await own.interrupt(), 0)
  t.equal(await outcome, 'broken off')
})

const LANGUAGES: readonly { language: string; version: readonly [string, string]; file: string }[] =
  [
    { language: 'Node', version: [process.execPath, '--version'], file: 'receiver.mjs' },
    { language: 'Python', version: ['python3', '--version'], file: 'receiver.py' },
    { language: 'Go', version: ['go', 'version'], file: 'receiver.go' },
  ]

/** The receiver in its own folder, with our client installed beside it. */
function install(t: Test, file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-receiver-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const client = join(folder, 'node_modules/@svc/client')
  mkdirSync(client, { recursive: true })
  writeFileSync(
    join(client, 'package.json'),
    '{"name":"@svc/client","type":"module","exports":"./index.js"}',
  )
  const entry = JSON.stringify(join(ROOT, 'client/index.ts'))
  writeFileSync(join(client, 'index.js'), 'export * from ' + entry)
  spawnSync('cp', [join(ROOT, 'client/receivers', file), folder])
  return join(folder, file)
}

/** A compiled program: `go run` would leave its child behind when it is killed. */
function built(path: string): [string] {
  const program = path.replace(/\.go$/, '')
  const { status, stderr } = spawnSync('go', ['build', '-o', program, path], { encoding: 'utf8' })
  if (status !== 0) throw new Error('it does not compile: ' + stderr)
  return [program]
}

for (const { language, version, file } of LANGUAGES) {
  const [program, ...asked] = version
  const found = spawnSync(program, asked).status === 0
  test('the receiver in ' + language + ' takes what is ours and refuses the rest with its reason', {
    skip: found ? false : program + ' is not on this machine',
  }, async (t) => {
    const path = install(t, file)
    const tenantId = await addTenant(sql)
    const { id, secrets } = await addEndpoint(sql, { tenantId, url: keeper.url, secretCount: 2 })
    const [old = '', next = ''] = secrets
    const command: [string, ...string[]] = language === 'Go' ? built(path) : [program, path]
    // It knows only the new secret, and one of another endpoint.
    const known = { WEBHOOK_SECRETS: 'whsec_other,' + next, PORT: '0' }
    const own = await run(t, command, known)
    await sql`update webhook_endpoints set url = ${own.url + 'webhooks'} where id = ${id}`
    const ids = await recordEvents(sql, { tenantId, count: 3 })
    await until(async () => {
      const done = await sql`
        select from ended_deliveries where endpoint_id = ${id} and state = 'succeeded' and attempts = 1`
      return done.length === ids.length
    })
    t.same(new Set(own.lines()), new Set(ids.map((event) => 'card.activated ' + event)))

    const [stored] = await sql<
      [{ body: Buffer }]
    >`select body from events where id = ${ids[0] ?? ''}`
    const { body } = stored
    const send = async (header: string | null, sent: Buffer = body) => {
      const headers = header === null ? {} : { 'Svc-Signature': header }
      const answer = await fetch(own.url, { method: 'POST', body: new Uint8Array(sent), headers })
      return [answer.status, ((await answer.json()) as { error?: string }).error]
    }
    const now = unixSeconds(systemClock.nowMs())
    const good = signatureHeader([old, next], now, body)
    t.same(await send(good), [200, undefined], 'again: taken, and passed over')
    t.equal(own.lines().length, ids.length)
    for (const other of changed(body)) t.same(await send(good, other), [400, 'invalid_signature'])
    t.same(await send(signatureHeader([old], now, body)), [400, 'invalid_signature'])
    for (const t0 of [now - 302, now + 305])
      t.same(await send(signatureHeader([next], t0, body)), [400, 'timestamp_out_of_tolerance'])
    t.same(await send(signatureHeader([next], now - 290, body)), [200, undefined])
    const malformed = [
      ...[null, 'v1=1', good + ',t=' + now, good.replace('t=', 't=0'), good.replace('t=', 't=+')],
      ...[good.replace(',', ', '), good.toUpperCase(), good + 'a', 't=' + now, good + ',x'],
      ...[good + (',v1=' + 'a'.repeat(64)).repeat(7), good + ',v0=' + 'a'.repeat(1024)],
    ]
    for (const header of malformed)
      t.same(await send(header), [400, 'malformed_header'], String(header).slice(0, 80))
  })
}
