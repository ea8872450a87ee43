import { Packr } from 'msgpackr'
import { test } from 'tap'
import { type DecisionState, emptyState, step } from '../../engine/state/decision-state.ts'
import { useFilter } from '../../engine/state/merchant-locks.ts'
import type { MeterRow } from '../../engine/state/meters.ts'
import { snapshotChunks, stateFromChunks } from '../../engine/state/snapshot.ts'
import type { JournalEntry } from '../../shared/wire/journal-entry.ts'
import { cardSuspensionEntry, decisionEntry, ENTRY_TIME_MS } from '../harness/entries.ts'

const HEAD = 1
const METERS = 2

const packr = new Packr({ useRecords: false })

function chunksOf(state: DecisionState): Buffer[] {
  return [...snapshotChunks(state)].map((chunk) => Buffer.from(chunk))
}

function part(tag: number, body: unknown): Buffer {
  return Buffer.concat([Buffer.of(tag), Buffer.isBuffer(body) ? body : packr.pack(body)])
}

/**
 * One of everything a snapshot holds: a stand-in approval under a lock, with more windows than a
 * row has, and a stopped card.
 */
function fullState(): DecisionState {
  const state = emptyState()
  const { decision } = decisionEntry({})
  const days = Array.from({ length: 11 }, (_, zone) => [
    'card_1',
    'rolling:' + (zone + 10),
    'USD',
    zone,
  ])
  const entries: JournalEntry[] = [
    decisionEntry({
      pin: 'mismatch',
      decision: {
        ...decision,
        standIn: true,
        meters: [
          ['card_1', 'UTC', 'XXX', 20261120, useFilter('ctl_1')],
          ...(days as [string, string, string, number][]),
        ],
        marks: [{ rule: 'card_testing', keep: 5 }],
      },
    }),
    cardSuspensionEntry({}),
  ]
  for (const [index, entry] of entries.entries())
    step(state, { type: 'entry', seq: index + 1, entry })
  state.forgotten = 3
  return state
}

test('a state reads back whole from its chunks, and gives the same chunks', (t) => {
  const state = fullState()
  const chunks = chunksOf(state)
  const again = stateFromChunks(chunks)
  t.same(chunksOf(again), chunks)
  const { seq, forgotten, latestMs } = again
  t.same({ seq, forgotten, latestMs }, { seq: 2, forgotten: 3, latestMs: ENTRY_TIME_MS })
  t.equal(again.usage.lockedMerchant('card_1', 'use:ctl_1'), 'm-1')
  t.equal(again.tries.pinFailures('card_1', 3), 1)
  t.equal(again.tries.stoppedBy('card_1', 1), 'card_testing')
  t.equal(again.standIn.ofCard('card_1', ENTRY_TIME_MS), 1250)
  t.equal(again.transactions.places(0).length, 12)
  t.equal(again.recall.size, 1)
  t.end()
})

test('windows are stored in chunks of 4096, each in one of them', (t) => {
  const state = emptyState()
  for (let card = 0; card < 4096 + 7; card++)
    state.meters.use(state.meters.open('card_' + card, 'rolling:60', 'USD'), 20261120, 5, 1)
  const rows = chunksOf(state)
    .filter(([tag]) => tag === METERS)
    .map((chunk) => packr.unpack(chunk.subarray(1)) as MeterRow[])
  t.same(
    rows.map(({ length }) => length),
    [4096, 7],
  )
  t.equal(new Set(rows.flat().map(([subject]) => subject)).size, 4096 + 7)
  t.end()
})

test('a snapshot of an unknown format, or with an unknown part, is refused', (t) => {
  t.throws(() => stateFromChunks([part(HEAD, { format: 3 })]), /unknown format, 3/)
  t.throws(() => stateFromChunks([part(HEAD, { format: 1 })]), /unknown format, 1/)
  t.throws(() => stateFromChunks([part(12, {})]), /unknown kind, 12/)
  t.end()
})
