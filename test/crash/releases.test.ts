// An upgrade: today's code on the journals of every release, read, applied, answered from, drained
// and continued.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import type { ConfigReader } from '../../engine/config-cache/reader.ts'
import { RECORDS_FORMAT } from '../../engine/config-cache/stored.ts'
import { listSnapshots } from '../../engine/journal/snapshot-file.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import { type Clock, isoInstant, systemClock } from '../../shared/clock.ts'
import type { ConfigRecord } from '../../shared/wire/config-records.ts'
import { drainedRows, drainRelease } from '../faults/drain-release.ts'
import {
  metersNow,
  recovered,
  standInNow,
  stopsNow,
  transactionsNow,
} from '../faults/kept-state.ts'
import { type Release, releaseNames, unpackRelease } from '../faults/releases.ts'
import { tally } from '../harness/drain.ts'
import {
  derivation,
  newMessage,
  PAN,
  pushConfig,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { until } from '../harness/until.ts'

/** A record of an earlier version with the fields that were added since. */
function withAdded(configRecord: ConfigRecord): ConfigRecord {
  if (configRecord.type !== 'program') return configRecord
  return { ...configRecord, authorizations_closed: false, shard: null }
}

/**
 * The system's clock, set to just behind the release's last decision: its answers are still
 * recalled.
 */
function clockAfter({ state }: Release): Clock {
  const offset = state.latest_ms + 1000 - systemClock.nowMs()
  return { ...systemClock, nowMs: () => systemClock.nowMs() + offset }
}

function cardOf(pan: string) {
  return { pan, exp_month: 12, exp_year: 2034, cvc: derivation.cvc(pan, 12, 2034) }
}

/** Sends every message of the release again; each must get its answer back to the byte. */
async function repeatsAnswered(
  t: Test,
  engine: TestEngine,
  release: Release,
  clock: Clock,
): Promise<void> {
  const changed: string[] = []
  for (const kept of release.answers) {
    const nowS = Math.floor(clock.nowMs() / 1000)
    const { status, text } = await engine.send(kept.message, { nowS })
    if (status !== 200 || text !== kept.answer)
      changed.push(status + ' ' + text + ' for ' + kept.answer)
  }
  t.same(changed, [])
}

/** Compares windows, transactions, stopped cards and stand-in. */
function compareState(t: Test, state: DecisionState, { state: kept }: Release): void {
  t.same(metersNow(state, kept.meters), kept.meters)
  t.equal(state.meters.size, kept.meters.length)
  t.same(transactionsNow(state), kept.transactions)
  t.same(stopsNow(state, kept.stopped), kept.stopped)
  const cards = kept.stand_in.cards.map(([card]) => card)
  t.same(standInNow(state, cards), kept.stand_in)
}

/** The config record of the same type and id. */
function configNow(configCache: ConfigReader, { type, id }: ConfigRecord): ConfigRecord | null {
  switch (type) {
    case 'program':
      return configCache.program(id)
    case 'cardholder':
      return configCache.cardholder(id)
    case 'card':
      return configCache.card(id)
    case 'controls':
      return configCache.controls(id)
    case 'endpoint':
      return configCache.endpoint(id)
    case 'fx_rate':
      return configCache.fxRate(id)
    case 'authentication':
      return configCache.authentication(id)
    case 'wallet_token':
      return configCache.walletToken(id)
    case 'network_key':
      return configCache.networkKeys().find((key) => key.id === id) ?? null
    case 'root':
      return configCache.root()
  }
}

for (const name of releaseNames()) {
  test(
    name + ': windows, holds and answers are what they were, from a snapshot or without one',
    async (t) => {
      const release = unpackRelease(t, name)
      const { state: kept } = release
      const journal = join(release.directory, 'journal')
      for (let snapshots = listSnapshots(journal).length; snapshots >= 0; snapshots--) {
        const { state, snapshotSeq } = await recovered(journal, clockAfter(release))
        if (snapshots === 2) t.equal(snapshotSeq, kept.snapshot_seq)
        if (snapshots === 0) t.equal(snapshotSeq, 0)
        t.equal(state.seq, kept.entries)
        t.equal(state.latestMs, kept.latest_ms)
        compareState(t, state, release)
        t.equal(state.recall.size, kept.decisions)
        const [latest] = listSnapshots(journal)
        if (latest !== undefined) rmSync(latest.path)
      }
    },
  )

  test(name + ': every repeat gets the bytes of then, and new messages continue it', async (t) => {
    const release = unpackRelease(t, name)
    const clock = clockAfter(release)
    const options = { directory: release.directory, clock, snapshotEntries: 50 }
    let engine = await startEngine(t, options)
    await pushConfig(engine)
    await repeatsAnswered(t, engine, release, clock)
    for (let count = 0; count < 60; count++) {
      const message = newMessage({
        transmitted_at: isoInstant(clock.nowMs()),
        card: cardOf(PAN),
        amount_cents: 1,
      })
      const sent = await engine.send(message, { nowS: Math.floor(clock.nowMs() / 1000) })
      if (sent.status !== 200) t.fail(sent.text)
    }
    const latest = (): number => listSnapshots(join(release.directory, 'journal'))[0]?.seq ?? 0
    await until(() => latest() > release.state.entries)
    engine = await engine.restart()
    await until(async () => (await engine.client.status()).ready)
    await repeatsAnswered(t, engine, release, clock)
  })

  test(name + ': it drains into PostgreSQL', async (t) => {
    const release = unpackRelease(t, name)
    const { state: kept, directory } = release
    const { sql, engine } = await drainRelease(t, directory, clockAfter(release), kept.entries)
    const [late] = await sql<{ count: number }[]>`
      select count(*)::int as count from card_transactions where late_outcome is not null`
    t.equal(late?.count, kept.late_replies)
    t.equal((await engine.client.status()).synced_seq, kept.entries)
    t.same(await drainedRows(sql), release.drained)
    const counts = { unmatched: kept.unmatched, quarantined: 0, cursor: kept.entries }
    t.match(await tally(sql), counts)
  })

  test(
    name + ': its facts are read as they were, or thrown away where the format is another',
    async (t) => {
      const { directory, state } = unpackRelease(t, name)
      const configCache = openConfigCache({
        directory: join(directory, 'facts'),
        clock: systemClock,
        log: silentLog,
        onFailed: (reason) => t.fail(reason),
      })
      t.teardown(() => configCache.close())
      if (state.facts_format === RECORDS_FORMAT)
        t.same(
          state.configCache.map((configRecord) => configNow(configCache, configRecord)),
          state.configCache.map(withAdded),
        )
      else t.equal(configCache.cursor, null)
    },
  )
}
