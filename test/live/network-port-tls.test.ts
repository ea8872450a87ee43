// The network port behind TLS: the accepted clients, versions and suites, and the errors at start
// for wrong files.
import { spawn } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { connect, createServer, type SecureVersion, type TLSSocket } from 'node:tls'
import { type Test, test } from 'tap'
import { clientGate, nodeServerTls, readTls, type Tls } from '../../engine/listeners/tls.ts'
import { readStartConfig } from '../../scripts/start/config.ts'
import { sleep } from '../../shared/clock.ts'
import type { ClientRule } from '../../shared/settings.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { RSA_CERTIFICATE, RSA_KEY } from '../fakes/network-certificates.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import {
  NETWORK_SECRET,
  newMessage,
  pushConfig,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'

const GOOD = { cert: TENANT_CERTIFICATES.good, key: TENANT_KEY }
const RSA = { cert: RSA_CERTIFICATE, key: RSA_KEY }
/** Lets the client offer suites that it would otherwise omit. */
const WEAK = '@SECLEVEL=0'

interface Files {
  cert?: string
  key?: string
  clientCa?: string
  clientRules?: readonly ClientRule[]
}

/** The settings for these PEM texts, written to files. */
function settingsOf(t: Test, files: Files) {
  const directory = t.testdir()
  const write = (name: string, text: string | undefined): string | null => {
    if (text === undefined) return null
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  return {
    SVC_ENGINE_TLS_CERT: write('cert.pem', files.cert),
    SVC_ENGINE_TLS_KEY: write('key.pem', files.key),
    SVC_ENGINE_TLS_CLIENT_CA: write('ca.pem', files.clientCa),
    SVC_ENGINE_TLS_CLIENTS: files.clientRules ?? [],
  }
}

function tlsOf(t: Test, files: Files): Tls {
  const read = readTls(settingsOf(t, files))
  if (!read.ok || read.value === null) throw new Error(JSON.stringify(read))
  return read.value
}

interface Client {
  cert?: string
  key?: string
  minVersion?: SecureVersion
  maxVersion?: SecureVersion
  ciphers?: string
  session?: Buffer
}

interface Exchange {
  /** 0: no answer came. */
  status: number
  text: string
  /** `TLSv1.3 TLS_AES_256_GCM_SHA384`, or the failure. */
  how: string
  /** The header Strict-Transport-Security. */
  hsts?: string | undefined
  session: Buffer | undefined
}

interface Asked {
  path?: string
  keyId?: string
}

/** On a busy machine a disk is sometimes slow: a request that met an overload is sent again. */
async function send(engine: TestEngine, client: Client, asked: Asked = {}): Promise<Exchange> {
  for (let attempt = 1; ; attempt++) {
    const answer = await sendOnce(engine, client, asked)
    if (!answer.text.includes('"code":"overloaded"') || attempt === 50) return answer
    await sleep(50)
  }
}

function sendOnce(engine: TestEngine, client: Client, asked: Asked): Promise<Exchange> {
  const body = JSON.stringify(newMessage())
  const { path = '/v1/network/messages', keyId } = asked
  const post = path.startsWith('/v1')
  const signed = signatureHeader([NETWORK_SECRET], Math.floor(Date.now() / 1000), body)
  return new Promise((resolve) => {
    let session: Buffer | undefined
    const sent = request({
      host: '127.0.0.1',
      port: new URL(engine.url).port,
      path,
      method: post ? 'POST' : 'GET',
      agent: false,
      rejectUnauthorized: false,
      ...client,
      headers: { 'svc-signature': signed, ...(keyId === undefined ? {} : { 'svc-key-id': keyId }) },
    })
    sent.on('response', (response) => {
      const socket = response.socket as TLSSocket
      const how = socket.getProtocol() + ' ' + socket.getCipher().name
      let text = ''
      response.on('data', (bytes) => {
        text += bytes
      })
      const hsts = response.headers['strict-transport-security']
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, how, hsts, session }),
      )
    })
    sent.on('socket', (socket) => {
      socket.on('session', (given: Buffer) => {
        session = given
      })
    })
    sent.on('error', ({ message }) => resolve({ status: 0, text: '', how: message, session }))
    sent.end(post ? body : undefined)
  })
}

test('TLS 1.2 with AEAD suites and TLS 1.3 are accepted, and nothing else', async (t) => {
  const engine = await startEngine(t, { tls: tlsOf(t, RSA) })
  await pushConfig(engine)
  const suites = [
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ]
  const spoken: [client: Client, how: RegExp][] = [
    [{}, /^TLSv1\.3 /],
    [{ minVersion: 'TLSv1.3' }, /^TLSv1\.3 TLS_/],
    [{ maxVersion: 'TLSv1.2' }, /^TLSv1\.2 ECDHE-RSA-(AES\d+-GCM|CHACHA20)/],
    ...suites.map((ciphers): [Client, RegExp] => [
      { maxVersion: 'TLSv1.2', ciphers },
      new RegExp('^TLSv1.2 ' + ciphers),
    ]),
  ]
  for (const [client, how] of spoken) t.match(await send(engine, client), { status: 200, how })
  // CBC, then static RSA with GCM and with CBC.
  const wrong = [
    'ECDHE-RSA-AES128-SHA',
    'ECDHE-RSA-AES256-SHA384',
    'AES128-GCM-SHA256',
    'AES128-SHA',
  ]
  const refused: Client[] = [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT' + WEAK },
    { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT' + WEAK },
    ...wrong.map((name): Client => ({ maxVersion: 'TLSv1.2', ciphers: name + ':' + WEAK })),
  ]
  for (const client of refused) {
    t.match(
      await send(engine, client),
      { status: 0, how: /alert (protocol version|handshake failure)/ },
      JSON.stringify(client),
    )
  }
  const plain = await fetch(engine.url + '/health/live').catch(() => 'no answer')
  t.equal(plain, 'no answer', 'without TLS nobody is understood')
  t.match(await send(engine, {}), { status: 200, hsts: 'max-age=31536000' })
  const { text } = await send(engine, {}, { path: '/metrics' })
  const failed = /^svc_tls_handshakes_failed_total\{port="http",reason="protocol"\} (\d+)$/m
  t.equal(Number(failed.exec(text)?.[1]), refused.length + 1, 'each failed handshake is counted')
})

test('an authority limits the port to its clients', async (t) => {
  const engine = await startEngine(t, { tls: tlsOf(t, { ...GOOD, clientCa: TEST_AUTHORITY }) })
  await pushConfig(engine)
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const sendWith = (cert: string, session?: Buffer): Promise<Exchange> =>
      send(engine, {
        maxVersion,
        cert,
        key: TENANT_KEY,
        ...(session === undefined ? {} : { session }),
      })
    const { good, selfSigned, expired } = TENANT_CERTIFICATES
    const right = await sendWith(good)
    t.match(right, { status: 200, text: /"approved":true/ }, maxVersion)
    t.match(await send(engine, { maxVersion }), { status: 401, text: /certificate_required/ })
    t.equal((await sendWith(selfSigned)).status, 0, maxVersion + ': another authority')
    t.equal((await sendWith(expired)).status, 0, maxVersion + ': expired')
    t.ok(right.session !== undefined)
    t.match(await sendWith(good, right.session), { status: 200 }, maxVersion + ': resumed')
  }
  t.equal((await engine.entries()).length, 4, 'who was refused left no trace')
  t.match(await send(engine, {}, { path: '/health/live' }), { status: 200 }, 'a probe needs none')
  t.match(await send(engine, {}, { path: '/health/ready' }), { status: 200 })
  t.match(await send(engine, {}, { path: '/metrics' }), {
    status: 401,
    text: /certificate_required/,
  })
  t.match(await send(engine, GOOD, { path: '/metrics' }), { status: 200, text: /svc_ready 1/ })
})

test('a network key may be bound to its clients', async (t) => {
  const keyId = 'nk_1'
  const other = { cert: TENANT_CERTIFICATES.otherName, key: TENANT_KEY }
  const refused = { status: 401, text: /certificate_refused/ }
  const fingerprint = new X509Certificate(GOOD.cert).fingerprint256
  for (const client of ['tenant.test', 'sha256:' + fingerprint.replaceAll(':', '').toLowerCase()]) {
    const tls = tlsOf(t, { ...GOOD, clientCa: TEST_AUTHORITY, clientRules: [{ keyId, client }] })
    const engine = await startEngine(t, { tls })
    await pushConfig(engine)
    t.match(await send(engine, GOOD, { keyId }), { status: 200 }, client)
    t.match(await send(engine, other, { keyId }), refused, client + ': another client')
    t.match(await send(engine, GOOD), refused, client + ': a message that names no key')
    t.match(await send(engine, other, { keyId: 'nk_2' }), {
      status: 401,
      text: /invalid_signature/,
    })
  }
})

test('a certificate’s validity is checked with every message', (t) => {
  const problem = (pem: string, nowMs: number): unknown => gate?.problem(pem, nowMs)
  const gate = clientGate(tlsOf(t, { ...GOOD, clientCa: TEST_AUTHORITY }))
  const { expired, good } = TENANT_CERTIFICATES
  t.equal(problem(expired, Date.UTC(2025, 0, 15)), null)
  t.equal(problem(expired, Date.UTC(2025, 1, 2)), 'certificate_refused', 'it ran out meanwhile')
  t.equal(problem(good, Date.UTC(2024, 11, 31)), 'certificate_refused', 'not yet')
  t.equal(problem('', Date.UTC(2026, 0)), 'certificate_required')
  t.equal(problem('no PEM', Date.UTC(2026, 0)), 'certificate_refused')
  t.equal(clientGate(tlsOf(t, GOOD)), null, 'without an authority nobody is asked')
  t.end()
})

test('a server of node:tls follows the same rules', async (t) => {
  const tls = tlsOf(t, { ...RSA, clientCa: TEST_AUTHORITY })
  const server = createServer(nodeServerTls(tls), (socket) => socket.end('hello'))
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const hear = (client: Client): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...client })
      let heard = ''
      socket.on('data', (bytes) => {
        heard += bytes
      })
      socket.on('error', () => resolve('refused'))
      socket.on('close', () => resolve(heard))
    })
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT' + WEAK } as const
  const suite = (name: string): Client => ({ ...GOOD, maxVersion: 'TLSv1.2', ciphers: name })
  t.equal(await hear(GOOD), 'hello')
  t.equal(await hear({ ...GOOD, minVersion: 'TLSv1.3' }), 'hello')
  t.equal(await hear(suite('ECDHE-RSA-AES128-GCM-SHA256')), 'hello')
  t.equal(await hear(suite('ECDHE-RSA-AES128-SHA')), 'refused')
  t.equal(await hear(suite('AES128-GCM-SHA256')), 'refused')
  t.equal(await hear({ ...GOOD, ...old }), 'refused')
  t.not(await hear({}), 'hello', 'no certificate')
  for (const cert of [TENANT_CERTIFICATES.expired, TENANT_CERTIFICATES.selfSigned])
    t.not(await hear({ cert, key: TENANT_KEY }), 'hello')
})

const OTHER_KEY = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey

test('a missing or wrong file is named with its setting', (t) => {
  const clientRules = [{ keyId: 'nk_1', client: 'a.example' }]
  const nothing = { cert: 'x', key: 'secret-word', clientCa: '' }
  const cases: [what: string, files: Files, said: RegExp[]][] = [
    ['no key', { cert: GOOD.cert }, [/^SVC_ENGINE_TLS_CERT needs SVC_ENGINE_TLS_KEY\.$/]],
    ['no certificate', { key: GOOD.key }, [/^SVC_ENGINE_TLS_KEY needs SVC_ENGINE_TLS_CERT\.$/]],
    ['an authority alone', { clientCa: TEST_AUTHORITY }, [/^SVC_ENGINE_TLS_CLIENT_CA needs /]],
    ['rules alone', { clientRules }, [/^SVC_ENGINE_TLS_CLIENTS needs /]],
    ['rules without authority', { ...GOOD, clientRules }, [/^SVC_ENGINE_TLS_CLIENTS needs /]],
    [
      'the key of another',
      { cert: GOOD.cert, key: OTHER_KEY },
      [/^SVC_ENGINE_TLS_KEY \S+ is not the key of the certificate \S+\.$/],
    ],
    [
      'no PEM anywhere',
      nothing,
      [
        /_CERT \S+ holds no PEM certificate/,
        /_KEY \S+ holds no PEM private key/,
        /_CLIENT_CA \S+ holds no PEM certificate/,
      ],
    ],
  ]
  for (const [what, files, said] of cases) {
    const read = readTls(settingsOf(t, files))
    const sentences = read.ok ? [] : read.error
    t.equal(sentences.length, said.length, what)
    t.match(sentences, said, what)
    t.notMatch(sentences.join(), /secret-word|BEGIN/)
  }
  t.same(readTls(settingsOf(t, {})), { ok: true, value: null }, 'nothing configured is no TLS')
  t.end()
})

test('npm start reports that its sandbox speaks without TLS', (t) => {
  t.match(readStartConfig({ SVC_ENGINE_TLS_CERT: '/etc/svc/cert.pem' }), {
    ok: false,
    error: [/^SVC_ENGINE_TLS_CERT is for npm run engine: /],
  })
  for (const setting of ['SVC_API_TLS_CERT', 'SVC_API_TLS_KEY'])
    t.match(readStartConfig({ [setting]: '/etc/svc/file.pem' }), {
      ok: false,
      error: [/^SVC_API_TLS_CERT is for npm run api: /],
    })
  t.end()
})

test('the engine refuses to start with wrong files, and names the reason', async (t) => {
  const settings = settingsOf(t, { cert: GOOD.cert, key: OTHER_KEY })
  const directory = dirname(String(settings.SVC_ENGINE_TLS_CERT))
  const starts: [cert: string, key: string, said: RegExp][] = [
    [
      join(directory, 'missing.pem'),
      directory,
      /^SVC_ENGINE_TLS_CERT \S+missing\.pem cannot be read: ENOENT\.\nSVC_ENGINE_TLS_KEY \S+ cannot be read: EISDIR\.\n$/,
    ],
    [
      String(settings.SVC_ENGINE_TLS_CERT),
      String(settings.SVC_ENGINE_TLS_KEY),
      /^SVC_ENGINE_TLS_KEY \S+ is not the key of the certificate \S+\.\n$/,
    ],
  ]
  for (const [cert, key, said] of starts) {
    const script = new URL('../../engine/main.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script], {
      env: { SVC_DATA_DIR: directory, SVC_ENGINE_TLS_CERT: cert, SVC_ENGINE_TLS_KEY: key },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (bytes) => {
      output += bytes
    })
    t.equal(await new Promise((resolve) => child.once('close', resolve)), 1)
    t.match(output, said)
  }
})
