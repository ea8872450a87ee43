// The sandbox over HTTP, table by table and call by call, without an engine that decides.
import { test } from 'tap'
import { createEngineClient } from '../../../api/engine-link/client.ts'
import { NO_PAYMENTS } from '../../../api/engine-link/payments-port.ts'
import { drainBatch } from '../../../api/engine-link/pull-journal.ts'
import { type Hanging, HISTORY, RESOURCES } from '../../../api/platform/sandbox/wiped-tables.ts'
import { ROUTES } from '../../../api/routes.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { encodeEntry, type JournalEntry } from '../../../shared/wire/journal-entry.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { entryFor } from '../../harness/drain.ts'
import { seedTransaction } from '../../harness/drained.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { cardSuspensionEntry, ENTRY_TIME_MS, lateReplyEntry } from '../../harness/entries.ts'
import { ADDRESS, issue, startIssuingApi } from '../../harness/issuing.ts'
import { callApproved } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'

const DAY_MS = 86_400_000

/** Tables that a wipe keeps, with the reason. */
const KEPT: { readonly [table: string]: string } = {
  tenants: 'whose sandbox it is',
  tenant_sequences: 'cursors of lists never go back',
  created_spans: 'moments of numbers that are never given again',
  stand_in_uncounted: 'names a place in a list',
  placements: 'of the account; those of programs go with them',
  sandbox_clocks: 'time never goes back',
  sandbox_wipes: 'tells what is nobody’s any more',
  wiped_transactions: 'tells what is nobody’s any more',
  api_keys: 'of the account',
  secret_key_sightings: 'of the keys',
  users: 'people of the account',
  identities: 'people, in all their tenants',
  sessions: 'of the people',
  passkeys: 'of the people',
  webauthn_challenges: 'of the people',
  mail_proofs: 'of the people',
  factor_resets: 'of the people',
  invitations: 'of the account',
  kyb_applications: 'of the account',
  entitlements: 'made anew from the subscription',
  entitlement_counters: 'go with the entitlements',
  mails: 'to people',
  factor_evidence: 'belongs to the audit log',
  recovery_codes: 'of the people',
  sign_in_tries: 'of the people',
  factor_challenges: 'who approved what, this too',
  audit_heads: 'the audit log is never emptied',
  audit_log: 'the audit log is never emptied',
  rate_limit_overrides: 'granted by operators',
  rate_buckets: 'an empty sandbox is no fresh allowance',
  fan_out_pace: 'nor a fresh pace',
  spending_control_versions: 'go with their control',
  // Tables of the installation.
  installation: 'installation',
  derivation_root: 'installation',
  network_keys: 'installation',
  operators: 'installation',
  operator_approvals: 'installation',
  pass_days_begun: 'installation: the day from which passes are counted by day',
  dispatchers: 'installation',
  screening_lists: 'installation',
  fx_rates: 'installation',
  fx_tables: 'installation',
  google_callbacks: 'installation',
  clearing_files: 'of the network, about many tenants',
  clearing_parts: 'of the network, about many tenants',
  clearing_entries: 'of the network, about many tenants',
  unmatched_messages: 'about nobody’s cards',
  drain_quarantine: 'for people to look at',
  journal_cursor: 'how far the journal is',
  config_change: 'tells the engine what is gone',
  config_horizon: 'tells the engine what is gone',
  config_history: 'what the journal was decided by; no names and no secrets',
  idempotency_keys: 'emptied but for the call’s own',
  migration_history: 'installation',
  settlement_wallets: 'installation',
  oauth_clients: 'installation',
  oauth_grants: 'a connection stays, like a key',
  oauth_states: 'of a connection, and ends by itself',
  oauth_tokens: 'of a connection, like its grant',
  billing_processor_events: 'installation: handled once however often they come',
  billing_bells: 'objects of the processor, about nobody here',
  billing_event_lists: 'installation',
  billing_exceptions: 'for people to look at',
  billing_cursors: 'stands at the end of the events',
  ledger_accounts: 'the chain keeps the money too',
  ledger_transfers: 'the chain keeps the money too',
  settlement_exceptions: 'about the chain, for operators to look at',
}

function tablesOf(hanging: readonly Hanging[]): string[] {
  return hanging.flatMap(({ table, with: inner = [] }) => [table, ...tablesOf(inner)])
}

const WIPED = [...HISTORY, ...RESOURCES].flatMap((root) => [root.table, ...tablesOf(root.with)])

function post(api: TestApi, path: string, body: object = {}, key = api.tenant.keys.write) {
  return api.call('POST', path, { key, body })
}

async function lastEvent(api: TestApi, id: string): Promise<Answer['body']> {
  const path = '/v1/events?limit=1&resource_id=' + id
  return (await api.call('GET', path, { key: api.tenant.keys.read })).body.data[0]
}

test('every table is emptied by a wipe, or kept for a reason', async (t) => {
  const { sql } = await startTestApi()
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1`
  const names = tables.map(({ name }) => name)
  t.same(
    names.filter((name) => !WIPED.includes(name) && KEPT[name] === undefined),
    [],
    'say what becomes of it in wiped-tables.ts',
  )
  t.same(
    [...WIPED, ...Object.keys(KEPT)].filter((name) => !names.includes(name)),
    [],
    'no such table',
  )
  t.same(
    WIPED.filter((name) => KEPT[name] !== undefined),
    [],
  )
})

test('no simulation route exists in live', async (t) => {
  const api = await startTestApi()
  const routes = ROUTES.filter(({ paths }) => /^\/v1\/(sandbox|simulate)\//.test(paths[0] ?? ''))
  t.equal(routes.length, 22)
  for (const { method, paths, sandboxOnly } of routes) {
    t.equal(sandboxOnly, true)
    const path = (paths[0] ?? '').replace(':id', api.live.cardId)
    const more = method === 'GET' ? {} : { body: {} }
    const answer = await api.call(method, path, { key: api.live.keys.admin, ...more })
    t.match(answer, { status: 404, body: { error: { code: 'route_not_found' } } }, path)
  }
})

test('a simulated shipment, identity, program or hit is announced like a real one', async (t) => {
  const api = await startIssuingApi()
  const card = await issue(api, 'physical')
  const cardPath = '/v1/simulate/cards/' + card.id
  const shipped = await post(api, cardPath + '/ship', { carrier: 'Post', tracking_number: 'T1' })
  t.match(shipped.body.shipping, {
    ...{ name: ADDRESS.name, status: 'shipped', carrier: 'Post', tracking_number: 'T1' },
  })
  t.match(await lastEvent(api, card.id), { type: 'card.shipped', data: { card: shipped.body } })
  t.equal((await post(api, cardPath + '/return')).body.shipping.status, 'returned')
  const again = (await post(api, cardPath + '/ship')).body.shipping
  t.match(again, { status: 'shipped', carrier: 'sim-post', tracking_number: /^SIM[0-9A-Z]{12}$/ })
  t.equal((await post(api, cardPath + '/deliver')).body.shipping.status, 'delivered')
  t.equal((await post(api, cardPath + '/ship')).status, 409)

  const program = '/v1/simulate/programs/' + api.tenant.programId
  const suspended = await post(api, program + '/suspend', {
    suspended_by: 'regulator',
    reason: 'Because',
  })
  t.match(suspended.body, { status: 'suspended', suspended_by: 'regulator' })
  t.match(await lastEvent(api, api.tenant.programId), { type: 'program.suspended' })
  t.equal((await post(api, program + '/resume')).body.status, 'active')

  const holder = '/v1/simulate/cardholders/' + api.tenant.cardholderId
  t.equal((await post(api, holder + '/kyc', { result: 'approved' })).status, 409, 'nothing is open')
  await api.sql`
    update cardholders set identity = identity || '{"status": "pending"}'
    where id = ${api.tenant.cardholderId}`
  const asked = await post(api, holder + '/kyc', {
    result: 'requires_action',
    reasons: ['blurred'],
  })
  t.match(asked.body.kyc, { status: 'requires_action', reasons: ['blurred'] })
  t.match(await lastEvent(api, api.tenant.cardholderId), {
    type: 'cardholder.kyc.requires_action',
    data: { cardholder: asked.body },
  })
  t.equal((await post(api, holder + '/kyc', { result: 'approved' })).body.kyc.status, 'approved')
  t.match(await lastEvent(api, api.tenant.cardholderId), { type: 'cardholder.kyc.completed' })
  const hit = await post(api, holder + '/sanctions_hit')
  t.match(hit.body, { frozen: true, frozen_by: 'sanctions' })
  t.match(await lastEvent(api, api.tenant.cardholderId), { type: 'cardholder.sanctions.alert' })

  for (const path of [
    '/v1/simulate/cards/' + card.id + '/ship',
    program + '/resume',
    holder + '/sanctions_hit',
  ])
    t.equal((await post(api, path, {}, api.other.keys.write)).status, 404, path)
})

test('a simulated dispute is decided and asked for more evidence', async (t) => {
  const api = await startTestApi()
  const { tenantId, environment, cardId, cardholderId } = api.tenant
  const bought = await seedTransaction(api.sql, api.tenant, { amountCents: 500 })
  const id = newId('dsp', api.clock.nowMs)
  await api.sql`
    insert into disputes (id, tenant_id, environment, transaction_id, card_id, cardholder_id,
      amount_cents, currency, reason, status, evidence_due_by, created_at)
    values (${id}, ${tenantId}, ${environment}, ${bought.id}, ${cardId}, ${cardholderId}, 500, 'USD',
      'fraudulent', 'submitted', ${api.clock.nowMs + DAY_MS}, ${api.clock.nowMs})`
  const path = '/v1/simulate/disputes/' + id
  const due = new Date(api.clock.nowMs + 2 * DAY_MS).toISOString()
  const asked = await post(api, path + '/require_evidence', { requested: 'A receipt', due_by: due })
  t.match(asked.body, { status: 'needs_response', evidence_requested: 'A receipt' })
  t.equal((await post(api, path + '/outcome', { outcome: 'won' })).status, 409)
  await api.sql`update disputes set status = 'submitted' where id = ${id}`
  t.match((await post(api, path + '/outcome', { outcome: 'won' })).body, { outcome: 'won' })
  t.equal(
    (await post(api, path + '/outcome', { outcome: 'won' }, api.other.keys.write)).status,
    404,
  )
})

test('a simulation without a network is refused, and leaves nothing', async (t) => {
  const api = await startTestApi()
  const message = { card_id: api.tenant.cardId, amount_cents: 100 }
  const headers = { 'idempotency-key': 'n-1' }
  const path = '/v1/simulate/card_network/messages'
  const call = () => api.call('POST', path, { key: api.tenant.keys.write, body: message, headers })
  t.match((await call()).body.error, { code: 'dependency_unavailable', message: /no card network/ })
  t.equal((await call()).headers.get('idempotent-replayed'), null)
})

test('journal entries of a wiped sandbox are ignored, and the drain goes on', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, other } = api
  const open = await seedTransaction(sql, tenant, { amountCents: 500 })
  const theirs = await seedTransaction(sql, other, { amountCents: 500 })
  const late = entryFor(tenant)
  await sql`
    insert into idempotency_keys (tenant_id, environment, key, sealed, created_at)
    values (${tenant.tenantId}, 'sandbox', 'before', 'x', ${api.clock.nowMs})`
  const replaced = newId('card', api.clock.nowMs)
  await sql`
    insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token,
      fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, replaces, created_at)
    select ${replaced}, tenant_id, environment, program_id, cardholder_id, type, status, ${replaced},
      ${replaced}, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, id, created_at
    from cards where id = ${tenant.cardId}`

  const key = tenant.keys.admin
  t.equal((await post(api, '/v1/sandbox/wipe', {}, tenant.keys.write)).status, 403)
  const refusals = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from refused_calls where tenant_id = ${tenant.tenantId}`
    return row?.count ?? 0
  }
  // Refused calls are written behind their answers.
  await until(async () => (await refusals()) > 0)
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', {
    key,
    body: {},
    headers: { 'idempotency-key': 'wipe-1' },
  })
  t.match(wiped, {
    status: 200,
    body: {
      deleted: {
        ...{ cards: 2, cardholders: 1, programs: 1, webhook_endpoints: 1, spending_controls: 1 },
        ...{ card_transactions: 1, card_transaction_messages: 1, events: 1, idempotency_keys: 1 },
      },
    },
  })
  const owned = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id'`
  t.ok((await refusals()) <= 1, 'none but the one of the wipe that asked for an approval')
  const others = WIPED.filter((name) => name !== 'refused_calls')
  for (const { name } of owned.filter(({ name }) => others.includes(name))) {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from ${sql(name)} where tenant_id = ${tenant.tenantId}`
    t.equal(row?.count, 0, name)
  }
  const [versions] = await sql`select count(*) from spending_control_versions`
  t.ok(Number(versions?.['count']) > 0, 'those of others stay')

  await sql`delete from journal_cursor`
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-late', 0)`
  const effect = { ...open.entry.effect!, sequence: 2, event: 'reversed' as const }
  const lateId = late.transactionId ?? ''
  const expiry = (transactionId: string): JournalEntry => ({
    kind: 'expiry',
    transactionId,
    expiredAtMs: ENTRY_TIME_MS + DAY_MS,
    effect,
  })
  const fine = entryFor(other)
  const told: JournalEntry[] = [
    late,
    expiry(open.id),
    expiry(lateId),
    lateReplyEntry({ transactionId: open.id, tenantId: tenant.tenantId }),
    lateReplyEntry({ transactionId: lateId, tenantId: tenant.tenantId }),
    cardSuspensionEntry({ cardId: tenant.cardId, tenantId: tenant.tenantId }),
    fine,
    expiry(theirs.id),
    expiry(newId('txn', ENTRY_TIME_MS)),
  ]
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  const parts = {
    sql,
    client,
    clock: systemClock,
    log: silentLog,
    journalId: 'journal-late',
    payments: NO_PAYMENTS,
  }
  const entries = told.map((entry, at) => ({ seq: at + 1, bytes: encodeEntry(entry) }))
  t.equal(await drainBatch(parts, entries, 0), told.length)
  const aside =
    await sql`select journal_seq from drain_quarantine where journal_id = 'journal-late'`
  t.same(
    aside.map((row) => row['journal_seq']),
    [told.length],
    'only what is about no transaction at all',
  )
  const [left] = await sql`
    select count(*) as gone, (select count(*) from card_transactions where tenant_id = ${other.tenantId})
      as others from card_transactions where tenant_id = ${tenant.tenantId}`
  t.match(left, { gone: 0, others: 2 })
  await sql`delete from drain_quarantine`
  await sql`delete from journal_cursor`
})

test('a wipe empties a sandbox part by part, however much it contains', async (t) => {
  const { sql, tenant, ...api } = await startTestApi()
  const { tenantId, endpointId } = tenant
  await sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select 'evt_big_' || n, ${tenantId}, 'sandbox', n, 'card.activated', '2026-11-20', 'card_1', 0, ''
    from generate_series(1, 3500) n`
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch, due_at, created_at)
    select 'dlv_big_' || n, 'evt_big_' || n, ${endpointId}, ${tenantId}, 'sandbox', 'card.activated', 1, 0, 0
    from generate_series(1, 3500) n`
  await sql`
    insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms)
    select 'dlv_big_' || n, 1, 1, 0, 0 from generate_series(1, 3500) n`
  const whole = { sql, tenant, ...api }
  const wiped = await callApproved(whole, 'POST', '/v1/sandbox/wipe', {
    key: tenant.keys.admin,
    body: {},
  })
  t.match(wiped.body.deleted, { events: 3500, open_deliveries: 3500, delivery_attempts: 3500 })
})
