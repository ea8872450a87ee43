// The sandbox in a real database: made once, completed ever after, never overwritten, and nothing readable at rest.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { seed } from '../../scripts/start/sandbox.ts'
import {
  type SandboxSecrets,
  withDemoTenantPort,
  writeSandboxSecrets,
} from '../../scripts/start/sandbox-secrets.ts'
import { readListedCards, renewListedCards } from '../../scripts/start/seed/listed-cards.ts'
import { demoTenantUrl, seedSandbox } from '../../scripts/start/seed/seed-sandbox.ts'
import { apiKeyHash } from '../../shared/api-key.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { luhnDigit } from '../../shared/pan.ts'
import { openTestDatabase } from '../harness/postgres.ts'

async function openSandbox(t: Test) {
  const { sql } = await openTestDatabase(t)
  const dataDir = t.testdir()
  const keys = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!keys.ok) throw new Error(keys.error)
  const world = { dataDir, sql, masterKeys: keys.value, clock: systemClock }
  const renew = (secrets: SandboxSecrets) =>
    tx(sql, (inner) =>
      renewListedCards({ ...world, sql: inner, secrets, now: systemClock.nowMs() }),
    )
  return { ...world, world, renew, secrets: await seed(world) }
}

test('a second seed changes nothing, whatever the user changed meanwhile', async (t) => {
  const { sql, world, dataDir, secrets } = await openSandbox(t)
  t.equal(statSync(join(dataDir, 'sandbox-secrets.json')).mode & 0o777, 0o600)
  const endpoint = secrets.realtime_endpoint
  await sql`update webhook_endpoints set url = 'http://127.0.0.1:9/mine' where id = ${endpoint.id}`
  await sql`update cards set status = 'suspended' where id = ${secrets.cards['load_plain_1']!.id}`
  const before = await sql`select max(seq) as seq from config_change`
  t.same(await seed(world), secrets)
  t.same(await sql`select max(seq) as seq from config_change`, before, 'not one row was touched')
})

test('the keys have names, the publishable one tokenizes, and those of an older version come to both', async (t) => {
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
  await seed(world)
  t.same(
    (await keys()).map((key) => key['name']),
    ['Ours', 'Sandbox admin', 'Sandbox publishable', 'Sandbox read'],
  )
  t.match((await keys())[2], { scope: 'write' })
})

test('the endpoint follows the demo tenant to another port, unless the user pointed it elsewhere', async (t) => {
  const { sql, world, secrets } = await openSandbox(t)
  const urlNow = async () =>
    (
      await sql<{ url: string }[]>`
        select url from webhook_endpoints where id = ${secrets.realtime_endpoint.id}`
    )[0]!.url
  const seedAt = (from: SandboxSecrets, port: number) => {
    const moved = withDemoTenantPort(from, port)
    return tx(sql, (inner) =>
      seedSandbox({ ...world, sql: inner, secrets: moved, now: systemClock.nowMs() }),
    )
  }
  t.equal(await urlNow(), demoTenantUrl(secrets.demo_tenant.port))
  const moved = await seedAt(secrets, 20_001)
  t.equal(await urlNow(), demoTenantUrl(20_001))
  await sql`update webhook_endpoints set url = 'http://127.0.0.1:9/mine'`
  await seedAt(moved, 20_002)
  t.equal(await urlNow(), 'http://127.0.0.1:9/mine')
})

test('card numbers are valid, of the synthetic range, unique, and sealed at rest', async (t) => {
  const { sql, secrets } = await openSandbox(t)
  const pans = Object.values(secrets.cards).map((card) => card.pan)
  t.ok(
    pans.every(
      (pan) => /^999999\d{10}$/.test(pan) && luhnDigit(pan.slice(0, 15)) === Number(pan[15]),
    ),
  )
  t.equal(new Set(pans).size, pans.length)
  const rows = await sql`select to_jsonb(c)::text as text from cards c`
  const keys = await sql`select to_jsonb(k)::text as text from api_keys k`
  const people = await sql`
    select to_jsonb(u)::text as text from users u union all select to_jsonb(r)::text from recovery_codes r`
  t.equal(people.length, 2 + 2 * 10)
  const atRest = [...rows, ...keys, ...people].map((row) => row['text']).join('\n')
  const readable = [
    ...pans,
    ...Object.values(secrets.keys),
    secrets.network.secret,
    secrets.unentitled!.key,
    secrets.operator!.key,
    secrets.unentitled!.endpoint.secret,
    ...[secrets.owner!, secrets.unentitled!.owner!].flatMap((owner) => [
      owner.password,
      owner.totp_secret,
      ...owner.recovery_codes,
    ]),
  ]
  t.notOk(readable.some((secret) => atRest.includes(secret)))
})

test('listed cards that no longer are what sandbox.json promises are replaced, the others stay', async (t) => {
  const { sql, renew, secrets } = await openSandbox(t)
  t.equal(await renew(secrets), secrets, 'nothing to replace at first')
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
  const renewed = await renew(secrets)
  const changed = Object.keys(renewed.cards).filter(
    (purpose) => id(renewed, purpose) !== id(secrets, purpose),
  )
  t.same(changed.sort(), ['listed_daily', 'listed_plain', 'listed_realtime'])
  t.equal(await renew(renewed), renewed, 'the fresh ones keep the promise')
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

test('every control of the plan is an object with one version, and the engine’s share of it', async (t) => {
  const { sql, secrets } = await openSandbox(t)
  const bound = async (purpose: string) => {
    const cardId = secrets.cards[purpose]!.id
    const [row] = await sql<
      { state: string; version: number; compiled: object; controls: object }[]
    >`
      select s.state, s.version, v.compiled, c.controls -> 0 as controls
      from spending_controls s
      join spending_control_versions v on v.control_id = s.id and v.version = s.version
      join controls c on c.subject_id = s.subject_id
      where s.subject_id = ${cardId}`
    t.match(row, { version: 1, compiled: row?.controls }, purpose)
    return { state: row?.state, ...row?.compiled }
  }
  t.match(await bound('daily_count'), { limits: [{ interval: 'daily', count: 2 }] })
  t.match(await bound('rolling'), { limits: [{ rolling_seconds: 10, amount_cents: 10_000 }] })
  t.match(await bound('filtered'), { limits: [{ filter: { mccs: ['5812'] } }] })
  t.match(await bound('schedule_open'), { schedule: [{ from_minute: 0, until_minute: 1440 }] })
  t.match(await bound('single_use'), { single_use: { mode: 'max', amount_cents: 10_000 } })
  t.match(await bound('blocked_atm'), { kinds: { mode: 'block', values: ['cash_withdrawal'] } })
  t.match(await bound('draft'), { state: 'draft', mccs: { mode: 'block', values: ['5411'] } })
  t.match(await bound('yen'), { limits: [{ currency: 'JPY' }] })
  t.match(await bound('dinar'), { limits: [{ currency: 'KWD' }] })
})

test('what the issuer knows itself is there: PINs, tokens, authentications, rates, policies', async (t) => {
  const { sql, secrets } = await openSandbox(t)
  const { pin, wallet_active, wallet_suspended, authenticated, authentication_failed } =
    secrets.cards
  t.match(pin!.pin, /^\d{4}$/)
  const [verified] = await sql`select pin_verifier from cards where id = ${pin!.id}`
  t.match(verified?.['pin_verifier'], /^[0-9a-f]{32}$/)
  const cardIds = [wallet_active!.id, wallet_suspended!.id]
  const tokens = await sql`
    select id, card_id, status from wallet_tokens where card_id = any(${cardIds}) order by status`
  t.same(
    [...tokens],
    [
      { id: wallet_active!.wallet_token_id, card_id: wallet_active!.id, status: 'active' },
      { id: wallet_suspended!.wallet_token_id, card_id: wallet_suspended!.id, status: 'suspended' },
    ],
  )
  const results = await sql`
    select three_ds_id as id, card_id, result from authentications order by result`
  t.same(
    [...results],
    [
      { id: authenticated!.three_ds_id, card_id: authenticated!.id, result: 'authenticated' },
      {
        id: authentication_failed!.three_ds_id,
        card_id: authentication_failed!.id,
        result: 'failed',
      },
    ],
  )
  const [rate] = await sql`select rate from fx_rates where id = 'EUR/USD'`
  t.equal(rate?.['rate'], '1.0850')
  const program = async (name: string) => {
    const [row] = await sql`
      select p.*, t.realtime_entitled, e.tenant_id as asked from programs p
      join tenants t on t.id = p.tenant_id left join webhook_endpoints e on e.id = p.endpoint_id
      where p.id = ${secrets.programs[name] ?? ''}`
    return row
  }
  t.match(await program('standin_capped'), {
    realtime: true,
    realtime_entitled: true,
    stand_in_policy: { max_per_authorization_cents: 10_000 },
  })
  t.match((await program('fraud_active'))?.['fraud_rules'], [{ state: 'active' }])
  t.match((await program('plain'))?.['fraud_rules'], [{ state: 'draft' }])
  const unentitled = await program('unentitled')
  t.match(unentitled, { realtime: true, realtime_entitled: false })
  t.equal(unentitled?.['asked'], unentitled?.['tenant_id'], 'it asks an endpoint of its own tenant')
  const [card] =
    await sql`select tenant_id from cards where id = ${secrets.cards['unentitled']!.id}`
  t.equal(card?.['tenant_id'], unentitled?.['tenant_id'])
})

test('the sandbox of an older version is completed', async (t) => {
  const { world, dataDir, secrets } = await openSandbox(t)
  const { unentitled: _none, operator: _nobody, ...old } = secrets
  const { daily_count: _new, ...cards } = secrets.cards
  writeSandboxSecrets(dataDir, { ...old, cards })
  const completed = await seed(world)
  t.ok(completed.unentitled)
  const [operator] = await world.sql`
    select state from operators where hash = ${apiKeyHash(completed.operator!.key)}`
  t.equal(operator?.['state'], 'active')
  t.ok(completed.cards['daily_count'])
  t.equal(completed.cards['listed_plain']!.id, secrets.cards['listed_plain']!.id)
})
