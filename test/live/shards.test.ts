// Two shards behind one PostgreSQL: tenants are placed, each engine decides for its own, and each
// journal is drained.
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { startEngineLinks } from '../../api/engine-link/link.ts'
import { moveGroup } from '../../api/engine-link/move-group.ts'
import { createEnginePort } from '../../api/engine-link/shard-clients.ts'
import { drainedPayments } from '../../api/payments/payments/index.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { MIGRATED } from '../harness/drain.ts'
import {
  ENGINE_KEYS,
  NETWORK_SECRET,
  newMessage,
  sealed,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { paymentMessage } from '../harness/payment-messages.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedPaymentAccount, seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const SHARDS = ['s1', 's2']
/** An authorization waits so long for its tenant's answer. */
const LATE_MS = 1000

async function world(t: Test) {
  const { sql, url } = await openTestDatabase(t)
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const before = await seedTenant(sql, 'sandbox')
  const engines: TestEngine[] = []
  for (const shard of SHARDS) engines.push(await startEngine(t, { unattached: true, shard }))
  const sockets = engines.map(({ directory }) => join(directory, 'engine.sock'))
  const links = startEngineLinks(
    {
      databaseUrl: url,
      clock: systemClock,
      watch: { agrees: true },
      log: silentLog,
      migrations: MIGRATED,
      payments: drainedPayments,
    },
    sockets.map((socketPath, at) => ({ socketPath, shard: SHARDS[at] ?? '' })),
  )
  t.teardown(() => links.stop())
  const port = createEnginePort(sockets, systemClock)
  t.teardown(() => port.close())
  await until(async () => (await sql`select from journal_cursor`).length === 2)
  const covered = async (): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    await until(() => port.covers(BigInt(row?.xid ?? 0)).catch(() => false))
  }
  const send = async (engine: TestEngine | undefined, tenant: TestTenant) => {
    const [card] = await sql<{ token: string }[]>`
      select token from cards where id = ${tenant.cardId}`
    const sent = await engine?.send(newMessage({ card: { token: card?.token ?? '' } }))
    return { status: sent?.status, body: JSON.parse(sent?.text ?? 'null') }
  }
  const drained = (): Promise<void> =>
    until(async () => {
      const all = await Promise.all(engines.map(({ client }) => client.status()))
      return all.every((status) => status.drained_seq === status.synced_seq)
    })
  /** An operator's connection for the lock of a move. */
  const newLock = (): Sql => {
    const lock = openPool(url, { max: 1, applicationName: 'svc-test-lock' })
    t.teardown(() => lock.end({ timeout: 1 }))
    return lock
  }
  return { sql, engines, links, port, before, covered, send, drained, newLock }
}

test('a tenant is decided for by its shard alone, and drained from its journal', async (t) => {
  const { sql, engines, links, before, covered, send, drained } = await world(t)
  const [first, second] = engines
  const after = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  const placed = await sql<{ tenant_id: string; environment: string; shard: string }[]>`
    select tenant_id, environment, shard from placements order by tenant_id, environment`
  t.equal(placed.length, 4, 'both environments of the tenants that came after the second shard')
  t.same(new Set(placed.map(({ shard }) => shard)), new Set(SHARDS), 'none has cards: by turns')
  const shardOf = (tenant: TestTenant) =>
    placed.find(({ tenant_id: id }) => id === tenant.tenantId)?.shard ?? 's1'
  await covered()
  for (const tenant of [before, ...after]) {
    const [own, other] = shardOf(tenant) === 's1' ? [first, second] : [second, first]
    const refused = await send(other, tenant)
    t.equal(refused.status, 503, 'an engine decides for no group of another shard')
    t.match(refused.body.error.message, 'belongs to shard ' + shardOf(tenant))
    t.match(await send(own, tenant), { status: 200, body: { approved: true } })
  }
  await drained()
  const rows = await sql<{ tenant_id: string; count: number }[]>`
    select tenant_id, count(*) as count from card_transactions group by tenant_id`
  t.equal(rows.length, 3)
  t.ok(rows.every(({ count }) => count === 1))
  const cursors = await sql`select shard, journal_id, seq from journal_cursor order by shard`
  t.equal(new Set(cursors.map(({ journal_id: id }) => id)).size, 2, 'a cursor for each journal')
  t.match(links.jobLines().join('\n'), /job="end_holds_s2"/, 'the jobs of both shards are shown')
})

test('a message id for cards of two shards is decided twice, and the second is parked', async (t) => {
  const { sql, engines, before, covered, drained } = await world(t)
  const after = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  const [placed] = await sql<{ tenant_id: string }[]>`
    select tenant_id from placements where shard = 's2' and environment = 'sandbox'`
  const other = after.find(({ tenantId }) => tenantId === placed?.tenant_id)
  if (other === undefined) throw new Error('no tenant in the second shard')
  await covered()
  const { id } = newMessage()
  for (const [at, { cardId }] of [before, other].entries()) {
    const [card] = await sql<{ token: string }[]>`select token from cards where id = ${cardId}`
    const sent = await engines[at]?.send(newMessage({ id, card: { token: card?.token ?? '' } }))
    t.match(JSON.parse(sent?.text ?? 'null'), { approved: true }, 'neither shard knows the other')
    await drained()
  }
  const stored = await sql`select from card_transaction_messages where message_id = ${id}`
  t.equal(stored.length, 1)
  const parked = await sql<{ error: string }[]>`select error from drain_quarantine`
  t.same(
    parked.map(({ error }) => error),
    ['another decision about this message is stored'],
  )
})

test('a program leaves the shard of its tenant where an operator splits it', async (t) => {
  const { sql, engines, before, covered, send } = await world(t)
  const [first, second] = engines
  await sql`
    insert into placements (tenant_id, environment, program_id, shard)
    values (${before.tenantId}, 'sandbox', ${before.programId}, 's2')`
  await covered()
  t.equal((await send(first, before)).status, 503)
  t.match(await send(second, before), { status: 200, body: { approved: true } })
  await sql`update placements set shard = '-' where program_id = ${before.programId}`
  await covered()
  t.equal((await send(second, before)).status, 503, 'while it moves no engine decides for it')
  const [row] = await sql`select version from placements where program_id = ${before.programId}`
  t.equal(row?.['version'], 2)
})

test('a card that no engine knows is declined only where no front door knows it', async (t) => {
  const { engines, covered } = await world(t)
  await covered()
  const sent = await engines[0]?.send(newMessage({ card: { token: 'tok_nobody' } }))
  t.equal(sent?.status, 503)
  t.match(JSON.parse(sent?.text ?? '').error.message, /does not know this card/)
})

test('calls of the api reach the shard of the account', async (t) => {
  const { sql, port, before, covered } = await world(t)
  const accounts = [await seedPaymentAccount(sql, before)]
  const after = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  for (const tenant of after) accounts.push(await seedPaymentAccount(sql, tenant))
  await covered()
  for (const payment_account_id of accounts) {
    const message = paymentMessage({ payment_account_id })
    t.equal((await port.decidePayment(message)).state, 'decided')
    t.equal((await port.decidePayment(message)).state, 'recalled', 'by the same shard')
  }
  t.same(await port.breakers(['we_1']), [{ state: 'closed', for_ms: null, opened_count: 0 }])
})

test('a group moves while it has decided nothing, and stays once it has', async (t) => {
  const { sql, engines, before, send, newLock } = await world(t)
  const [first, second] = engines
  const { tenantId, environment } = before
  const parts = { sql, lock: newLock(), clients: engines.map(({ client }) => client) }
  const group = { tenantId, environment, programId: null }
  t.match(await moveGroup(parts, group, 's9'), { ok: false, error: 'No shard s9' })
  t.match(await moveGroup(parts, { ...group, tenantId: 'ten_x' }, 's2'), { ok: false })
  t.same(await moveGroup(parts, group, 's2'), { ok: true, value: { from: 's1', isKnown: true } })
  t.equal((await send(first, before)).status, 503)
  t.match(await send(second, before), { status: 200, body: { approved: true } })
  await until(async () => (await sql`select from card_transactions`).length === 1)
  t.match(await moveGroup(parts, group, 's1'), { ok: false, error: 'has decided transactions' })
  const place = async () => (await sql`select shard from placements where program_id is null`)[0]
  t.match(await place(), { shard: 's2' })

  // The command was killed in the middle.
  await sql`update placements set shard = '-', moved_from = shard`
  t.match(await moveGroup(parts, group, 's1'), { ok: false, error: 'Move it back to s2' })
  t.same(await moveGroup(parts, group, 's2'), { ok: true, value: { from: '-', isKnown: true } })
  t.match(await place(), { shard: 's2' })
  t.match(await send(second, before), { status: 200, body: { approved: true } })
})

test('a decision that its engine had begun before the move keeps the group', async (t) => {
  const { sql, engines, before, newLock } = await world(t)
  const { tenantId, environment, cardId, programId } = before
  const clients = engines.map(({ client }, at) => ({
    status: () => client.status(),
    settled: (xid: bigint) => client.settled(xid),
    async covers(xid: bigint) {
      const has = await client.covers(xid)
      // The tenant answers late: the engine journals a decision that it began before.
      if (at === 0 && has)
        systemClock.after(LATE_MS, () => {
          void sql`
            insert into card_transactions (
              id, tenant_id, environment, seq, card_id, cardholder_id, network, status,
              amount_cents, approved_cents, currency, created_at)
            select 'txn_late', tenant_id, environment, 1, id, cardholder_id, 'simnet', 'authorized',
              1, 1, 'usd', 0
            from cards where id = ${cardId} on conflict do nothing`.then()
        })
      return has
    },
  }))
  const group = { tenantId, environment, programId }
  const parts = { sql, lock: newLock(), clients }
  t.match(await moveGroup(parts, group, 's2'), { ok: false, error: 'has decided' })
  t.same([...(await sql`select from placements`)], [], 'the program follows its tenant again')
  t.same([...(await sql`select shard from programs where shard is not null`)], [])
})

test('a move that is ended puts the group back, one that was killed is taken up', async (t) => {
  const { sql, engines, before, newLock } = await world(t)
  const { tenantId, environment, programId } = before
  const group = { tenantId, environment, programId }
  const ended = new AbortController()
  const clients = engines.map(({ client }) => ({
    status: () => client.status(),
    settled: (xid: bigint) => client.settled(xid),
    async covers() {
      ended.abort()
      return false
    },
  }))
  const lock = newLock()
  const cut = await moveGroup({ sql, lock, clients, signal: ended.signal }, group, 's2')
  t.match(cut, { ok: false, error: 'The move was ended' })
  t.same([...(await sql`select from placements`)], [])

  await sql`
    insert into placements (tenant_id, environment, program_id, shard)
    values (${tenantId}, ${environment}, ${programId}, '-')`
  const parts = { sql, lock, clients: engines.map(({ client }) => client) }
  t.same(await moveGroup(parts, group, 's2'), { ok: true, value: { from: '-', isKnown: true } })
  t.same([...(await sql`select shard from programs where id = ${programId}`)], [{ shard: 's2' }])
})

test('a second operator is refused while a group of the tenant moves', async (t) => {
  const { sql, engines, before, newLock } = await world(t)
  const { tenantId, environment, programId } = before
  const own = engines.map(({ client }) => client)
  const other = { sql, lock: newLock(), clients: own }
  let second: unknown = null
  const clients = own.map((client) => ({
    status: () => client.status(),
    settled: (xid: bigint) => client.settled(xid),
    async covers(xid: bigint) {
      second ??= await moveGroup(other, { tenantId, environment, programId }, 's2')
      return client.covers(xid)
    },
  }))
  const group = { tenantId, environment, programId: null }
  const first = await moveGroup({ sql, lock: newLock(), clients }, group, 's2')
  t.same(first, { ok: true, value: { from: 's1', isKnown: true } })
  t.match(second, { ok: false, error: 'by another command' })
  t.match(await moveGroup(other, group, 's1'), { ok: true }, 'and may move it afterwards')
})
