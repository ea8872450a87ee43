// PostgreSQL with two physical standbys: killed, promoted, its old primary started again, without a
// standby. Engine, link and drain are real.
import { join } from 'node:path'
import { test } from 'tap'
import { DatabaseWatchdog, databaseSpeaks } from '../../api/database/database-watchdog.ts'
import { askHost, openPool, type Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { link } from '../harness/drain.ts'
import {
  ENGINE_KEYS,
  NETWORK_SECRET,
  newMessage,
  sealed,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import type { EngineListener } from '../harness/engine-listener.ts'
import { file, perFile } from '../harness/per-file.ts'
import type { Teardown } from '../harness/postgres.ts'
import { type Replicated, startReplicated } from '../harness/standbys.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const IDENTITY_PARTS = 4

interface World extends Replicated {
  sql: Sql
  engine: TestEngine
  linked: ReturnType<typeof link>
  /** Decides so many messages and returns once the engine answered them. */
  decide(count: number): Promise<void>
  /** Waits until the database that takes writes has every decision once. */
  drained(): Promise<void>
}

async function world(t: Teardown, synchronous: boolean): Promise<World> {
  const replicated = await startReplicated(t, { synchronous })
  const { url } = replicated
  const sql = openPool(url, { max: 2, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 0 }))
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const { cardId } = await seedTenant(sql, 'sandbox')
  await sql`delete from controls where subject_id = ${cardId}`
  const [card] = await sql<{ token: string }[]>`select token from cards where id = ${cardId}`
  const engine = await startEngine(t, { unattached: true })
  const socketPath = join(engine.directory, 'engine.sock')
  const linked = link(t, url, { socketPath } as EngineListener)
  await until(async () => (await engine.client.status()).ready)
  const decide = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++) {
      const message = newMessage({ card: { token: card?.token ?? '' }, amount_cents: 1 })
      await until(async () => (await engine.send(message)).status === 200)
    }
  }
  const drained = async (): Promise<void> => {
    const { synced_seq: synced } = await engine.client.status()
    await until(async () => (await countIn(sql)) === synced)
  }
  return { ...replicated, sql, engine, linked, decide, drained }
}

/** Entries that the database has; 0 while it cannot be asked. */
async function countIn(sql: Sql): Promise<number> {
  try {
    const [row] = await sql<{ count: number }[]>`
      select count(distinct (transaction_id, sequence)) as count from card_transaction_messages`
    return row?.count ?? 0
  } catch {
    return 0
  }
}

function identity(sql: Sql): Promise<string> {
  return sql<{ id: string }[]>`select database_identity() as id`.then((rows) => rows[0]?.id ?? '')
}

/** A commit waits for a standby. The first test leaves one of the two running. */
const synchronous = perFile(() => world(file, true))

test('a commit that waits for a standby is given up in time, and counts once it has one', async (t) => {
  const { servers, url, sql, engine, decide, drained } = await synchronous()
  const [, second, third] = servers
  t.equal(await databaseSpeaks(url), true)
  for (const standby of [second, third]) await standby?.stop()
  const pulse = new DatabaseWatchdog({ clock: systemClock, ask: () => databaseSpeaks(url) })
  const sinceNs = systemClock.monotonicNs()
  const waiting = pulse.within((wait) =>
    tx(
      sql,
      (inner) => inner`insert into sandbox_wipes (tenant_id, wiped_at) select id, 0 from tenants`,
      {
        wait,
      },
    ),
  )
  await t.rejects(waiting, { code: 'DATABASE_SILENT', inDoubt: true })
  t.comment('given up after ' + Math.round((systemClock.monotonicNs() - sinceNs) / 1e6) + ' ms')
  await decide(10)
  t.ok((await engine.client.status()).ready, 'authorizations are untouched')
  await second?.start()
  await until(async () => (await sql`select from sandbox_wipes`).length === 1)
  await drained()
})

test('a promoted standby gets every decision, and the old primary is refused', async (t) => {
  const { servers, sql, engine, decide, drained } = await synchronous()
  const [first, second] = servers
  if (first === undefined || second === undefined) throw new Error('two servers')
  await decide(20)
  await drained()
  const before = (await identity(sql)).split(':')
  t.equal(before.length, IDENTITY_PARTS)
  const timeline = Number(before[2])
  t.equal(await askHost(first.url), timeline)
  t.same(await askHost(second.url), { standby: timeline }, 'a standby tells its timeline too')
  const deciding = decide(40)
  await first.kill()
  await deciding
  t.ok((await engine.client.status()).ready, 'authorizations go on without a database')
  await second.promote()
  await until(async () => (await countIn(sql)) > 0)
  const after = (await identity(sql)).split(':')
  t.equal(Number(after[2]), Number(before[2]) + 1, 'the new timeline, before any checkpoint')
  t.same([after[0], after[1], after[3]], [before[0], before[1], before[3]])
  // Its other standby follows the old primary still: one would wait for it for ever.
  await second.ask(async (own) => {
    await own.unsafe("alter system set synchronous_standby_names = ''")
    await own`select pg_reload_conf()`
  })
  await drained()

  await first.start()
  t.equal(
    await first.ask(async (own) => (await own`select pg_is_in_recovery() as r`)[0]?.['r']),
    false,
  )
  await decide(20)
  await drained()
  t.equal((await identity(sql)).split(':')[2], after[2], 'the pool stays with the new primary')
  const socketPath = join(engine.directory, 'engine.sock')
  const old = link(t, first.url, { socketPath } as EngineListener)
  await until(() => old.state().refused !== null)
  t.match(old.state().refused, /old primary/)
  await decide(1)
  await drained()
  t.ok((await engine.client.status()).ready, 'the engine goes on with its own database')
})

test('a standby that lost rows gets them again', async (t) => {
  const { servers, sql, engine, decide, drained } = await world(t, false)
  const [first, second, third] = servers
  if (first === undefined || second === undefined || third === undefined) throw new Error('three')
  await decide(20)
  await drained()
  for (const standby of [second, third]) await standby.stop()
  await decide(30)
  await drained()
  const { synced_seq: synced } = await engine.client.status()
  await first.kill()
  await second.start()
  const lost = await second.ask((own) => countIn(own))
  t.ok(lost < synced, 'the standby has ' + lost + ' of ' + synced)
  await second.promote()
  await drained()
  t.equal(await countIn(sql), synced)
  const [quarantined] = await sql`select count(*)::int as count from drain_quarantine`
  t.equal(quarantined?.['count'], 0)
})
