// The sandbox in a real database behind a real API: created once, completed ever after, never
// overwritten, whenever a start is killed, and unreadable at rest.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createServer } from '../../api/http/server.ts'
import { claimDataDir } from '../../scripts/start/claim.ts'
import { bootstrap, seed as fill } from '../../scripts/start/sandbox.ts'
import {
  readSandboxSecrets,
  type SandboxSecrets,
  withDemoTenantPort,
  writeSandboxSecrets,
} from '../../scripts/start/sandbox-secrets.ts'
import { openCallers } from '../../scripts/start/seed/callers.ts'
import { furnish, seedListed } from '../../scripts/start/seed/furnish.ts'
import { brokenPromises, readListedCards } from '../../scripts/start/seed/listed-cards.ts'
import { makeCards, type Seeding } from '../../scripts/start/seed/make-cards.ts'
import { demoTenantUrl } from '../../scripts/start/seed/make-endpoint.ts'
import { SANDBOX_CARDS } from '../../scripts/start/seed/sandbox-plan.ts'
import { apiKeyHash } from '../../shared/api-key.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { luhnDigit } from '../../shared/pan.ts'
import { testServices } from '../harness/api.ts'
import { COMPILED } from '../harness/compiled.ts'
import { openEngineSocket } from '../harness/engine-socket.ts'
import { patientClock } from '../harness/patient-clock.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

type Sandbox = Awaited<ReturnType<typeof openSandbox>>

/** An installation with an API, its keys and no other rows. */
async function openSandbox(t: Test) {
  const { sql, url: databaseUrl } = await openTestDatabase(t)
  const dataDir = t.testdir()
  const keys = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!keys.ok) throw new Error(keys.error)
  const world = { dataDir, sql, masterKeys: keys.value, clock: systemClock }
  const engine = await openEngineSocket()
  const client = createEngineClient({ socketPath: engine.path, clock: patientClock })
  const server = createServer(testServices({ ...world, client }))
  t.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    client.close()
    await engine.close()
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const apiUrl = 'http://127.0.0.1:' + (server.server.address() as AddressInfo).port
  const seedingFor = (secrets: SandboxSecrets, signal = new AbortController().signal): Seeding => ({
    ...world,
    callers: openCallers(apiUrl, secrets, signal),
    covered: async () => {},
  })
  const secrets = await bootstrap(world)
  const seed = (known: SandboxSecrets) => seedListed(seedingFor(known), known)
  return { ...world, world, databaseUrl, apiUrl, seedingFor, seed, secrets: await seed(secrets) }
}

/** At most about a third of all calls, so that some are left for afterwards. */
const CUT_AFTER_CALLS = [3, 8, 20, 50, 125]

/** `node scripts/seed.ts` as operators run it. */
async function seedScript(
  { databaseUrl, dataDir, apiUrl }: Pick<Sandbox, 'databaseUrl' | 'dataDir' | 'apiUrl'>,
  options: readonly string[],
): Promise<{ code: number | null; said: string }> {
  const script = new URL('../../scripts/seed.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, '--api', apiUrl, ...options], {
    env: { ...COMPILED, DATABASE_URL: databaseUrl, SVC_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      said += bytes
    })
  const [code] = await once(child, 'close')
  return { code, said }
}

/** The number of rows of each kind. */
async function counted({ sql }: Pick<Sandbox, 'sql'>) {
  const [row] = await sql`
    select (select count(*)::int from programs) as programs,
      (select count(*)::int from cardholders) as cardholders,
      (select count(*)::int from cards) as cards,
      (select count(*)::int from spending_controls) as controls,
      (select count(*)::int from wallet_tokens) as wallet_tokens,
      (select count(*)::int from webhook_endpoints) as endpoints`
  return row
}

test('a second seed changes nothing, whatever the user changed meanwhile', async (t) => {
  const { sql, world, dataDir, apiUrl, secrets, seed } = await openSandbox(t)
  t.equal(statSync(join(dataDir, 'sandbox-secrets.json')).mode & 0o777, 0o600)
  const endpoint = secrets.realtime_endpoint!
  await sql`update webhook_endpoints set url = 'http://127.0.0.1:9/mine' where id = ${endpoint.id}`
  await sql`update cards set status = 'active' where id = ${secrets.cards['listed_suspended']!.id}`
  const before = await sql`select max(seq) as seq from config_change`
  t.same(await seed(await bootstrap(world)), secrets)
  t.same(await sql`select max(seq) as seq from config_change`, before, 'not one row was touched')

  await sql`update api_keys set state = 'revoked' where name = 'Sandbox admin'`
  const said: string[] = []
  const signal = new AbortController().signal
  const reach = { apiUrl, engine: null, signal, say: (line: string) => void said.push(line) }
  t.same(await fill(world, reach, secrets), secrets, 'who took its key away keeps what there is')
  const sentence = /^The sandbox cannot be filled: .* \(key_revoked\)$/
  t.match(said, [sentence])
  const { realtime_endpoint: _none, ...fresh } = secrets
  await t.rejects(fill(world, reach, fresh), { message: sentence })
})

test('keys have names, the publishable one tokenizes, and an older version’s keys gain both', async (t) => {
  const { sql, world } = await openSandbox(t)
  const keys = () => sql`
    select role, scope, name from api_keys
    where tenant_id = (select id from tenants where name = 'Sandbox') order by name`
  const named = [
    { role: 'secret', scope: 'admin', name: 'Sandbox admin' },
    { role: 'publishable', scope: 'write', name: 'Sandbox publishable' },
    { role: 'secret', scope: 'read', name: 'Sandbox read' },
    { role: 'secret', scope: 'write', name: 'Sandbox write' },
  ]
  t.same(await keys(), named)
  await sql`update api_keys set name = '', scope = 'read' where role = 'publishable'`
  await sql`update api_keys set name = 'Ours' where name = 'Sandbox write'`
  await bootstrap(world)
  t.same(
    (await keys()).map((key) => key['name']),
    ['Ours', 'Sandbox admin', 'Sandbox publishable', 'Sandbox read'],
  )
  t.match((await keys())[2], { scope: 'write' })
})

test('the endpoint follows the demo tenant to another port, unless the user pointed it elsewhere', async (t) => {
  const { sql, secrets, seed } = await openSandbox(t)
  const endpointNow = async () => {
    const [row] = await sql<{ url: string; asked: boolean }[]>`
      select url, is_realtime as asked from webhook_endpoints
      where id = ${secrets.realtime_endpoint!.id}`
    return row
  }
  const url = demoTenantUrl(secrets.demo_tenant.port)
  t.same(await endpointNow(), { url, asked: true })
  const moved = await seed(withDemoTenantPort(secrets, 20_001))
  t.match(await endpointNow(), { url: demoTenantUrl(20_001) })
  await sql`update webhook_endpoints set url = 'http://127.0.0.1:9/mine'`
  t.match(await seed(withDemoTenantPort(moved, 20_002)), {
    realtime_endpoint: secrets.realtime_endpoint,
  })
  t.match(await endpointNow(), { url: 'http://127.0.0.1:9/mine' })
})

test('an interrupted seed is finished by the next one, and nothing is doubled', async (t) => {
  const sandbox = await openSandbox(t)
  const { dataDir, seedingFor, secrets } = sandbox
  let known = secrets
  for (const afterCalls of CUT_AFTER_CALLS) {
    const cut = new AbortController()
    const seeding = seedingFor(known, cut.signal)
    let calls = 0
    const tenant = new Proxy(seeding.callers.tenant, {
      get(target, name) {
        calls += 1
        if (calls > afterCalls) cut.abort()
        return Reflect.get(target, name)
      },
    })
    const callers = { ...seeding.callers, tenant }
    await t.rejects(furnish({ ...seeding, callers }, known))
    // The memory of the run is gone, as after a kill.
    known = readSandboxSecrets(dataDir)!
    t.equal(known.furnished, false)
  }
  const { code, said } = await seedScript(sandbox, [])
  t.equal(code, 0, said)
  t.match(said, 'Sandbox tenant ' + secrets.tenant_id + ' is in place; secrets: ' + dataDir)
  known = readSandboxSecrets(dataDir)!
  const planned = Object.keys(SANDBOX_CARDS)
  t.equal(known.furnished, true)
  t.same(Object.keys(known.cards).sort(), [...planned].sort())
  t.notOk(Object.values(known.cards).some(({ unfinished }) => unfinished))
  t.match(await counted(sandbox), { programs: 6, cards: planned.length, endpoints: 1 })
  const { controls, wallet_tokens: tokens } = (await counted(sandbox))!
  t.equal(tokens, 3)
  t.equal(controls, bound())

  await t.test('every resource is as the plan says', (t) => standsAsPlanned(t, sandbox, known))
  await t.test('card numbers are sealed at rest', (t) => sealedAtRest(t, sandbox, known))
  await t.test(
    'a day later a seed finds every resource again, also without its notes',
    async (t) => {
      const before = await counted(sandbox)
      await sandbox.sql`delete from idempotency_keys`
      const { furnished: _no, realtime_endpoint: endpoint, ...rest } = known
      const forgetful = { ...rest, programs: {}, cards: {} }
      const found = await sandbox.seed(forgetful)
      // A terminated card's number is not shown, therefore the seed issues another card.
      const { cards, controls } = before!
      t.same(await counted(sandbox), { ...before, cards: cards + 1, controls: controls + 1 })
      t.not(found.cards['listed_terminated']?.id, known.cards['listed_terminated']?.id)
      t.equal(found.realtime_endpoint?.id, endpoint?.id)
      t.not(found.realtime_endpoint?.secret, endpoint?.secret, 'a secret is shown once')
      t.equal(found.cards['listed_plain']?.pan, known.cards['listed_plain']?.pan)
    },
  )
})

/** Controls of the plan: the named ones, and one for each card with limits. */
function bound(): number {
  return Object.values(SANDBOX_CARDS).reduce(
    (sum, { limits, controls, cardholderControls }) =>
      sum + [limits, controls, cardholderControls].filter((said) => said !== undefined).length,
    0,
  )
}

async function standsAsPlanned(t: Test, { sql }: Sandbox, { cards, programs }: SandboxSecrets) {
  const state = async (purpose: string) => {
    const [row] = await sql`
      select c.status, c.exp_year, c.pin_verifier is not null as pin, h.status as cardholder,
        h.frozen, p.status as program, p.realtime, p.stand_in, p.endpoint_id is not null as asks
      from cards c join cardholders h on h.id = c.cardholder_id join programs p on p.id = c.program_id
      where c.id = ${cards[purpose]!.id}`
    return row
  }
  t.match(await state('listed_plain'), { status: 'active', cardholder: 'active', realtime: false })
  t.match(await state('listed_realtime'), { status: 'active', realtime: true, asks: true })
  t.match(await state('listed_suspended'), { status: 'suspended' })
  t.match(await state('listed_terminated'), { status: 'terminated' })
  t.match(await state('not_activated'), { status: 'issued' })
  t.match(await state('cardholder_frozen'), { status: 'active', frozen: true })
  t.match(await state('cardholder_inactive'), { cardholder: 'inactive', frozen: false })
  t.match(await state('program_suspended'), { program: 'suspended' })
  t.match(await state('program_pending'), { program: 'pending' })
  t.match(await state('scenario_realtime_standin_decline'), { stand_in: 'decline' })
  t.match(await state('pin'), { pin: true })
  const { expired } = cards
  t.ok(expired!.exp_year < new Date(systemClock.nowMs()).getUTCFullYear())
  t.match(await state('expired'), { exp_year: expired!.exp_year })
  t.equal(cards['load_plain_1']!.cardholder_id, cards['load_plain_32']!.cardholder_id)

  const tokens = await sql`
    select id, card_id, status from wallet_tokens where card_id <> ${cards['blocked_wallet']!.id}
    order by status`
  const { wallet_active: active, wallet_suspended: suspended } = cards
  t.same(
    [...tokens],
    [
      { id: active!.wallet_token_id, card_id: active!.id, status: 'active' },
      { id: suspended!.wallet_token_id, card_id: suspended!.id, status: 'suspended' },
    ],
  )
  const { authenticated, authentication_failed: failed } = cards
  const ids = [authenticated!.three_ds_id!, failed!.three_ds_id!]
  const results = await sql`
    select three_ds_id as id, card_id, result from authentications where three_ds_id = any(${ids})
    order by result`
  t.same(
    [...results],
    [
      { id: ids[0], card_id: authenticated!.id, result: 'authenticated' },
      { id: ids[1], card_id: failed!.id, result: 'failed' },
    ],
  )
  const [rules] =
    await sql`select fraud_rules as r from programs where id = ${programs['fraud_active']!}`
  t.match(rules?.['r'], [{ state: 'active' }])
  const [rate] = await sql`select rate from fx_rates where id = 'EUR/USD'`
  t.equal(rate?.['rate'], '1.0850')
  const [lifted] = await sql`select count(*)::int as count from rate_limit_overrides`
  t.equal(lifted?.['count'], 0, 'nobody’s limits stay lifted')
}

async function sealedAtRest(t: Test, { sql }: Sandbox, secrets: SandboxSecrets) {
  const pans = Object.values(secrets.cards).flatMap(({ pan }) => (pan === '' ? [] : [pan]))
  t.ok(pans.length > 40)
  t.ok(
    pans.every(
      (pan) => /^999999\d{10}$/.test(pan) && luhnDigit(pan.slice(0, 15)) === Number(pan[15]),
    ),
  )
  t.equal(new Set(pans).size, pans.length)
  const people = await sql`
    select to_jsonb(i)::text as text from identities i union all select to_jsonb(r)::text from recovery_codes r`
  t.equal(people.length, 1 + 10)
  const others = await sql`
    select to_jsonb(c)::text as text from cards c
    union all select to_jsonb(k)::text from api_keys k
    union all select to_jsonb(s)::text from webhook_secrets s
    union all select to_jsonb(a)::text from idempotency_keys a`
  const atRest = [...people, ...others].map((row) => row['text']).join('\n')
  const owner = secrets.owner!
  const readable = [
    ...pans,
    ...Object.values(secrets.keys),
    secrets.network.secret,
    secrets.operator!.key,
    secrets.realtime_endpoint!.secret,
    owner.password,
    owner.totp_secret,
    ...owner.recovery_codes,
  ]
  t.notOk(readable.some((secret) => atRest.includes(secret)))
}

test('a seed in two steps works without npm start, and names missing parts', async (t) => {
  const { url: databaseUrl, sql } = await openTestDatabase(t)
  const nowhere = { databaseUrl, dataDir: t.testdir(), apiUrl: 'http://127.0.0.1:9' }
  const first = await seedScript(nowhere, ['--bootstrap'])
  t.match(first, { code: 0, said: /^Sandbox tenant ten_\w+ may call; secrets: / })
  const [made] = await sql`
    select (select count(*)::int from derivation_root) as roots,
      (select count(*)::int from network_keys) as networks,
      (select count(*)::int from api_keys) as keys, (select count(*)::int from programs) as programs`
  t.same(made, { roots: 1, networks: 1, keys: 4, programs: 0 })
  const claim = await claimDataDir(nowhere.dataDir)
  t.match(await seedScript(nowhere, []), { code: 1, said: /npm start .* is running on / })
  await claim.release()
  t.match(await seedScript({ ...nowhere, apiUrl: 'nowhere' }, []), {
    code: 1,
    said: '--api must be a URL.',
  })
})

test('listed cards that contradict sandbox.json are replaced, the others stay', async (t) => {
  const { sql, secrets, seedingFor } = await openSandbox(t)
  const broken = (known: SandboxSecrets) => tx(sql, (inner) => brokenPromises(inner, known))
  t.same(await broken(secrets), [], 'nothing to replace at first')
  const id = (from: SandboxSecrets, purpose: string) => from.cards[purpose]!.id

  await sql`update cards set status = 'suspended' where id = ${id(secrets, 'listed_realtime')}`
  await sql`
    update controls set controls = jsonb_set(controls, '{0,limits,0,amount_cents}', '500')
    where subject_id = ${id(secrets, 'listed_plain')}`
  const daily = secrets.cards['listed_daily']!
  await sql`
    insert into card_transactions (id, tenant_id, environment, seq, card_id, cardholder_id, network, status,
      amount_cents, approved_cents, currency, created_at)
    values (${newId('txn', systemClock.nowMs())}, ${secrets.tenant_id}, 'sandbox', 1, ${daily.id},
      ${daily.cardholder_id}, 'simnet', 'authorized', 1, 1, 'USD', 1)`
  const instead = await broken(secrets)
  t.same(instead.toSorted(), ['listed_daily', 'listed_plain', 'listed_realtime'])
  const renewed = await makeCards(seedingFor(secrets), secrets, { purposes: instead, instead })
  const changed = Object.keys(renewed.cards).filter(
    (purpose) => id(renewed, purpose) !== id(secrets, purpose),
  )
  t.same(changed.sort(), instead.toSorted())
  t.same(await broken(renewed), [], 'the fresh ones keep the promise')
  const again = await makeCards(seedingFor(secrets), secrets, { purposes: instead, instead })
  t.equal(id(again, 'listed_daily'), id(renewed, 'listed_daily'), 'a repetition makes no other')
  const listed = await tx(sql, (inner) => readListedCards(inner, renewed))
  t.match(listed, [
    { status: 'active', realtime: true },
    { status: 'active', realtime: false },
    {
      status: 'active',
      realtime: false,
      limits: [{ scope: 'card', interval: 'daily', amount_cents: 10_000 }],
    },
    { status: 'suspended' },
    { status: 'terminated' },
  ])
})

test('a wiped sandbox is filled again, and one of an older version completed', async (t) => {
  const { sql, world, dataDir, secrets, seed } = await openSandbox(t)
  const { operator: _nobody, ...old } = secrets
  const { listed_daily: _new, ...cards } = secrets.cards
  writeSandboxSecrets(dataDir, { ...old, cards })
  const bootstrapped = await bootstrap(world)
  const [operator] = await sql`
    select state from operators where hash = ${apiKeyHash(bootstrapped.operator!.key)}`
  t.equal(operator?.['state'], 'active')
  const completed = await seed(bootstrapped)
  t.equal(completed.cards['listed_daily']!.id, secrets.cards['listed_daily']!.id)
  t.same(completed.cards, secrets.cards)

  await sql`
    truncate events, event_outbox, cards, cardholders, spending_controls, controls, programs,
      webhook_endpoints, idempotency_keys cascade`
  const filled = await seed(completed)
  t.not(filled.programs['plain'], secrets.programs['plain'])
  t.not(filled.cards['listed_plain']!.id, secrets.cards['listed_plain']!.id)
  t.same(await counted({ sql }), {
    programs: 2,
    cardholders: 5,
    cards: 5,
    controls: 5,
    wallet_tokens: 0,
    endpoints: 1,
  })
})

test('cardholders made before the plan allowed identity checks are approved later', async (t) => {
  const { sql, secrets, seed } = await openSandbox(t)
  await sql`truncate cards, cardholders, programs, idempotency_keys cascade`
  await sql`
    insert into entitlements (tenant_id, environment, status, issuing, authorizations, realtime,
      rate_factor, addons)
    values (${secrets.tenant_id}, 'sandbox', 'active', true, true, true, 1, '{}')`
  const empty = { ...secrets, cards: {} }
  await t.rejects(seed(empty), { code: 'feature_not_enabled' })
  await sql`update entitlements set addons = '{identity_checks}'`
  // The API keeps for a moment what the plan of a key allows.
  await until(() =>
    seed(empty).then(
      () => true,
      ({ code }) => code !== 'feature_not_enabled',
    ),
  )
  t.match(await sql`select distinct identity ->> 'status' as status from cardholders`, [
    { status: 'approved' },
  ])
})
