// A tenant whose sandbox clock is ahead: windows, holds and every recorded time follow it,
// deadlines and recall follow ours.
import { test } from 'tap'
import { redecide } from '../../engine/decision-replay/decision-replay.ts'
import { ConfigVersions } from '../../engine/decision-replay/versions.ts'
import { emptyState } from '../../engine/state/decision-state.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { encodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { cardConfig, newMessage, pushConfig, startEngine } from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { controlsConfig, judgedConfig, limitConfig } from '../harness/judged.ts'

const DAY_MS = 24 * 3_600_000
const AHEAD_MS = 40 * DAY_MS
const LIMIT = 1000 as MinorUnits

const program = judgedConfig().program
const ahead = { ...program, version: 2, clock_offset_ms: AHEAD_MS }
const controls = controlsConfig({ limits: [limitConfig({ amount_cents: LIMIT })] })

async function decidedAgain(entries: readonly JournalEntry[]) {
  const versions = new ConfigVersions()
  for (const configRecord of [program, ahead, judgedConfig().cardholder, cardConfig(), controls])
    versions.add(configRecord)
  return redecide({
    state: emptyState(),
    versions,
    entries: entries.map((entry, index) => ({ seq: index + 1, bytes: encodeEntry(entry) })),
    log: silentLog,
    whatIf: false,
    differencesMax: 10,
  })
}

test('a moved clock opens the next day and expires holds', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine, { more: [controls] })
  const first = newMessage({ amount_cents: LIMIT })
  const before = await engine.purchase(first)
  t.equal(before.approved, true)
  t.equal((await engine.purchase({ amount_cents: 1 })).decline_reason, 'limit_daily')

  await engine.push(ahead)
  const after = await engine.purchase({ amount_cents: LIMIT })
  t.equal(after.approved, true, 'a new day by the tenant’s clock')
  t.equal((await engine.purchase({ amount_cents: 1 })).decline_reason, 'limit_daily')
  t.same(await engine.purchase(first), before, 'a repeat is still recalled')

  const moved = (await engine.entries()).filter((entry) => entry.kind === 'decision')
  const [one, , three] = moved
  t.ok(one !== undefined && three !== undefined)
  const aheadMs = (three?.receivedAtMs ?? 0) - (one?.receivedAtMs ?? 0)
  t.ok(aheadMs >= AHEAD_MS && aheadMs < AHEAD_MS + 60_000, 'moments are the tenant’s')
  t.same(
    moved.map(({ clockOffsetMs }) => clockOffsetMs),
    [0, 0, AHEAD_MS, AHEAD_MS],
  )
  const holds = moved.flatMap(({ transactionId, effect }) =>
    transactionId === null || effect === null
      ? []
      : [{ transaction_id: transactionId, link: effect.link, now_ms: Date.now() + AHEAD_MS }],
  )
  t.equal(await engine.client.endHolds(holds), 1, 'the first hold is over, the second is young')
  t.equal(await engine.client.endHolds(holds), 0, 'and ends once')

  const again = await engine.restart()
  await pushConfig(again, { program: ahead, more: [controls] })
  t.equal((await again.purchase({ amount_cents: 1 })).decline_reason, 'limit_daily')
  t.same(await again.purchase(first), before)
  const entries = await again.entries()
  t.equal(entries.filter(({ kind }) => kind === 'expiry').length, 1)
  t.match(await decidedAgain(entries), { decisions: 5, identical: 5 })
})

test('an invalid request to end holds is refused', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const hold = { transaction_id: 'txn_' + '0'.repeat(26), link: Buffer.alloc(16), now_ms: 1 }
  t.equal(await engine.client.endHolds([hold]), 0, 'nobody knows it')
  for (const wrong of [
    { ...hold, transaction_id: 'x' },
    { ...hold, link: Buffer.alloc(15) },
    { ...hold, now_ms: 0.5 },
  ])
    await t.rejects(engine.client.endHolds([wrong]), { status: 400, message: /not an EndHolds/ })
  await t.rejects(engine.client.endHolds(Array.from({ length: 101 }, () => hold)), {
    status: 400,
    message: /not an EndHolds/,
  })
})
