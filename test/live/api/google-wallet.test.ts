// Google's wallet over its own protocols: our own wallet speaks them, over real HTTP and with real
// signatures.

import { createPublicKey, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJwt, jwtVerify } from 'jose'
import sharp from 'sharp'
import { type Test, test } from 'tap'
import { type TxSql, tx } from '../../../api/database/transaction.ts'
import { createServer } from '../../../api/http/server.ts'
import { purgeGoogleCallbacks } from '../../../api/passes/jobs.ts'
import {
  PASS_PAGE_PATH,
  recordInstalled,
  recordRemoved,
  templateFollower,
} from '../../../api/passes/passes/index.ts'
import { readGoogleIssuer } from '../../../api/passes/wallets/google/account.ts'
import {
  type GooglePushWorld,
  googlePushJob,
  googleRound,
} from '../../../api/passes/wallets/google/pump.ts'
import { openShow } from '../../../api/passes/wallets/google/show.ts'
import { openWalletApi } from '../../../api/passes/wallets/google/wallet-api.ts'
import {
  CallbackSigner,
  type SignedMessage,
} from '../../../scripts/google-wallet-peer/callback-signer.ts'
import { problem } from '../../../scripts/google-wallet-peer/resources.ts'
import { ensureAccount } from '../../../scripts/start/google-wallet.ts'
import { createLog } from '../../../shared/log.ts'
import { type Answer, MASTER_KEYS, type TestApi, testServices } from '../../harness/api.ts'
import { behindEachOther } from '../../harness/behind-each-other.ts'
import { ISSUER_ID, settingsOf, startTestGoogle } from '../../harness/google-wallet.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob, startJob } from '../../harness/jobs.ts'
import { caller, done, eventsOf, issuePass, makeTemplate } from '../../harness/passes.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

const google = await startTestGoogle()
const { peer, issuer, time } = google
file.teardown(() => google.close())
const silent = createLog({ name: 'test', level: 'silent' })
const CALLBACKS = '/wallets/google/callbacks'
const HOUR_MS = 3_600_000

async function start(): Promise<TestApi> {
  const api = await startIssuingApi({ google: issuer })
  google.serve(api.url)
  time.nowMs = api.clock.nowMs
  peer.calls.length = 0
  return api
}

function wait(api: TestApi, ms: number): void {
  api.clock.nowMs += ms
  time.nowMs += ms
}

const objectOf = (passId: string): string => ISSUER_ID + '.' + passId

/** The target of the holder's link. */
async function linkOf(api: TestApi, passId: string): Promise<string> {
  const answer = await api.call('GET', '/wallets/google/passes/' + passId)
  if (answer.status !== 302) throw new Error(answer.status + ' ' + answer.text)
  return answer.headers.get('location') ?? ''
}

/** A holder follows the link and presses the button; resolves when Google has called back. */
async function save(api: TestApi, passId: string, holder = 'ada'): Promise<string> {
  const link = await linkOf(api, passId)
  const response = await fetch(link + '?holder=' + holder, { method: 'POST' })
  if (response.status !== 200) throw new Error(await response.text())
  await peer.holders.settled()
  return link
}

async function remove(passId: string, holder = 'ada'): Promise<void> {
  const url = peer.url + '/holders/' + holder + '/' + objectOf(passId)
  if (!(await fetch(url, { method: 'DELETE' })).ok) throw new Error('not held')
  await peer.holders.settled()
}

async function statusOf(api: TestApi, passId: string): Promise<[string, string | null]> {
  const { status, platform } = done(await caller(api).get('passes/' + passId))
  return [status, platform]
}

async function told(api: TestApi, passId: string): Promise<string[]> {
  const path = '/v1/events?order=asc&limit=100&resource_id=' + passId
  const answer = done(await api.call('GET', path, { key: api.tenant.keys.read }))
  return answer.data.map(({ type }: Answer['body']) => type)
}

/** The dispatcher's part, one round at a time. */
function pusherOf(t: Test, api: TestApi): GooglePushWorld {
  const { clock } = google
  const wallet = openWalletApi(issuer, clock)
  t.teardown(() => wallet.close())
  const publicUrl = 'https://svc.test'
  const show = openShow({ sql: api.sql, clock, issuer, api: wallet, publicUrl })
  return { sql: api.sql, clock, log: silent, google: show, ratePerS: 20 }
}

const refusalOf = ({ status, body }: Answer): unknown[] => [
  status,
  body?.error.code,
  body?.error.param,
]

test('settings are checked together, and a fault is named without the key', (t) => {
  const directory = t.testdir()
  const path = ensureAccount(directory, 'https://oauth2.googleapis.com/token')
  const settings = settingsOf(path, 'https://google.test')
  const read = (change: object): [unknown, string] => {
    const problems: string[] = []
    return [readGoogleIssuer({ ...settings, ...change }, problems), problems.join(' ')]
  }
  const [found, none] = read({})
  t.match(found, {
    issuerId: ISSUER_ID,
    apiUrl: 'https://google.test',
    payUrl: 'https://google.test',
    ratePerS: 20,
  })
  t.equal(none, '')
  t.same(read({ SVC_GOOGLE_WALLET_ACCOUNT: null, SVC_GOOGLE_WALLET_ISSUER: null }), [null, ''])
  for (const name of ['SVC_GOOGLE_WALLET_ACCOUNT', 'SVC_GOOGLE_WALLET_ISSUER'])
    t.match(read({ [name]: null })[1], 'need both')
  t.match(read({ SVC_GOOGLE_WALLET_ACCOUNT: '/nowhere' })[1], 'ENOENT')
  const live = { SVC_ENVIRONMENT: 'live', SVC_PUBLIC_URL: 'https://svc.test' }
  t.equal(read(live)[1], '')
  for (const change of [
    { SVC_GOOGLE_WALLET_URL: 'http://google.test' },
    { SVC_GOOGLE_PAY_URL: 'http://google.test' },
    { SVC_PUBLIC_URL: null },
  ])
    t.match(read({ ...live, ...change })[1], Object.keys(change)[0] + '')
  const account = JSON.parse(readFileSync(path, 'utf8'))
  for (const change of [
    { type: 'authorized_user' },
    { private_key: account.private_key.slice(0, -200) },
    { token_uri: 'ftp://x' },
    { client_email: undefined },
  ]) {
    const other = join(directory, 'other.json')
    writeFileSync(other, JSON.stringify({ ...account, ...change }))
    const [, said] = read({ SVC_GOOGLE_WALLET_ACCOUNT: other })
    t.match(said, 'not the JSON key file')
    t.notMatch(said, 'PRIVATE')
  }
  t.same(
    JSON.parse(readFileSync(ensureAccount(directory, 'http://127.0.0.1:2/token'), 'utf8')),
    { ...account, token_uri: 'http://127.0.0.1:2/token' },
    'the key stays where tokens move',
  )
  t.end()
})

test('without an account there is no link and no callback', async (t) => {
  const api = await start()
  const parts = { sql: api.sql, masterKeys: MASTER_KEYS, clock: google.clock }
  const server = createServer(testServices({ ...parts, client: null as never }))
  t.teardown(() => server.close())
  const { id } = await issuePass(api)
  for (const [method, url] of [
    ['GET', '/wallets/google/passes/' + id],
    ['POST', CALLBACKS],
  ] as const) {
    const { statusCode, payload } = await server.inject({ method, url, headers: { host: 'x' } })
    t.same([statusCode, JSON.parse(payload).error.code], [404, 'route_not_found'])
  }
})

test('a link is short, signed by the account, and names an existing object', async (t) => {
  const api = await start()
  const pass = await issuePass(api, { values: { points: '7' }, holder_name: 'Ada' })
  const answer = await api.call('GET', '/wallets/google/passes/' + pass.id)
  t.equal(answer.status, 302)
  t.equal(answer.headers.get('cache-control'), 'private, no-store')
  const link = answer.headers.get('location') ?? ''
  t.ok(link.startsWith(peer.url + '/gp/v/save/'))
  const token = link.slice((peer.url + '/gp/v/save/').length)
  t.ok(token.length < 1800, String(token.length))
  const { payload, protectedHeader } = await jwtVerify(token, createPublicKey(issuer.key), {
    algorithms: ['RS256'],
    audience: 'google',
    issuer: issuer.email,
    currentDate: new Date(time.nowMs),
  })
  t.equal(protectedHeader.kid, issuer.keyId)
  t.same(payload, {
    iss: issuer.email,
    aud: 'google',
    typ: 'savetowallet',
    iat: Math.floor(time.nowMs / 1000),
    payload: { genericObjects: [{ id: objectOf(pass.id) }] },
  })
  t.same(Object.keys(decodeJwt(token)).sort(), ['aud', 'iat', 'iss', 'payload', 'typ'])
  t.equal((await fetch(link)).status, 200, 'its page is there')
  t.same(
    peer.calls.map(({ method, kind, status }) => [method, kind, status]),
    [
      ['POST', 'genericClass', 200],
      ['POST', 'genericObject', 200],
    ],
  )
  await Promise.all([1, 2, 3, 4].map(() => linkOf(api, pass.id)))
  await issuePass(api, { template_id: pass.template_id }).then(({ id }) => linkOf(api, id))
  t.equal(peer.calls.length, 3, 'what is there is not brought again')
})

test('class and object contain the fields of template and pass', async (t) => {
  const api = await start()
  const logo = done(await caller(api).post('pass_images', { role: 'logo', data: await picture() }))
  const strip = done(
    await caller(api).post('pass_images', { role: 'strip', data: await picture() }),
  )
  const template = await makeTemplate(api, {
    images: { logo: logo.id, strip: strip.id },
    expires_at: '2027-01-01T00:00:00Z',
    locations: [{ latitude: 52.5, longitude: 13.4 }],
    localizations: { de: { Points: 'Punkte' } },
  })
  const pass = await issuePass(api, {
    template_id: template.id,
    values: { points: '7' },
    holder_name: 'Ada',
  })
  await linkOf(api, pass.id)
  const object = peer.resources.get(objectOf(pass.id))
  const words = (value: string) => ({ defaultValue: { language: 'en', value } })
  const image = (id: string, text: string) => ({
    sourceUri: { uri: 'https://svc.test' + PASS_PAGE_PATH + 'images/' + id + '/3.png' },
    contentDescription: words(text),
  })
  t.same(object, {
    id: objectOf(pass.id),
    classId: objectOf(template.id),
    genericType: 'GENERIC_LOYALTY_CARD',
    state: 'ACTIVE',
    cardTitle: words('Shop'),
    subheader: {
      ...words('Points'),
      translatedValues: [{ language: 'de', value: 'Punkte' }],
    },
    header: words('7'),
    hexBackgroundColor: '#003366',
    wideLogo: image(logo.id, 'Shop'),
    heroImage: image(strip.id, 'Membership card of Shop'),
    barcode: { type: 'QR_CODE', value: pass.payload, renderEncoding: 'UTF_8' },
    validTimeInterval: { end: { date: '2027-01-01T00:00:00.000Z' } },
    textModulesData: [{ id: 'holder', header: 'Member', body: 'Ada' }],
  })
  t.same(peer.resources.get(objectOf(template.id)), {
    id: objectOf(template.id),
    multipleDevicesAndHoldersAllowedStatus: 'MULTIPLE_HOLDERS',
    callbackOptions: { url: 'https://svc.test' + CALLBACKS },
    classTemplateInfo: {
      cardTemplateOverride: {
        cardRowTemplateInfos: [
          {
            oneItem: {
              item: { firstValue: { fields: [{ fieldPath: "object.textModulesData['holder']" }] } },
            },
          },
        ],
      },
    },
    textModulesData: [{ id: 'terms', header: 'Terms', body: 'Be kind.' }],
    merchantLocations: [{ latitude: 52.5, longitude: 13.4 }],
  })
})

async function picture(): Promise<string> {
  const create = { width: 1200, height: 500, channels: 3, background: '#cc3300' } as const
  return (await sharp({ create }).png().toBuffer()).toString('base64')
}

test('a holder saves a pass, hears of a change and deletes it, each announced once', async (t) => {
  const api = await start()
  const { clock } = google
  const publicUrl = 'https://svc.test'
  startJob(t, googlePushJob(issuer, { sql: api.sql, clock, publicUrl }), api.sql)
  const { id } = await issuePass(api, { values: { points: '7' } })
  const header = (): unknown => peer.resources.get(objectOf(id))?.['header']
  await save(api, id)
  t.same(await statusOf(api, id), ['installed', 'google'])
  t.match(header(), { defaultValue: { value: '7' } })

  wait(api, 5000)
  done(await caller(api).patch('passes/' + id, { values: { points: '8' } }))
  await until(async () => JSON.stringify(header()).includes('"8"'))
  await until(async () => (await waiting(api, id)).length === 0)

  await remove(id)
  t.same(await statusOf(api, id), ['removed', 'google'])
  t.same(await told(api, id), ['pass.created', 'pass.installed', 'pass.updated', 'pass.removed'])
  wait(api, 1000)
  await save(api, id)
  t.same(await statusOf(api, id), ['installed', 'google'], 'it may come back')
})

function waiting(api: TestApi, passId: string) {
  return api.sql<{ attempts: number; due: number; error: string | null }[]>`
    select attempts, due_at - ${api.clock.nowMs}::bigint as due, last_error as error
    from pass_pushes where pass_id = ${passId} and platform = 'google'`
}

test('the first of several holders installs a pass and the last removes it', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  for (const holder of ['ada', 'bob', 'bob', 'eve']) await save(api, id, holder)
  for (const holder of ['ada', 'eve']) await remove(id, holder)
  t.same(await statusOf(api, id), ['installed', 'google'])
  await remove(id, 'bob')
  t.same(await statusOf(api, id), ['removed', 'google'])
  t.same(await told(api, id), ['pass.created', 'pass.installed', 'pass.removed'])
})

/** A message as Google would write it, about a pass. */
function messageOf(passId: string, eventType: string, more: object = {}): object {
  const [classId, objectId] = [objectOf('ptpl_1'), objectOf(passId)]
  const expTimeMillis = time.nowMs + HOUR_MS
  const nonce = randomUUID()
  return { classId, objectId, eventType, expTimeMillis, count: 1, nonce, ...more }
}

function tell(api: TestApi, body: SignedMessage | object): Promise<Answer> {
  return api.call('POST', CALLBACKS, { body })
}

test('a repeated callback counts once, also concurrently', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  const saved = peer.signer.sign(messageOf(id, 'save'), ISSUER_ID)
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => tell(api, saved)))
  t.same(
    answers.map(({ status, body }) => [status, body.received]),
    answers.map(() => [200, true]),
  )
  t.same(await statusOf(api, id), ['installed', 'google'])
  t.equal((await tell(api, peer.signer.sign(messageOf(id, 'del'), ISSUER_ID))).status, 200)
  t.same(await statusOf(api, id), ['removed', 'google'], 'nobody has it, says Google')
  t.equal((await tell(api, saved)).status, 200)
  t.same(await statusOf(api, id), ['removed', 'google'], 'a replay changes nothing')
  t.same(await told(api, id), ['pass.created', 'pass.installed', 'pass.removed'])
})

test('a save older than a deletion installs nothing', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  await linkOf(api, id)
  const early = peer.signer.sign(messageOf(id, 'save', { nonce: 'early' + id }), ISSUER_ID)
  wait(api, 1000)
  t.equal((await tell(api, peer.signer.sign(messageOf(id, 'del'), ISSUER_ID))).status, 200)
  t.equal((await tell(api, early)).status, 200)
  t.same(await statusOf(api, id), ['active', null])
  peer.troubles.push(problem(503, 'backendError', 'Later.'))
  const other = peer.signer.sign(
    messageOf(id, 'save', { expTimeMillis: time.nowMs + HOUR_MS - 500 }),
    ISSUER_ID,
  )
  t.same(refusalOf(await tell(api, other)), [503, 'dependency_unavailable', null])
  await save(api, id)
  t.same(await statusOf(api, id), ['installed', 'google'])
})

test('concurrent callbacks leave the state that Google reports', async (t) => {
  const api = await start()
  const signed = (passId: string, eventType: string) =>
    peer.signer.sign(messageOf(passId, eventType), ISSUER_ID)
  const cross = async (passId: string, first: SignedMessage, second: SignedMessage) => {
    const hold = (sql: TxSql) => sql`select from passes where id = ${passId} for update`
    const calls = [first, second].map((message) => () => tell(api, message))
    for (const answer of await behindEachOther(api.sql, hold, calls)) done(answer)
  }
  const gone = await issuePass(api)
  await linkOf(api, gone.id)
  const early = signed(gone.id, 'save')
  wait(api, 1000)
  await cross(gone.id, signed(gone.id, 'del'), early)
  t.same(await statusOf(api, gone.id), ['active', null], 'nobody has it')

  const held = await issuePass(api)
  await linkOf(api, held.id)
  const [classId, objectId] = [objectOf(held.template_id), objectOf(held.id)]
  peer.holders.save('ada', { classId, objectId, callbackUrl: null })
  await cross(held.id, signed(held.id, 'save'), signed(held.id, 'del'))
  t.same(await statusOf(api, held.id), ['installed', 'google'], 'another deleted it')
  t.same(await told(api, held.id), ['pass.created', 'pass.installed'])
})

test('a forged, expired, misdirected or unknown callback is refused and changes nothing', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  const good = (more: object = {}) => peer.signer.sign(messageOf(id, 'save', more), ISSUER_ID)
  const stranger = new CallbackSigner(google.clock).sign(messageOf(id, 'save'), ISSUER_ID)
  const forged = good()
  const signed = messageOf(id, 'save')
  const cases: readonly [string, object, unknown[]][] = [
    [
      'another message',
      { ...forged, signedMessage: JSON.stringify(signed) },
      [401, 'invalid_signature', null],
    ],
    ['another’s keys', stranger, [401, 'invalid_signature', null]],
    ['another issuer', peer.signer.sign(signed, ISSUER_ID + '9'), [401, 'invalid_signature', null]],
    ['expired', good({ expTimeMillis: time.nowMs }), [401, 'timestamp_out_of_tolerance', null]],
    ['no event', good({ eventType: 'view' }), [400, 'parameter_invalid', null]],
    ['no pass', good({ objectId: objectOf('pass_none') }), [404, 'resource_missing', 'objectId']],
    ['no object', good({ objectId: '99.' + id }), [404, 'resource_missing', 'objectId']],
    [
      'protocol',
      { ...good(), protocolVersion: 'ECv2' },
      [400, 'parameter_invalid', 'protocolVersion'],
    ],
    ['no signature', { ...good(), signature: undefined }, [400, 'parameter_missing', 'signature']],
    ['too much', { ...good(), padding: 'x'.repeat(20_000) }, [413, 'payload_too_large', null]],
  ]
  for (const [name, body, expected] of cases)
    t.same(refusalOf(await tell(api, body)), expected, name)
  t.same(refusalOf(await api.call('POST', CALLBACKS, { raw: 'x' })), [
    415,
    'unsupported_media_type',
    null,
  ])
  t.same(refusalOf(await api.call('GET', CALLBACKS)), [405, 'method_not_allowed', null])
  t.same(await statusOf(api, id), ['active', null])
  t.same(await told(api, id), ['pass.created'])
  t.equal((await tell(api, good())).status, 200)
})

test('changed keys of Google are fetched again, but not for every forgery', async (t) => {
  const api = await start()
  const [one, two] = [await issuePass(api), await issuePass(api)]
  await save(api, one.id)
  wait(api, 60_000)
  const former = peer.signer.sign(messageOf(two.id, 'del'), ISSUER_ID)
  await fetch(peer.url + '/gp/m/issuer/keys', { method: 'POST' })
  await save(api, two.id)
  t.same(await statusOf(api, two.id), ['installed', 'google'], 'new keys')
  t.equal((await tell(api, former)).status, 200, 'the former ones count for a day')
  peer.signer.rotate()
  const newest = peer.signer.sign(messageOf(one.id, 'save'), ISSUER_ID)
  t.same(refusalOf(await tell(api, newest)), [401, 'invalid_signature', null])
  wait(api, 11_000)
  t.equal((await tell(api, newest)).status, 200)
  wait(api, 8 * 24 * HOUR_MS)
  const expired = peer.signer.sign(messageOf(one.id, 'save'), ISSUER_ID)
  t.same(refusalOf(await tell(api, expired)), [401, 'timestamp_out_of_tolerance', null])
  peer.signer.rotate()
})

test('a pass on both platforms is installed once, and removed with the last of them', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  const phone = {
    ...{ passId: id, platform: 'apple' as const, deviceId: 'd1', pushToken: 'ab' },
    ...{ now: api.clock.nowMs, publicUrl: 'https://svc.test' },
  }
  await save(api, id)
  await tx(api.sql, (sql) => recordInstalled(sql, phone))
  t.same(await statusOf(api, id), ['installed', 'google'])
  await remove(id)
  t.same(await statusOf(api, id), ['installed', 'apple'])
  await tx(api.sql, (sql) => recordRemoved(sql, phone))
  t.same(await told(api, id), ['pass.created', 'pass.installed', 'pass.updated', 'pass.removed'])
})

test('a new version of a template reaches its class once, and its saved passes', async (t) => {
  const api = await start()
  const world = pusherOf(t, api)
  const template = await makeTemplate(api)
  const saved = []
  for (let count = 0; count < 3; count++) {
    const { id } = await issuePass(api, { template_id: template.id })
    await save(api, id)
    saved.push(id)
  }
  const { id: unsaved } = await issuePass(api, { template_id: template.id })
  await googleRound(world)
  peer.calls.length = 0
  const change = { colors: { background: '#aa0000' } }
  wait(api, 5000)
  done(await caller(api).patch('pass_templates/' + template.id, change))
  await runJob(templateFollower('https://svc.test'), { sql: api.sql, now: api.clock.nowMs })
  t.equal(await googleRound({ ...world, ratePerS: 2 }), 2)
  t.equal(peer.calls.filter(({ kind }) => kind === 'genericObject').length, 2)
  await googleRound({ ...world, ratePerS: 2 })
  t.same(peer.calls.filter(({ kind }) => kind === 'genericClass').length, 1)
  t.same(
    peer.calls
      .filter(({ kind }) => kind === 'genericObject')
      .map(({ id }) => id)
      .sort(),
    saved.map(objectOf).sort(),
  )
  for (const id of saved)
    t.equal(peer.resources.get(objectOf(id))?.['hexBackgroundColor'], '#aa0000')
  t.equal(peer.resources.has(objectOf(unsaved)), false)
  const [row] = await api.sql<{ shown: number }[]>`
    select google_class_version as shown from pass_templates where id = ${template.id}`
  t.equal(row?.shown, 2)
})

test('a revoked pass is shown as ended, and cannot be saved anew', async (t) => {
  const api = await start()
  const world = pusherOf(t, api)
  const { id } = await issuePass(api)
  const link = await save(api, id)
  done(await caller(api).post('passes/' + id + '/revoke', { reason: 'lost' }))
  await googleRound(world)
  t.equal(peer.resources.get(objectOf(id))?.['state'], 'INACTIVE')
  t.same(refusalOf(await api.call('GET', '/wallets/google/passes/' + id)), [
    404,
    'resource_missing',
    null,
  ])
  t.same(refusalOf(await api.call('GET', '/wallets/google/passes/pass_none')), [
    404,
    'resource_missing',
    null,
  ])
  // A link lasts: an older one saves the pass in its present state.
  const other = await issuePass(api)
  await linkOf(api, other.id)
  done(await caller(api).post('passes/' + other.id + '/revoke', { reason: 'lost' }))
  wait(api, 24 * HOUR_MS)
  t.ok(
    peer.holders.save('bob', {
      classId: objectOf(other.template_id),
      objectId: objectOf(other.id),
      callbackUrl: api.url + CALLBACKS,
    }),
  )
  await peer.holders.settled()
  await googleRound(world)
  t.equal(peer.resources.get(objectOf(other.id))?.['state'], 'INACTIVE')
  t.ok(link.length > 0)
  const expired = await issuePass(api, { expires_at: new Date(time.nowMs - 1000).toISOString() })
  await linkOf(api, expired.id)
  t.equal(peer.resources.get(objectOf(expired.id))?.['state'], 'EXPIRED')
})

test('a change that Google cannot take now is sent later, and only then removed', async (t) => {
  const api = await start()
  const world = pusherOf(t, api)
  const { id } = await issuePass(api, { values: { points: '1' } })
  await save(api, id)
  wait(api, 5000)
  done(await caller(api).patch('passes/' + id, { values: { points: '2' } }))
  peer.troubles.push({
    ...problem(429, 'rateLimitExceeded', 'Slower.'),
    headers: { 'retry-after': '7' },
  })
  await googleRound(world)
  t.same(await waiting(api, id), [{ attempts: 1, due: 7000, error: 'rateLimitExceeded' }])
  wait(api, 7000)
  peer.troubles.push(problem(503, 'backendError', 'Away.'))
  await googleRound(world)
  t.same(await waiting(api, id), [{ attempts: 2, due: 2000, error: 'backendError' }])
  wait(api, 2000)
  peer.troubles.push(problem(403, 'permissionDenied', 'Whose?'))
  await googleRound(world)
  t.same(await waiting(api, id), [{ attempts: 3, due: 300_000, error: 'permissionDenied' }])
  wait(api, 300_000)
  await googleRound(world)
  t.same(await waiting(api, id), [])
  t.match(peer.resources.get(objectOf(id)), { header: { defaultValue: { value: '2' } } })
})

test('a link waits for Google, and reports if Google refuses the pass', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  peer.troubles.push(problem(500, 'backendError', 'Away.'))
  const answer = await api.call('GET', '/wallets/google/passes/' + id)
  t.same(refusalOf(answer), [503, 'dependency_unavailable', null])
  t.ok(answer.headers.get('retry-after'))
  t.ok(await linkOf(api, id))
})

test('a difference between Google’s objects and ours is repaired', async (t) => {
  const api = await start()
  const world = pusherOf(t, api)
  const { id, template_id } = await issuePass(api)
  await save(api, id)
  const resources = peer.resources as Map<string, unknown>
  resources.delete(objectOf(template_id))
  resources.delete(objectOf(id))
  wait(api, 5000)
  done(await caller(api).patch('passes/' + id, { holder_name: 'Bob' }))
  await googleRound(world)
  t.same(await waiting(api, id), [])
  t.ok(resources.has(objectOf(template_id)) && resources.has(objectOf(id)))
  await api.sql`update pass_templates set google_class_version = 0 where id = ${template_id}`
  const next = await issuePass(api, { template_id })
  await linkOf(api, next.id)
  t.same(
    peer.calls.slice(-3).map(({ method, status }) => [method, status]),
    [
      ['POST', 409],
      ['PUT', 200],
      ['POST', 200],
    ],
    'what exists is replaced',
  )
})

test('an access token is requested once, and again after expiry or revocation', async (t) => {
  const api = await start()
  const world = pusherOf(t, api)
  const before = peer.access.granted
  const change = async (): Promise<void> => {
    const { id } = await issuePass(api)
    await Promise.all([world.google.show(id), world.google.show(id)])
  }
  await change()
  await change()
  t.equal(peer.access.granted - before, 1)
  wait(api, HOUR_MS)
  await change()
  t.equal(peer.access.granted - before, 2)
  peer.access.revokeAll()
  await change()
  t.equal(peer.access.granted - before, 3)
})

test('callbacks are deleted once they have expired', async (t) => {
  const api = await start()
  const { id } = await issuePass(api)
  const saved = peer.signer.sign(messageOf(id, 'save'), ISSUER_ID)
  await tell(api, saved)
  const forget = (ms: number) => {
    const now = api.clock.nowMs + ms
    return runJob(purgeGoogleCallbacks, { sql: api.sql, now })
  }
  const known = async (): Promise<number> =>
    (await api.sql`select from google_callbacks where pass_id = ${id}`).length
  await forget(HOUR_MS)
  t.equal(await known(), 1, 'a replay may still come')
  await forget(3 * HOUR_MS)
  t.equal(await known(), 0)
  wait(api, HOUR_MS)
  t.same(refusalOf(await tell(api, saved)), [401, 'timestamp_out_of_tolerance', null])
  t.equal((await eventsOf(api, id, 'pass.installed')).length, 1)
})
