// An upgrade: today's code on the journals of every release, read, applied, answered from, drained and continued.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { startEngineLink } from '../../api/engine-link/link.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { listSnapshots } from '../../engine/journal/snapshot-file.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { CALENDAR_INTERVALS } from '../../engine/state/calendar.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import { type Clock, isoInstant, systemClock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { openHold } from '../../shared/transaction-sums.ts'
import {
  type KeptAnswer,
  type KeptWindow,
  type Release,
  releaseNames,
  unpackRelease,
} from '../faults/releases.ts'
import { tally } from '../harness/drain.ts'
import {
  derivation,
  newMessage,
  PAN,
  pushFacts,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { silentLog } from '../harness/engine-door.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const SEGMENT_BYTES = 64 * 1024

/** The system's clock, set to just behind the release's last decision: its answers are still recalled. */
function clockAfter({ state }: Release): Clock {
  const offset = state.latest_ms + 1000 - systemClock.nowMs()
  return { ...systemClock, nowMs: () => systemClock.nowMs() + offset }
}

async function recovered(directory: string, clock: Clock) {
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES,
    clock,
    events: { onSynced: () => {}, onFailed: () => {} },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const state = recoverState(directory, opened.log)
  await opened.log.close()
  if (!state.ok) throw new Error(state.error)
  return state.value
}

/** The kept windows as the state has them now. */
function windowsNow(state: DecisionState, windows: readonly KeptWindow[]): KeptWindow[] {
  return windows.map(([subject, zone, currency, day]) => {
    const meter = state.meters.find(subject, zone, currency)
    const used = CALENDAR_INTERVALS.map((_, interval) =>
      meter === -1 ? -1 : state.meters.used(meter, interval, day),
    )
    return [subject, zone, currency, day, ...used]
  })
}

function holdsNow(state: DecisionState): string[] {
  const { transactions } = state
  return [...transactions.all()]
    .filter((row) => openHold(transactions.read(row).sums) > 0)
    .map((row) => {
      const held = openHold(transactions.read(row).sums)
      return 'txn_' + encodeId(transactions.idOf(row)) + ' ' + held
    })
}

function holdsKept(answers: readonly KeptAnswer[]): string[] {
  return answers
    .map(({ answer }) => JSON.parse(answer))
    .filter(({ approved }) => approved)
    .map((answer) => answer.transaction_id + ' ' + answer.approved_amount_cents)
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
  for (const { pan, answer, ...message } of release.answers) {
    const again = { ...newMessage(), ...message, card: cardOf(pan) }
    const { status, text } = await engine.send(again, { nowS: Math.floor(clock.nowMs() / 1000) })
    if (status !== 200 || text !== answer) changed.push(status + ' ' + text + ' for ' + answer)
  }
  t.same(changed, [])
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
        t.same(windowsNow(state, kept.windows), kept.windows)
        t.same(holdsNow(state).sort(), holdsKept(release.answers).sort())
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
    await pushFacts(engine)
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
    const { state: kept } = release
    const { sql, url } = await openTestDatabase(t)
    const tenant = await seedTenant(sql, 'sandbox')
    // The tenant and the cards of then.
    await sql`insert into tenants select 'ten_1', name, api_version, created_at from tenants`
    for (const number of [1, 2, 3, 4])
      await sql`insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status,
          token, fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
        select ${'card_' + number}, 'ten_1', environment, program_id, cardholder_id, type, status,
          ${'tok_' + number}, ${'f' + number}, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at
        from cards where id = ${tenant.cardId}`
    const engine = await startEngine(t, {
      directory: release.directory,
      clock: clockAfter(release),
    })
    const { journal_id } = await engine.client.status()
    await sql`insert into journal_cursor (journal_id, seq) values (${journal_id}, 0)`
    const link = startEngineLink({
      databaseUrl: url,
      socketPath: join(release.directory, 'engine.sock'),
      clock: systemClock,
      log: silentLog,
    })
    t.teardown(() => link.stop())
    await until(async () => (await engine.client.status()).drained_seq === kept.entries)
    const transactions = kept.decisions - kept.unmatched
    t.match(await tally(sql), {
      transactions,
      entries: transactions,
      events: transactions,
      unmatched: kept.unmatched,
      quarantined: 0,
      cursor: kept.entries,
    })
    const [late] = await sql<{ count: number }[]>`
      select count(*)::int as count from card_transactions where late_outcome is not null`
    t.equal(late?.count, kept.late_replies)
    t.equal((await engine.client.status()).synced_seq, kept.entries)
  })
}
