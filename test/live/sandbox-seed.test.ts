// The sandbox in a real database: made once, completed ever after, never overwritten, and nothing readable at rest.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { seed } from '../../scripts/start/sandbox.ts'
import { type SandboxSecrets, withDemoTenantPort } from '../../scripts/start/sandbox-secrets.ts'
import { readListedCards, renewListedCards } from '../../scripts/start/seed/listed-cards.ts'
import { luhnDigit } from '../../scripts/start/seed/sandbox-card.ts'
import { demoTenantUrl, seedSandbox } from '../../scripts/start/seed/seed-sandbox.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
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

test('the endpoint follows the demo tenant to another port, unless the user pointed it elsewhere', async (t) => {
  const { sql, world, secrets } = await openSandbox(t)
  const urlNow = async () =>
    (await sql<{ url: string }[]>`select url from webhook_endpoints`)[0]!.url
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
  const atRest = [...rows, ...keys].map((row) => row['text']).join('\n')
  const readable = [...pans, ...Object.values(secrets.keys), secrets.network.secret]
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
