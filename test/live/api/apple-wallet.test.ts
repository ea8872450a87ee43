// Apple's wallet over its own protocols: our own device installs passes, hears of changes and
// removes them; our own push service speaks Apple's protocol, over real HTTP/2 and with real
// certificates.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type Test, test } from 'tap'
import { readAppleIssuer } from '../../../api/passes/wallets/apple/issuer.ts'
import {
  applePushJob,
  type PushWorld,
  pushRound,
} from '../../../api/passes/wallets/apple/push/pump.ts'
import { openPushService } from '../../../api/passes/wallets/apple/push/push-service.ts'
import {
  ensureSandboxCertificates,
  SANDBOX_PASS_TYPE,
} from '../../../api/passes/wallets/apple/sandbox-certificates.ts'
import { type PushPeer, startPushPeer } from '../../../scripts/apns-peer/peer.ts'
import { filesIn, readPass } from '../../../scripts/simulate/wallet/archive.ts'
import { Device } from '../../../scripts/simulate/wallet/device.ts'
import { openPushLine } from '../../../scripts/simulate/wallet/push-peer.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createLog } from '../../../shared/log.ts'
import { type Answer, PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { startJob } from '../../harness/jobs.ts'
import { caller, done, eventsOf, issuePass, makeTemplate } from '../../harness/passes.ts'
import { until } from '../../harness/until.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-apple-'))
const paths = ensureSandboxCertificates(directory, systemClock.nowMs())
const pem = (path: string): string => readFileSync(path, 'utf8')
const files = {
  SVC_APPLE_PASS_CERT: paths.passCertificate,
  SVC_APPLE_PASS_KEY: paths.passKey,
  SVC_APPLE_PASS_AUTHORITY: paths.authority,
}
const problems: string[] = []
const apple = readAppleIssuer(files, problems)
if (apple === null) throw new Error(problems.join(' '))
const issuer = apple
const silent = createLog({ name: 'test', level: 'silent' })
const BASE = '/wallets/apple'

test('the sandbox’s certificates are made once, readable by their owner only', (t) => {
  const [again, modes] = [
    ensureSandboxCertificates(directory, 0),
    execFileSync('stat', ['-c', '%a', directory + '/apple-wallet', ...Object.values(paths)]),
  ]
  t.same(again, paths)
  t.equal(readFileSync(paths.passKey, 'utf8'), issuer.certificates.key)
  t.same(String(modes).trim().split('\n'), ['700', ...Object.values(paths).map(() => '600')])
  t.match(issuer, { passType: SANDBOX_PASS_TYPE, team: 'SVCSANDBOX' })
  t.end()
})

test('mismatched certificates and keys are named without showing a key', (t) => {
  const refusal = (change: Partial<typeof files>): string => {
    const said: string[] = []
    t.equal(readAppleIssuer({ ...files, ...change } as typeof files, said), null)
    return said.join(' ')
  }
  t.match(refusal({ SVC_APPLE_PASS_AUTHORITY: paths.pushCertificate }), 'did not sign')
  t.match(refusal({ SVC_APPLE_PASS_CERT: paths.pushCertificate }), 'is not the key of')
  t.match(
    refusal({ SVC_APPLE_PASS_CERT: paths.pushCertificate, SVC_APPLE_PASS_KEY: paths.pushKey }),
    'no UID',
  )
  t.match(refusal({ SVC_APPLE_PASS_AUTHORITY: paths.passKey }), 'holds no PEM certificate')
  t.match(refusal({ SVC_APPLE_PASS_AUTHORITY: null as never }), 'need all of')
  const none = {
    SVC_APPLE_PASS_CERT: null,
    SVC_APPLE_PASS_KEY: null,
    SVC_APPLE_PASS_AUTHORITY: null,
  }
  t.equal(readAppleIssuer(none, problems), null)
  t.same(problems, [], 'nothing is configured, and nothing is wrong')
  t.end()
})

async function startPeer(t: Test): Promise<PushPeer> {
  const peer = await startPushPeer({
    port: 0,
    certificate: pem(paths.pushCertificate),
    key: pem(paths.pushKey),
    authority: pem(paths.authority),
    clock: systemClock,
  })
  t.teardown(() => peer.close())
  return peer
}

/** The dispatcher's part, one round at a time. */
function pusherTo(t: Test, api: TestApi, url: string, passType = issuer.passType): PushWorld {
  const clock = { ...systemClock, nowMs: () => api.clock.nowMs }
  const { certificates } = issuer
  const { authority } = certificates
  const service = openPushService({ url, issuer: { certificates, passType }, authority, clock })
  t.teardown(() => service.close())
  return { sql: api.sql, service, clock, log: silent, publicUrl: PUBLIC_URL }
}

function download(api: TestApi, passId: string): Promise<Buffer> {
  return fetch(api.url + BASE + '/passes/' + passId).then(async (response) => {
    if (response.status !== 200) throw new Error(await response.text())
    return Buffer.from(await response.arrayBuffer())
  })
}

function deviceOf(api: TestApi, pushToken = randomBytes(32).toString('hex')): Device {
  return new Device({ pushToken, serviceUrl: api.url + BASE })
}

async function statusOf(api: TestApi, passId: string): Promise<[string, string | null]> {
  const { status, platform } = done(await caller(api).get('passes/' + passId))
  return [status, platform]
}

const start = (): Promise<TestApi> => startIssuingApi({ apple: issuer })

test('a holder installs a pass, hears of a change by push, fetches it and removes it', async (t) => {
  const api = await start()
  const peer = await startPeer(t)
  const line = openPushLine(peer.url, pem(paths.authority))
  t.teardown(() => line.close())
  const { authority } = issuer.certificates
  const clock = { ...systemClock, nowMs: () => api.clock.nowMs }
  const settings = { issuer, url: peer.url, authority }
  startJob(t, applePushJob(settings, { clock, publicUrl: PUBLIC_URL }), api.sql)

  const pass = await issuePass(api, { values: { points: '7' }, holder_name: 'Ada' })
  const token = await line.newToken()
  const device = deviceOf(api, token)
  t.equal(await device.install(await download(api, pass.id)), 201)
  t.same(await statusOf(api, pass.id), ['installed', 'apple'])
  t.match(device.pass(pass.id), { passTypeIdentifier: SANDBOX_PASS_TYPE })
  t.same(await device.update(), [pass.id], 'the first time everything is listed')
  t.same(await device.update(), [], 'and then nothing is fetched again')

  api.clock.nowMs += 5000
  done(await caller(api).patch('passes/' + pass.id, { values: { points: '8' } }))
  t.equal(await line.hear(token), 1)
  t.same(await device.update(), [pass.id])
  t.match(device.pass(pass.id), {
    storeCard: { primaryFields: [{ value: '8', changeMessage: 'Now %@' }] },
  })

  t.equal(await device.remove(pass.id), 200)
  t.same(await statusOf(api, pass.id), ['removed', 'apple'])
  await line.leave(token)
  const told = ['created', 'installed', 'updated', 'removed'].map(
    async (what) => (await eventsOf(api, pass.id, 'pass.' + what)).length,
  )
  t.same(await Promise.all(told), [1, 1, 1, 1])
})

test('an erasure reaches the wallet of a holder', async (t) => {
  const api = await start()
  const { cardId, cardholderId, keys } = api.tenant
  const erase = (path: string) => api.call('POST', '/v1/' + path, { key: keys.admin })
  const pass = await issuePass(api, {
    ...{ values: { points: 'Countess' }, holder_name: 'Augusta', card_id: cardId },
  })
  const device = deviceOf(api)
  t.equal(await device.install(await download(api, pass.id)), 201)
  done(await erase('cards/' + cardId + '/terminate'))
  t.same(await device.update(), [pass.id])
  t.match(JSON.stringify(device.pass(pass.id)), /Augusta/, 'a revoked pass still shows the holder')
  await api.sql`delete from pass_pushes`
  done(await erase('cardholders/' + cardholderId + '/erase'))
  t.match(await api.sql`select pass_id, platform from pass_pushes`, [
    { pass_id: pass.id, platform: 'apple' },
  ])
  t.same(await device.update(), [pass.id], 'the device gets the changed pass')
  t.notMatch(JSON.stringify(device.pass(pass.id)), /Augusta|Countess/)
  const [updated] = await eventsOf(api, pass.id, 'pass.updated')
  t.match(updated, {
    data: { pass: { holder_name: null, values: { points: '' }, version: 4 } },
    previous_attributes: { holder_name: null, values: { points: '' } },
  })
})

test('openssl, unzip and the manifest agree on a downloaded pass', async (t) => {
  const api = await start()
  const { id: template_id } = await templateWithPicture(api)
  const pass = await issuePass(api, { template_id })
  const archive = await download(api, pass.id)
  const path = join(directory, 'downloaded.pkpass')
  writeFileSync(path, archive)
  const unpacked = filesIn(archive)
  for (const name of ['manifest.json', 'signature'])
    writeFileSync(join(directory, name), unpacked.get(name) ?? '')
  t.same(
    [...unpacked.keys()].filter((name) => name.startsWith('strip')),
    ['strip.png', 'strip@2x.png', 'strip@3x.png'],
  )
  for (const [scale, name] of ['strip.png', 'strip@2x.png', 'strip@3x.png'].entries())
    t.match(await sharp(unpacked.get(name)).metadata(), { width: 375 * (scale + 1) })
  if (present('unzip')) t.match(String(execFileSync('unzip', ['-t', path])), 'No errors')
  if (!present('openssl')) return t.comment('no openssl here: its verdict is not asked')
  const verify = (content: string) =>
    execFileSync(
      'openssl',
      [
        ...['smime', '-verify', '-inform', 'DER', '-in', join(directory, 'signature')],
        ...['-content', content, '-CAfile', paths.authority],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
  t.same(verify(join(directory, 'manifest.json')), unpacked.get('manifest.json'))
  const forged = join(directory, 'forged.json')
  writeFileSync(
    forged,
    String(unpacked.get('manifest.json')).replace(/[0-9a-f]{40}/, '0'.repeat(40)),
  )
  t.throws(() => verify(forged), 'one hash changed')
})

function present(tool: string): boolean {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('the page of a pass offers the pass to Apple’s devices only', async (t) => {
  const api = await start()
  const pass = await issuePass(api)
  const url = api.url + '/p/' + pass.id
  const linkFor = async (userAgent: string): Promise<string | null> => {
    const page = await fetch(url, { headers: { 'user-agent': userAgent } })
    return /href="([^"]*apple[^"]*)"/.exec(await page.text())?.[1] ?? null
  }
  const link = await linkFor('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)')
  const answer = await fetch(new URL(link ?? '', url))
  t.equal(answer.headers.get('content-type'), 'application/vnd.apple.pkpass')
  const { serialNumber } = readPass(Buffer.from(await answer.arrayBuffer()))
  t.equal(serialNumber, pass.id)
  t.equal(await linkFor('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), link)
  t.equal(await linkFor('Mozilla/5.0 (Linux; Android 16; Pixel 10)'), null)
  done(await caller(api).post('passes/' + pass.id + '/revoke'))
  t.equal(await linkFor('iPhone'), null, 'nobody is led to what is gone')
})

function upload(api: TestApi, role: string, bytes: Buffer, more: object = {}): Promise<Answer> {
  const data = bytes.toString('base64')
  return caller(api).post('pass_images', { role, data, ...more })
}

function photo(): Promise<Buffer> {
  const create = { width: 1200, height: 500, channels: 3, background: '#cc3300' } as const
  return sharp({ create }).jpeg().toBuffer()
}

async function templateWithPicture(api: TestApi) {
  const image = done(await upload(api, 'strip', await photo()))
  return makeTemplate(api, { images: { strip: image.id } })
}

test('an image is uploaded, listed, and stored re-encoded; other files are refused', async (t) => {
  const api = await start()
  const { get } = caller(api)
  const bytes = await photo()
  const made = done(await upload(api, 'logo', bytes, { external_id: 'brand' }))
  t.match(made, {
    object: 'pass_image',
    role: 'logo',
    width: 360,
    height: 150,
    sha256: /^[0-9a-f]{64}$/,
    external_id: 'brand',
  })
  t.same(done(await get('pass_images/' + made.id)), made)
  t.same(done(await get('pass_images?role=logo')).data, [made])
  t.same(done(await get('pass_images?role=icon')).data, [])
  const stranger = caller(api, api.other)
  t.equal((await stranger.get('pass_images/' + made.id)).status, 404)
  const said = ({ status, body }: Answer): unknown[] => [
    ...[status, body.error?.code, body.error?.param],
  ]
  const wrong: readonly [string, Buffer][] = [
    ['logo', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['logo', bytes.subarray(0, bytes.length >> 1)],
    ['icon', Buffer.from('GIF89a------------------')],
  ]
  for (const [role, data] of wrong)
    t.same(said(await upload(api, role, data)), [400, 'parameter_invalid', 'data'])
  t.same(said(await upload(api, 'poster', bytes)), [400, 'parameter_invalid', 'role'])
  const one = caller(api)
  t.same(said(await one.post('pass_images', { role: 'icon', data: 'https://example.com/a.png' })), [
    ...[400, 'parameter_invalid', 'data'],
  ])
  t.same(said(await one.post('pass_images', { role: 'icon' })), [400, 'parameter_missing', 'data'])
  t.same(said(await upload(api, 'icon', bytes, { external_id: 'brand' })), [
    ...[409, 'already_exists', 'external_id'],
  ])
  const keyed = { 'idempotency-key': 'picture-1' }
  const body = { role: 'icon', data: bytes.toString('base64') }
  const [first, again] = [
    done(await one.post('pass_images', body, keyed)),
    done(await one.post('pass_images', body, keyed)),
  ]
  t.same(again, first)
  t.equal(done(await get('pass_images')).data.length, 2)
})

test('no device is registered, served or removed without the pass’s token', async (t) => {
  const api = await start()
  const pass = await issuePass(api)
  const other = await issuePass(api)
  const { authenticationToken: token } = readPass(await download(api, pass.id))
  const registration = BASE + '/v1/devices/d1/registrations/' + SANDBOX_PASS_TYPE + '/' + pass.id
  const fetched = BASE + '/v1/passes/' + SANDBOX_PASS_TYPE + '/' + pass.id
  const { authenticationToken: foreign } = readPass(await download(api, other.id))
  for (const authorization of [
    undefined,
    'ApplePass ',
    'ApplePass ' + foreign,
    'Bearer ' + token,
    'ApplePass ' + token + ' ',
    'ApplePass ' + token.toUpperCase(),
  ]) {
    const headers: { [name: string]: string } = authorization === undefined ? {} : { authorization }
    const body = { pushToken: 'ab' }
    for (const answer of [
      await api.call('POST', registration, { headers, body }),
      await api.call('DELETE', registration, { headers }),
      await api.call('GET', fetched, { headers }),
    ]) {
      // A space at the end of a header is not part of it.
      if (authorization?.endsWith(' ') && authorization.length > 20) continue
      t.equal(answer.status, 401, String(authorization))
      t.equal(answer.body.error.code, 'invalid_credential')
      t.equal(answer.headers.get('www-authenticate'), 'ApplePass')
    }
  }
  t.notSame(foreign, token)
  t.ok(token.length >= 16)
  t.same(await statusOf(api, other.id), ['active', null])
})

test('an invalid call of the protocol is refused with its fault', async (t) => {
  const api = await start()
  const pass = await issuePass(api)
  const { authenticationToken } = readPass(await download(api, pass.id))
  const headers = { authorization: 'ApplePass ' + authenticationToken }
  const device = BASE + '/v1/devices/d1/registrations/'
  const own = device + SANDBOX_PASS_TYPE + '/' + pass.id
  const refusal = async (method: string, path: string, call: object = {}): Promise<unknown[]> => {
    const { status, body } = await api.call(method, path, { headers, ...call })
    return [status, body?.error.code, body?.error.param]
  }
  t.same(await refusal('POST', own, { body: {} }), [400, 'parameter_missing', 'pushToken'])
  t.same(await refusal('POST', own, { body: { pushToken: 'not hex' } }), [
    ...[400, 'parameter_invalid', 'pushToken'],
  ])
  t.same(await refusal('POST', own, { body: { pushToken: 'a'.repeat(5000) } }), [
    ...[413, 'payload_too_large', null],
  ])
  t.same(await refusal('POST', own, { raw: '{"pushToken":' }), [
    415,
    'unsupported_media_type',
    null,
  ])
  t.same(await refusal('POST', device + 'pass.other/' + pass.id, { body: { pushToken: 'ab' } }), [
    ...[404, 'resource_missing', null],
  ])
  t.same(await refusal('GET', device + 'pass.other'), [404, 'resource_missing', null])
  t.same(await refusal('PUT', own), [405, 'method_not_allowed', null])
  t.same(await refusal('GET', BASE + '/v2/passes'), [404, 'route_not_found', null])
  t.same(await refusal('GET', BASE + '/passes/pass_none'), [404, 'resource_missing', null])
  t.same(await refusal('POST', BASE + '/v1/log', { body: { logs: 'x' } }), [
    ...[400, 'parameter_invalid', 'logs'],
  ])
  const said = { logs: ['[2026] error: GET …/' + authenticationToken, 'x'.repeat(9000)], more: 1 }
  api.log.level = 'debug'
  t.equal((await api.call('POST', BASE + '/v1/log', { body: said })).status, 200)
  api.log.level = 'silent'
  const lines = api.lines.filter((line) => line.includes('a device logs'))
  t.equal(lines.length, 2)
  t.notMatch(lines.join(), authenticationToken)
  t.equal((await api.call('GET', device + SANDBOX_PASS_TYPE + '?passesUpdatedSince=~')).status, 204)
  t.equal(
    (await api.call('GET', device + SANDBOX_PASS_TYPE)).headers.get('x-ratelimit-resource'),
    'wallets',
  )
})

test('a pass is installed once over many registrations, and removed with the last device', async (t) => {
  const api = await start()
  const pass = await issuePass(api)
  const archive = await download(api, pass.id)
  const [phone, watch, token] = [deviceOf(api), deviceOf(api), randomBytes(32).toString('hex')]
  const statuses = await Promise.all([1, 2, 3, 4, 5].map(() => phone.install(archive)))
  t.same(statuses.sort(), [200, 200, 200, 200, 201])
  t.equal(await watch.install(archive), 201)
  for (let round = 0; round < 20; round++) await deviceOf(api, token).install(archive)
  const rows = await api.sql`select device_id from pass_installations where pass_id = ${pass.id}`
  t.equal(rows.length, 3, 'a device that comes under ever new names is one')
  t.equal(await phone.remove(pass.id), 200)
  t.equal(await watch.remove(pass.id), 200)
  t.same(await statusOf(api, pass.id), ['installed', 'apple'])
  const last = deviceOf(api, token)
  await last.install(archive)
  t.equal(await last.remove(pass.id), 200)
  t.same(await statusOf(api, pass.id), ['removed', 'apple'])
  const told = ['installed', 'removed'].map(
    async (what) => (await eventsOf(api, pass.id, 'pass.' + what)).length,
  )
  t.same(await Promise.all(told), [1, 1])
  await last.install(archive)
  t.equal((await eventsOf(api, pass.id, 'pass.installed')).length, 2, 'it may come back')
})

test('a pass is answered 304 until its contents change, by the second', async (t) => {
  const api = await start()
  const pass = await issuePass(api, { values: { points: '1' } })
  const { authenticationToken } = readPass(await download(api, pass.id))
  const path = BASE + '/v1/passes/' + SANDBOX_PASS_TYPE + '/' + pass.id
  const authorization = 'ApplePass ' + authenticationToken
  const get = async (since?: string) => {
    const headers = { authorization, ...(since !== undefined && { 'if-modified-since': since }) }
    const { status, headers: told } = await api.call('GET', path, { headers })
    return { status, modified: told.get('last-modified') ?? '', type: told.get('content-type') }
  }
  const first = await get()
  t.match(first, { status: 200, type: 'application/vnd.apple.pkpass' })
  t.equal((await get(first.modified)).status, 304)
  t.equal((await get('no date')).status, 200)
  // Two changes within one second of the clock.
  let modified = first.modified
  for (const points of ['2', '3']) {
    done(await caller(api).patch('passes/' + pass.id, { values: { points } }))
    const { status, modified: next } = await get(modified)
    t.equal(status, 200, points)
    t.not(next, modified)
    modified = next
  }
  t.equal((await get(modified)).status, 304)
  done(await caller(api).post('passes/' + pass.id + '/revoke', { reason: 'lost' }))
  t.equal((await get(modified)).status, 200, 'a revoked pass is fetched once more')
  const revoked = await fetch(api.url + path, { headers: { authorization } })
  t.equal(readPass(Buffer.from(await revoked.arrayBuffer())).voided, true)
  t.equal((await api.call('GET', BASE + '/passes/' + pass.id)).status, 404, 'nobody gets it anew')
})

/**
 * A pass on a device whose token makes the push service respond in some way, and a change that
 * waits to be pushed.
 */
async function changedPass(api: TestApi, beginning: string) {
  const pass = await issuePass(api, { values: { points: '1' } })
  const token = beginning + randomBytes(32).toString('hex').slice(beginning.length)
  await deviceOf(api, token).install(await download(api, pass.id))
  api.clock.nowMs += 5000
  done(await caller(api).patch('passes/' + pass.id, { values: { points: '2' } }))
  const waiting = async () =>
    api.sql<{ attempts: number; due: number; error: string | null }[]>`
      select attempts, due_at - ${api.clock.nowMs}::bigint as due, last_error as error
      from pass_pushes where pass_id = ${pass.id}`
  return { pass, waiting }
}

test('a device that the push service no longer knows loses its passes', async (t) => {
  const api = await start()
  const peer = await startPeer(t)
  const world = pusherTo(t, api, peer.url)
  for (const beginning of ['00410', '00400']) {
    const { pass, waiting } = await changedPass(api, beginning)
    await pushRound(world)
    t.same(await waiting(), [])
    t.same(await statusOf(api, pass.id), ['removed', 'apple'])
    t.equal((await eventsOf(api, pass.id, 'pass.removed')).length, 1)
  }
})

test('a push that the service cannot take now is sent later, and only then removed', async (t) => {
  const api = await start()
  const peer = await startPeer(t)
  const world = pusherTo(t, api, peer.url)
  const busy = await changedPass(api, '00429')
  await pushRound(world)
  t.same(await busy.waiting(), [{ attempts: 1, due: 1000, error: 'TooManyRequests' }])
  const away = await changedPass(api, '00503')
  for (const due of [1000, 2000]) {
    await pushRound(world)
    t.match(await away.waiting(), [{ due, error: 'ServiceUnavailable' }])
    api.clock.nowMs += due
  }
  await pushRound(world)
  t.same([await busy.waiting(), await away.waiting()], [[], []])
  t.same(await statusOf(api, away.pass.id), ['installed', 'apple'])
})

test('a push service that is down, hangs up, or is another’s loses no push', async (t) => {
  const api = await start()
  const peer = await startPeer(t)
  const { waiting } = await changedPass(api, 'aa')
  const nobody = pusherTo(t, api, 'https://127.0.0.1:1')
  await pushRound(nobody)
  t.match(await waiting(), [{ attempts: 1, error: 'ECONNREFUSED' }])
  api.clock.nowMs += 60_000
  const wrong = pusherTo(t, api, peer.url, 'pass.other')
  await pushRound(wrong)
  t.match(await waiting(), [{ attempts: 2, due: 300_000, error: 'TopicDisallowed' }])
  api.clock.nowMs += 300_000
  const world = pusherTo(t, api, peer.url)
  await pushRound(world)
  t.same(await waiting(), [])
  peer.dropConnections()
  const next = await changedPass(api, 'bb')
  await until(async () => {
    await pushRound(world)
    api.clock.nowMs += 5000
    return (await next.waiting()).length === 0
  })
  t.equal(peer.taken(), 2)
})

test('a certificate of another pass type pushes nothing', async (t) => {
  const peer = await startPeer(t)
  const { authority } = issuer.certificates
  const certificates = {
    certificate: pem(paths.pushCertificate),
    key: pem(paths.pushKey),
    authority,
  }
  const { passType } = issuer
  const pushed = { url: peer.url, clock: systemClock }
  const service = openPushService({ ...pushed, issuer: { certificates, passType }, authority })
  t.teardown(() => service.close())
  t.match(await service.push('ab'), { kind: 'refused' })
  const untrusting = openPushService({ ...pushed, issuer, authority: null })
  t.teardown(() => untrusting.close())
  t.match(await untrusting.push('ab'), { kind: 'later', reason: /SIGNATURE|CERT/ })
  t.equal(peer.taken(), 0)
})

test('many pushes use one connection', async (t) => {
  const api = await start()
  const peer = await startPeer(t)
  const { service } = pusherTo(t, api, peer.url)
  const outcomes = await Promise.all(
    // Some prefixes of a token ask the peer for an error.
    Array.from({ length: 600 }, () => service.push('ff' + randomBytes(31).toString('hex'))),
  )
  t.equal(outcomes.filter(({ kind }) => kind === 'taken').length, 600)
  t.equal(peer.taken(), 600)
  t.equal(peer.connections(), 1)
})

process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
