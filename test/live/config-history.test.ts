import { test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { readConfigHistory } from '../../api/engine-link/config-history.ts'
import { readConfig } from '../../api/engine-link/config-rows.ts'
import { forgetShard } from '../../api/engine-link/forget-shard.ts'
import { purgeVersionsJob } from '../../api/engine-link/purge-versions.ts'
import type { KeptConfig } from '../../shared/wire/config-records.ts'
import type { StatusAnswer } from '../../shared/wire/control.ts'
import { encodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'
import { runJob } from '../harness/jobs.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'

const DAY_MS = 86_400_000

test('every version of a decision’s inputs is kept, without sealed values', async (t) => {
  const { sql } = await openTestDatabase(t)
  const { cardId, programId, cardholderId } = await seedTenant(sql, 'sandbox')
  await sql`update cards set status = 'suspended' where id = ${cardId}`
  await sql`update controls set controls = jsonb_set(controls, '{0,limits,0,amount_cents}', '77')
    where subject_id = ${cardId}`
  await sql`update programs set time_zone = 'Europe/Berlin' where id = ${programId}`
  await sql`update cards set status = 'active' where id = ${cardId}`

  const kept: KeptConfig[] = []
  for await (const configRecord of readConfigHistory(sql)) kept.push(configRecord)
  const ofCard = kept.filter(
    (configRecord) => configRecord.type === 'card' && configRecord.id === cardId,
  )
  t.same(
    ofCard.map((configRecord) =>
      configRecord.type === 'card' ? [configRecord.version, configRecord.status] : [],
    ),
    [
      [1, 'active'],
      [2, 'suspended'],
      [3, 'active'],
    ],
  )
  const amounts = kept.flatMap((configRecord) =>
    configRecord.type === 'controls' && configRecord.id === cardId
      ? configRecord.controls.flatMap((control) =>
          control.limits.map((limit) => limit.amount_cents),
        )
      : [],
  )
  t.same(amounts, [10_000, 77])
  for (const [type, id] of [
    ['card', cardId],
    ['program', programId],
    ['cardholder', cardholderId],
    ['controls', cardId],
  ] as const) {
    const [now] = await readConfig(sql, type, { ids: [id] })
    t.same(
      kept.filter((configRecord) => configRecord.type === type && configRecord.id === id).at(-1),
      now,
      type,
    )
  }
  const [{ text }] = await sql<[{ text: string }]>`
    select string_agg(body::text, '') as text from config_history`
  t.notMatch(text, /sealed/)
})

test('a session begun on small tables still finds versions by index when they have grown', async (t) => {
  const { sql } = await openTestDatabase(t)
  const { cardholderId } = await seedTenant(sql, 'sandbox')
  await sql`analyze config_change, config_history`
  const scans = await tx(sql, async (inner) => {
    for (let at = 0; at < 20; at++) {
      await inner`
        insert into cardholders select (jsonb_populate_record(c, jsonb_build_object('id', ${'ch_' + at}::text))).*
        from cardholders c where id = ${cardholderId}`
      await inner`update cardholders set name = ${'Holder ' + at} where id = ${'ch_' + at}`
    }
    return inner<{ relname: string; seq_scan: number }[]>`
      select relname, seq_scan from pg_stat_xact_user_tables
      where relname in ('config_change', 'config_history') and n_tup_ins > 20 order by relname`
  })
  t.same(
    [...scans],
    [
      { relname: 'config_change', seq_scan: 0 },
      { relname: 'config_history', seq_scan: 0 },
    ],
  )
})

/** An engine whose journal begins with these entries. */
function engineThatKeeps(entries: readonly JournalEntry[]) {
  return {
    status: async () => ({ first_seq: 7, synced_seq: 6 + entries.length }) as StatusAnswer,
    journal: async () => ({ journalId: 'j', firstSeq: 7, entries: entries.map(encodeEntry) }),
  }
}

test('a version that another shard’s journal can name is kept', async (t) => {
  const { sql } = await openTestDatabase(t)
  await sql`insert into fx_rates (id, rate, rate_at) values ('EUR/USD', '1.1', 0)`
  await sql`delete from fx_rates`
  const [{ now }] = await sql<[{ now: number }]>`select server_ms() as now`
  await sql`update config_history set until_at = ${now - 10 * DAY_MS}`
  await sql`
    insert into journal_cursor (one, shard, journal_id, seq)
    values (true, 's1', 'j1', 0), (null, 's2', 'j2', 0)`
  const purge = (shard: string, entries: readonly JournalEntry[]): Promise<number> =>
    runJob(purgeVersionsJob(engineThatKeeps(entries), shard), { sql, now })
  const old = decisionEntry({ receivedAtMs: now - 10 * DAY_MS, clockOffsetMs: 0 })
  const young = decisionEntry({ receivedAtMs: now, clockOffsetMs: 0 })
  t.equal(await purge('s1', [young]), 0, 'the second shard has not said which entries it keeps')
  t.equal(await purge('s2', [old]), 0)
  t.equal(await purge('s1', [young]), 0, 'the second shard keeps an older entry')
  t.equal(await purge('s2', []), 0, 'its journal keeps none any more')
  t.equal(await purge('s1', [young]), 1)
})

test('a shard that is gone holds no version once it is forgotten', async (t) => {
  const { sql } = await openTestDatabase(t)
  await sql`
    insert into journal_cursor (one, shard, journal_id, seq)
    values (true, 's1', 'j1', 0), (null, 's2', 'j2', 17)`
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  await sql`insert into fx_rates (id, rate, rate_at) values ('EUR/USD', '1.1', 0)`
  await sql`delete from fx_rates`
  const [{ now }] = await sql<[{ now: number }]>`select server_ms() as now`
  await sql`update config_history set until_at = ${now - 10 * DAY_MS} where type = 'fx_rate'`
  const young = decisionEntry({ receivedAtMs: now, clockOffsetMs: 0 })
  const purge = (): Promise<number> =>
    runJob(purgeVersionsJob(engineThatKeeps([young]), 's1'), { sql, now })
  t.equal(await purge(), 0, 'the second shard never says which versions its journal names')
  t.match(await forgetShard(sql, 's1'), { ok: false, error: 'belong to s1' })
  t.match(await forgetShard(sql, 's9'), { ok: false, error: 'No shard s9' })
  t.match(await forgetShard(sql, 's2'), { ok: false, error: 'still decides for ten_' })
  await sql`update placements set shard = 's1'`
  await sql`update placements set moved_from = 's2' where tenant_id = ${tenants[0]?.tenantId ?? ''}`
  t.match(await forgetShard(sql, 's2'), { ok: false, error: 'still decides for ten_' })
  await sql`update placements set moved_from = null`
  t.same(await forgetShard(sql, 's2'), { ok: true, value: { journalId: 'j2', seq: 17 } })
  t.equal(await purge(), 1)
  const { tenantId } = await seedTenant(sql, 'sandbox')
  const placed = await sql`select from placements where tenant_id = ${tenantId}`
  t.equal(placed.length, 0, 'no new tenant is placed there')
})

test('a version that no kept entry can name is deleted, the present one never', async (t) => {
  const { sql } = await openTestDatabase(t)
  const { cardId } = await seedTenant(sql, 'sandbox')
  for (const status of ['suspended', 'active', 'suspended'])
    await sql`update cards set status = ${status} where id = ${cardId}`
  await sql`insert into fx_rates (id, rate, rate_at) values ('EUR/USD', '1.1', 0)`
  await sql`delete from fx_rates`
  const [{ now }] = await sql<[{ now: number }]>`select server_ms() as now`
  await sql`update config_history set until_at = ${now - 10 * DAY_MS} where id = ${cardId} and version = 1`
  await sql`update config_history set until_at = ${now - 10 * DAY_MS} where type = 'fx_rate'`
  const versions = async (): Promise<string[]> => {
    const rows = await sql<{ text: string }[]>`
      select type || ' ' || version as text from config_history
      where id = ${cardId} and type = 'card' or type = 'fx_rate' order by type, version`
    return rows.map(({ text }) => text)
  }
  const before = ['card 1', 'card 2', 'card 3', 'card 4', 'fx_rate 1']
  const ahead = 40 * DAY_MS
  const oldest = decisionEntry({ receivedAtMs: now - 9 * DAY_MS + ahead, clockOffsetMs: ahead })
  const late = { ...oldest, receivedAtMs: now + 1 }
  for (const [entries, left] of [
    [[], before],
    [[{ ...oldest, receivedAtMs: oldest.receivedAtMs - 1 }, late], before],
    [[oldest, late], before],
    [
      [{ ...oldest, receivedAtMs: oldest.receivedAtMs + 1 }, late],
      ['card 2', 'card 3', 'card 4'],
    ],
  ] as [JournalEntry[], string[]][]) {
    await runJob(purgeVersionsJob(engineThatKeeps(entries), 's1'), { sql, now })
    t.same(await versions(), left)
  }
  const [current] = await readConfig(sql, 'card', { ids: [cardId] })
  t.match(current, { version: 4 })
})
