// Where commands find the service and its credentials, and their sentences about wrong options.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { startPeerServer } from '../../scripts/peer-http.ts'
import { type Located, locateReader, locateService } from '../../scripts/simulate/locate.ts'
import { newApiKey } from '../../shared/api-key.ts'

const [OWN, GIVEN] = [newApiKey('secret', 'sandbox'), newApiKey('secret', 'sandbox')]

const SEEDED = {
  cards: {},
  network: { key_id: 'nkey_1', secret: 'nsec_' + 'a'.repeat(44) },
  keys: { read: OWN, write: OWN, admin: OWN },
  realtime_endpoint: { id: 'we_1', secret: 'whsec_1' },
}

function seededIn(dataDir: string): string {
  writeFileSync(join(dataDir, 'sandbox-secrets.json'), JSON.stringify(SEEDED))
  return dataDir
}

test('a wrong option is one sentence that names it', async (t) => {
  const dataDir = seededIn(t.testdir({ empty: {} }))
  const refusals: readonly (readonly [Located, RegExp])[] = [
    [{ api: 'nowhere' }, /^--api must be an http/],
    [{ engine: 'ftp://x' }, /^--engine must be an http/],
    [{ iso: 'x' }, /^--iso must be HOST:PORT/],
    [{ key: 'x' }, /^--key must be the secret key/],
    [{ 'network-secret': 'x' }, /^--network-secret must be/],
    [{ api: 'http://127.0.0.1:9' }, /^No API answers at http:.*; name it with --api\.$/],
    [{ 'data-dir': join(dataDir, 'empty') }, /npm run seed/],
  ]
  for (const [options, error] of refusals) {
    const refused = await locateService({ 'data-dir': dataDir, ...options })
    t.match(refused, { ok: false, error }, JSON.stringify(options))
    t.notMatch(!refused.ok && refused.error, '\n')
  }
  t.match(locateReader({ key: 'x' }), { ok: false, error: /^--key must be the secret key/ })
})

test('options win over what the seed wrote', async (t) => {
  const dataDir = seededIn(t.testdir())
  const asked: unknown[] = []
  const service = await startPeerServer(0, ({ headers }) => {
    asked.push(headers.authorization)
    return { status: 200, body: { url: 'http://127.0.0.1/tenant' } }
  })
  t.teardown(() => service.close())
  const options = { 'data-dir': dataDir, api: service.url, iso: '127.0.0.1:8583', key: GIVEN }
  const located = await locateService(options)
  t.match(located, {
    ok: true,
    value: {
      dataDir,
      sandbox: {
        api_url: service.url,
        engine_iso: { host: '127.0.0.1', port: 8583 },
        network: SEEDED.network,
        keys: { read: GIVEN, write: GIVEN, admin: GIVEN },
        realtime_endpoint: { id: 'we_1', url: 'http://127.0.0.1/tenant' },
      },
    },
  })
  t.same(asked, ['Bearer ' + GIVEN])
  const reader = { dataDir, apiUrl: service.url }
  t.same(locateReader({ 'data-dir': dataDir, api: service.url }), {
    ok: true,
    value: { ...reader, key: OWN },
  })
})

test('a key that the API refuses is told of with the API’s reason', async (t) => {
  const error = { type: 'authentication', code: 'key_unknown', message: 'No such key.' }
  const service = await startPeerServer(0, () => ({ status: 401, body: { error } }))
  t.teardown(() => service.close())
  const located = await locateService({ 'data-dir': seededIn(t.testdir()), api: service.url })
  t.match(located, {
    ok: false,
    error: /^The API at \S+ refuses the key: key_unknown: No such key/,
  })
})
