// The commands for parts that run one by one, all behind TLS: PostgreSQL with an authority of its
// own, api, engine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { type Hanging, HISTORY, RESOURCES } from '../../api/platform/sandbox/wiped-tables.ts'
import { readSandboxSecrets } from '../../scripts/start/sandbox-secrets.ts'
import { newApiKey } from '../../shared/api-key.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import { openPart } from '../faults/part.ts'
import { runNodeScript } from '../faults/script.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { startTestPostgres } from '../harness/postgres.ts'
import { serveTls } from '../harness/postgres-tls.ts'
import { happens } from '../harness/until.ts'

async function startParts(t: Test) {
  const server = await startTestPostgres(t)
  await serveTls(server)
  const directory = mkdtempSync(join(tmpdir(), 'svc-parts-'))
  const file = (name: string, pem: string): string => {
    writeFileSync(join(directory, name), pem, { mode: 0o600 })
    return join(directory, name)
  }
  const authority = file('root.pem', TEST_AUTHORITY)
  const certificate = file('cert.pem', TENANT_CERTIFICATES.good)
  const key = file('key.pem', TENANT_KEY)
  const environment = {
    ...COMPILED,
    PATH: process.env['PATH'],
    DATABASE_URL: server.url + '?sslmode=verify-full&sslrootcert=' + authority,
    SVC_DATA_DIR: directory,
    SVC_API_PORT: String(await freePort()),
    SVC_API_TLS_CERT: certificate,
    SVC_API_TLS_KEY: key,
    SVC_ENGINE_PORT: String(await freePort()),
    SVC_ENGINE_TLS_CERT: certificate,
    SVC_ENGINE_TLS_KEY: key,
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: authority,
  }
  const run = (script: string, words: readonly string[], more = {}) =>
    runNodeScript(script, words, { ...environment, ...more })
  t.match(await run('scripts/migrate.ts', []), { code: 0 })
  t.match(await run('scripts/seed.ts', ['--bootstrap']), { code: 0 })
  const engine = openPart('engine/main.ts', directory, environment)
  const api = openPart('api/main.ts', directory, environment)
  t.teardown(async () => {
    await api.stop()
    await engine.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  await engine.start()
  await api.start()
  const sql = openPool(server.url, { max: 1, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 1 }))
  return { directory, environment, run, sql }
}

type Parts = Awaited<ReturnType<typeof startParts>>

function tablesOf(hanging: readonly Hanging[]): string[] {
  return hanging.flatMap(({ table, with: inner = [] }) => [table, ...tablesOf(inner)])
}

/** Refused calls are left out: the commands' own calls ask for an approval first. */
const TABLES = [...HISTORY, ...RESOURCES]
  .flatMap((root) => [root.table, ...tablesOf(root.with)])
  .filter((table) => table !== 'refused_calls')

/** Rows of every table that a wipe empties, by table. */
async function rowCounts({ sql }: Parts): Promise<{ [table: string]: number }> {
  const counts: { [table: string]: number } = {}
  for (const table of TABLES) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`
    counts[table] = row?.count ?? 0
  }
  return counts
}

/** An answer of a part, over TLS with its own authority. */
function ask(port: string, path: string, key = '', body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const options = { host: '127.0.0.1', port, path, headers, method, ca: TEST_AUTHORITY }
    const asking = request(options, (response) => {
      let text = ''
      response.on('data', (piece) => {
        text += String(piece)
      })
      response.on('end', () => resolve(text))
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

type ListedCard = { id: string; status: string; type: string }

const PURCHASE = {
  amount_cents: 100,
  merchant: { id: 'merch_sim_grocery', mcc: '5411', country: 'US' },
}

/** Every card of the tenant by id, with as few calls as a list needs. */
async function listedCards(port: string, key: string): Promise<Map<string, ListedCard>> {
  const listed = new Map<string, ListedCard>()
  let cursor: string | null = null
  do {
    const after = cursor === null ? '' : '&starting_after=' + encodeURIComponent(cursor)
    const page = JSON.parse(await ask(port, '/v1/cards?limit=100' + after, key))
    for (const card of page.data) listed.set(card.id, card)
    cursor = page.next_cursor
  } while (cursor !== null)
  return listed
}

/** The cards by purpose without what every seed makes new, and how the engine judges a purchase. */
async function cardsNow({ directory, environment }: Parts) {
  const { cards, keys } = readSandboxSecrets(directory)!
  const port = environment.SVC_API_PORT
  const listed = await listedCards(port, keys.read)
  const found: { [purpose: string]: object } = {}
  for (const [purpose, { id }] of Object.entries(cards)) {
    const judged = await ask(port, '/v1/cards/' + id + '/evaluate', keys.read, PURCHASE)
    const { approved, decline_reason, limits, error } = JSON.parse(judged)
    const remaining = JSON.stringify(limits ?? null).replaceAll(/"[a-z]+_[0-9A-Za-z]{20,}"/g, '""')
    const { status, type } = listed.get(id) ?? {}
    found[purpose] = { status, type, approved, decline_reason, remaining, refused: error?.code }
  }
  return found
}

async function stateOf(parts: Parts) {
  return { rows: await rowCounts(parts), cards: await cardsNow(parts) }
}

test('seed, simulate and explain work with parts that were started alone, behind TLS', async (t) => {
  const parts = await startParts(t)
  const { directory, environment, run } = parts
  const untrusted = { NODE_EXTRA_CA_CERTS: '' }
  const wary = await run('scripts/seed.ts', [], untrusted)
  t.match(wary, { code: 1, output: /cannot be filled/ }, 'an unknown authority is not trusted')
  t.match(await run('scripts/seed.ts', []), { code: 0, output: /is in place; secrets: / })
  // Looking at every card makes more calls than a minute allows.
  await parts.sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${readSandboxSecrets(directory)!.tenant_id}, 'sandbox', 100, ${Number.MAX_SAFE_INTEGER})`
  const first = await stateOf(parts)

  const played = await run('scripts/simulate.ts', [
    '--scenario',
    'balance_inquiry',
    '--scenario',
    'tenant_approve',
    '--json',
  ])
  t.match(played, { code: 0 }, played.output)
  const load = ['--rate', '20', '--seconds', '1', '--json']
  // A busy machine answers some of a load late, which fails it.
  const plays = (args: string[], more = {}): Promise<boolean> =>
    happens(async () => (await run('scripts/simulate.ts', args, more)).code === 0)
  t.ok(await plays(load), 'by the settings of the parts')

  const explained = await run('scripts/explain.ts', ['latest'])
  t.match(explained, { code: 0, output: /txn_/ })
  const { keys, network } = readSandboxSecrets(directory)!
  const elsewhere = { SVC_API_PORT: '9', SVC_ENGINE_PORT: '9' }
  const api = 'https://127.0.0.1:' + environment.SVC_API_PORT
  const engine = 'https://127.0.0.1:' + environment.SVC_ENGINE_PORT

  await t.test('options win over settings, and secrets may stand in either', async (t) => {
    const places = ['--api', api, '--engine', engine]
    const byOption = ['--network-key', network.key_id, '--network-secret', network.secret]
    const given = [...places, '--key', keys.write, ...byOption, ...load]
    t.ok(await plays(given, elsewhere))
    const wrong = { ...elsewhere, SVC_NETWORK_SECRET: 'nsec_' + 'a'.repeat(44) }
    const refused = await run('scripts/simulate.ts', [...places, ...load], wrong)
    t.match(refused, { code: 1 }, 'a wrong secret signs nothing that is answered')
    const bare = { ...elsewhere, SVC_API_KEY: keys.read, SVC_DATA_DIR: t.testdir() }
    t.match(await run('scripts/explain.ts', ['latest', '--api', api], bare), { code: 0 })
  })

  await t.test('problems are told in one sentence that names the option', async (t) => {
    const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
      ['scripts/simulate.ts', ['--api', 'nowhere', ...load], /^--api must be an http/],
      ['scripts/simulate.ts', ['--engine', 'ftp://x', ...load], /^--engine must be an http/],
      ['scripts/simulate.ts', ['--iso', 'x', ...load], /^--iso must be HOST:PORT/],
      ['scripts/simulate.ts', ['--key', 'x', ...load], /^--key must be the secret key/],
      ['scripts/explain.ts', ['latest', '--key', 'x'], /^--key must be the secret key/],
      ['scripts/simulate.ts', ['--network-secret', 'x', ...load], /^--network-secret must be/],
      ['scripts/simulate.ts', ['--data-dir', t.testdir(), ...load], /npm run seed/],
      ['scripts/simulate.ts', ['--api', 'http://127.0.0.1:9', ...load], /^No API answers at/],
      [
        'scripts/simulate.ts',
        ['--key', newApiKey('secret', 'sandbox'), ...load],
        /^The API at \S+ refuses the key: /,
      ],
    ]
    for (const [script, words, output] of refusals) {
      const ran = await run(script, words)
      t.match(ran, { code: script.includes('explain') ? 1 : 2, output }, words.join(' '))
      t.equal(ran.output.trimEnd().split('\n').length, 1)
    }
  })

  await t.test('reset puts tenant and engine back to the first state', async (t) => {
    const spent = await stateOf(parts)
    t.ok((spent.rows['card_transactions'] ?? 0) > 0)
    t.strictNotSame(spent, first)
    const before = readSandboxSecrets(directory)!
    const asked = await run('scripts/reset.ts', [])
    t.match(asked, { code: 1, output: /^Nothing was changed: give --yes/ })
    t.match(await run('scripts/reset.ts', ['--yes', '--api', 'x']), { code: 1, output: /^--api/ })
    t.same(readSandboxSecrets(directory), before)

    const done = await run('scripts/reset.ts', ['--yes'])
    t.match(done, { code: 0, output: /is in its first state\.\n$/ }, done.output)
    t.same(await stateOf(parts), first)
    const { cards, keys: kept } = readSandboxSecrets(directory)!
    t.same(kept, keys)
    t.not(cards['listed_plain']!.pan, before.cards['listed_plain']!.pan)
    t.match(await run('scripts/simulate.ts', load), { code: 0 }, 'the new cards are played with')
  })
})
