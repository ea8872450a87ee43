// Every figure of programs, alerts, scans and connections is that of a row: each cell of the lists,
// and each field of the pages that they lead to, beside rows of its own.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'
import { seedTransaction } from '../../harness/drained.ts'
import { seedPerson } from '../../harness/person.ts'
import { seedCardholder } from '../../harness/tenant.ts'

const MADE_MS = Date.UTC(2026, 10, 21, 9, 30, 15)
const MADE = '21 Nov 2026, 09:30:15'

/** An id as a table shows it. */
const short = (id: string): string => id.slice(0, id.indexOf('_') + 1) + '…' + id.slice(-8)

/** Opens a page, and tells its tables, fields and heading. */
async function openReader(t: Parameters<typeof openBrowser>[0], dashboard: TestDashboard) {
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  return {
    errors,
    open: (path: string) => page.goto(dashboard.api.url + dashboard.root + path),
    rowsOf: (label: string) => rowsOf(page, label),
    facts: () =>
      page.evaluate<{ [name: string]: string }>(`Object.fromEntries(
        [...document.querySelectorAll('main .facts > div')].map((each) =>
          [each.querySelector('dt').innerText, each.querySelector('dd').innerText]))`),
    head: () => page.locator('.head').innerText(),
    figure: (label: string) =>
      page.locator('.figure', { hasText: label }).locator('strong').innerText(),
  }
}

function rowsOf(page: Page, label: string): Promise<string[][]> {
  return page.evaluate<
    string[][]
  >(`[...document.querySelectorAll('[aria-label="${label}"] tbody tr')]
    .map((row) => [...row.cells].map((cell) => cell.innerText.trim().replaceAll(/\\s+/g, ' ')))`)
}

test('programs, with the fraud rules and the behaviour of each', async (t) => {
  const dashboard = await startDashboard()
  const { sql, tenant } = dashboard.api
  const [travel, closed] = [newId('prog', MADE_MS), newId('prog', MADE_MS + 1)]
  const rules = JSON.stringify([
    { name: 'card_testing', state: 'active', count: 7, seconds: 90, amount_cents: 1250 },
    { name: 'pin_failures', state: 'draft', count: 3, seconds: 3600, amount_cents: null },
  ])
  await sql`
    insert into programs (id, tenant_id, environment, name, status, realtime, endpoint_id, stand_in,
      time_zone, currency, fx_margin_bps, fraud_rules, reject_reason, external_id, metadata,
      created_at)
    values (${travel}, ${tenant.tenantId}, 'sandbox', 'Travel', 'pending', true,
      ${tenant.endpointId}, 'decline', 'Asia/Tokyo', 'JPY', 125, ${rules}::text::jsonb,
      'No contract', 'p-17', '{"desk": "east"}', ${MADE_MS})`
  await sql`
    insert into programs (id, tenant_id, environment, name, status, suspended_by, suspend_reason,
      fraud_rules, created_at)
    values (${closed}, ${tenant.tenantId}, 'sandbox', 'Closed', 'suspended', 'sponsor_bank',
      'Chargebacks', '[]', ${MADE_MS + 1000})`
  const reader = await openReader(t, dashboard)
  await reader.open('/programs')
  t.same(await reader.rowsOf('Programs'), [
    ['Closed', '▲ suspended', 'by card', 'no', 'controls decide', '21 Nov 2026, 09:30:16'],
    ['Travel', '✕ rejected', 'JPY', 'yes', 'declined', MADE],
    ['Cards', '● active', 'by card', 'no', 'controls decide', '20 Nov 2026, 12:00:00'],
  ])
  await reader.open('/programs/' + travel)
  t.same(await reader.rowsOf('Fraud rules'), [
    ['card testing', '● active', '7', '90 s', '1,250 JPY'],
    ['pin failures', '▲ draft', '3', '1 h', '–'],
  ])
  const rejected = await reader.facts()
  t.notOk('Suspended' in rejected, 'a field of another state is no line')
  t.match(rejected, {
    ...{ Currency: 'JPY', 'Time zone': 'Asia/Tokyo', 'You are asked': 'before an approval leaves' },
    ...{
      'Endpoint that is asked': 'https://tenant.example/hook',
      'Without your answer': 'declined',
    },
    ...{ 'Markup on rates': '1.25 %', Rejected: 'No contract', Made: MADE },
    ...{ 'External id': 'p-17', desk: 'east' },
  })
  await reader.open('/programs/' + closed)
  t.same(await reader.rowsOf('Fraud rules'), [], 'none is an empty place')
  t.match(await reader.facts(), { Suspended: 'Chargebacks', 'You are asked': 'never' })
  t.match(await reader.facts(), { 'Markup on rates': '0 %', Currency: 'each card its own' })

  const counted = async (id: string) => {
    await reader.open('/programs/' + id)
    return Promise.all(
      ['Requests', 'Declined'].map(async (one) => Number(await reader.figure(one))),
    )
  }
  const [requests = 0, declined = 0] = await counted(tenant.programId)
  for (const amountCents of [1200, 1400, 1301])
    await seedTransaction(sql, tenant, { amountCents, atMs: -3_600_000 })
  t.same(await counted(tenant.programId), [requests + 3, declined + 1])
  t.same(await counted(closed), [0, 0], 'and of no other program')
  t.same(reader.errors, [])
})

test('sanctions alerts, with the hits of each', async (t) => {
  const dashboard = await startDashboard()
  const { sql, tenant } = dashboard.api
  const made = [
    { name: 'PETROV, Ivan', status: 'open', scores: [97, 84] },
    { name: 'ROSSI, Anna', status: 'dismissed', scores: [91] },
    { name: 'LEE, Min', status: 'confirmed', scores: [100, 88, 86] },
  ] as const
  const rows = []
  for (const [at, { name, status, scores }] of made.entries()) {
    const id = newId('alert', MADE_MS + at)
    const cardholder = await seedCardholder(sql, tenant)
    await sql`update cardholders set name = ${'Holder of ' + name} where id = ${cardholder}`
    const reviewedAt = status === 'open' ? null : MADE_MS + 60_000
    const hits = scores.map((score, place) => ({
      ...{ listed_id: 'sdn:' + place, kind: place === 0 ? 'sanctions' : 'pep', score },
      ...{ name: name + (place === 0 ? '' : ' ' + place), program: 'P' + place },
      reasons: ['name', 'birth date'].slice(0, 2 - (place % 2)),
    }))
    await sql`
      insert into sanctions_alerts (id, tenant_id, environment, cardholder_id, person, hits,
        list_version, status, reviewed_at, created_at)
      values (${id}, ${tenant.tenantId}, 'sandbox', ${cardholder}, ${name},
        ${JSON.stringify(hits)}::text::jsonb, '2026-11-20', ${status}, ${reviewedAt},
        ${MADE_MS + at * 1000})`
    rows.push({ id, hits })
  }
  const [open, dismissed, confirmed] = made.map(({ name }) => 'Holder of ' + name)
  const reader = await openReader(t, dashboard)
  await reader.open('/alerts')
  t.same((await reader.rowsOf('Sanctions alerts')).slice(0, 3), [
    ['LEE, Min', '✕ confirmed', confirmed, '3', '21 Nov 2026, 09:30:17'],
    ['ROSSI, Anna', '● dismissed', dismissed, '1', '21 Nov 2026, 09:30:16'],
    ['PETROV, Ivan', '▲ open', open, '2', MADE],
  ])
  await reader.open('/alerts?status=dismissed')
  const filtered = await reader.rowsOf('Sanctions alerts')
  t.same(
    filtered.map(([name]) => name),
    ['ROSSI, Anna'],
  )
  await reader.open('/alerts/' + rows[2]?.id)
  t.match(await reader.head(), /✕\s+confirmed/)
  t.same(await reader.rowsOf('Hits'), [
    ['LEE, Min', 'sanctions P0', '100 of 100', 'name, birth date'],
    ['LEE, Min 1', 'pep P1', '88 of 100', 'name'],
    ['LEE, Min 2', 'pep P2', '86 of 100', 'name, birth date'],
  ])
  t.match(await reader.facts(), {
    ...{ Cardholder: confirmed, 'Version of the lists': '2026-11-20' },
    ...{ Made: '21 Nov 2026, 09:30:17', Reviewed: '21 Nov 2026, 09:31:15' },
  })
  t.same(reader.errors, [])
})

test('scans of every result, in their list and on the page of their pass', async (t) => {
  const dashboard = await startDashboard()
  const { api, things } = dashboard
  const [pass = '', scanner = ''] = [things.get('passes'), things.get('scanners')]
  const results = ['valid', 'replayed', 'revoked', 'expired', 'forged', 'unknown'] as const
  for (const [at, result] of results.entries()) {
    const isPass = result !== 'forged' && result !== 'unknown'
    await api.sql`
      insert into pass_scans (id, tenant_id, environment, scanner_id, pass_id, medium, result,
        created_at)
      values (${newId('pscan', MADE_MS + at)}, ${api.tenant.tenantId}, 'sandbox', ${scanner},
        ${isPass ? pass : null}, ${at % 2 === 0 ? 'nfc' : 'barcode'}, ${result},
        ${MADE_MS + at * 1000})`
  }
  const rowOf = (at: number, sign: string, name: string | null, medium: string) => [
    ...['21 Nov 2026, 09:30:' + (15 + at), sign + ' ' + results[at]],
    ...[name ?? '–', medium, 'Door'],
  ]
  const made = [
    rowOf(5, '✕', null, 'barcode'),
    rowOf(4, '✕', null, 'nfc'),
    rowOf(3, '✕', short(pass), 'barcode'),
    rowOf(2, '✕', short(pass), 'nfc'),
    rowOf(1, '✕', short(pass), 'barcode'),
    rowOf(0, '●', short(pass), 'nfc'),
  ]
  const reader = await openReader(t, dashboard)
  await reader.open('/scans')
  const listed = await reader.rowsOf('Scans')
  t.same(listed.slice(0, 6), made)
  t.equal(listed.length, 7, 'and the scan that the tenant made before')
  await reader.open('/scans?verification_result=forged')
  t.same(await reader.rowsOf('Scans'), [made[1]])
  await reader.open('/scans?pass_id=' + pass)
  t.same((await reader.rowsOf('Scans')).slice(0, 4), made.slice(2))
  t.same(reader.errors, [])
})

test('connections, with the person and the end of each', async (t) => {
  const dashboard = await startDashboard()
  const { sql, tenant } = dashboard.api
  const made = [
    { name: 'Books Ltd', scopes: ['read', 'write'], end: null, reason: null, state: 'active' },
    {
      ...{ name: 'Old Co', scopes: ['card:read'], end: MADE_MS + 3_600_000 },
      ...{ reason: 'token_reused', state: 'disabled' },
    },
  ]
  const rows = []
  for (const [at, { name, scopes, end, reason, state }] of made.entries()) {
    const [client, grant] = [newId('oac', MADE_MS + at), newId('ogr', MADE_MS + at)]
    const { id: person } = await seedPerson(sql, tenant.tenantId, 'developer')
    await sql`update users set state = ${state} where id = ${person}`
    await sql`
      update identities set name = 'Grace'
      where id = (select identity_id from users where id = ${person})`
    await sql`
      insert into oauth_clients (id, environment, name, kind, application_type, redirect_uris,
        scopes, created_at)
      values (${client}, 'sandbox', ${name}, 'public', 'web', '{https://books.example/}',
        ${scopes}, ${MADE_MS})`
    await sql`
      insert into oauth_grants (id, tenant_id, environment, client_id, user_id, scopes, payload,
        created_at, revoked_at, reason)
      values (${grant}, ${tenant.tenantId}, 'sandbox', ${client}, ${person}, ${scopes}, '{}',
        ${MADE_MS + at * 1000}, ${end}, ${reason})`
    rows.push({ grant })
  }
  const reader = await openReader(t, dashboard)
  await reader.open('/connections')
  const old = ['Old Co', '✕ revoked', 'card:read', '21 Nov 2026, 09:30:16', '21 Nov 2026, 10:30:15']
  t.same((await reader.rowsOf('Connections')).slice(0, 2), [
    old,
    ['Books Ltd', '● active', 'read, write', MADE, '–'],
  ])
  await reader.open('/connections?status=revoked')
  t.same(await reader.rowsOf('Connections'), [old])
  await reader.open('/connections/' + rows[1]?.grant)
  t.same(await reader.facts(), {
    ...{ May: 'card:read', 'Connected by': 'Grace (disabled)' },
    ...{ Connected: '21 Nov 2026, 09:30:16', Ended: '21 Nov 2026, 10:30:15' },
    Because: 'token reused',
  })
  await reader.open('/connections/' + rows[0]?.grant)
  t.same(await reader.facts(), {
    ...{ May: 'read, write', 'Connected by': 'Grace (active)', Connected: MADE },
  })
  t.same(reader.errors, [])
})
