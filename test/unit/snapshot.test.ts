import { hash } from 'node:crypto'
import { Packr } from 'msgpackr'
import { test } from 'tap'
import {
  type DecisionState,
  emptyState,
  step,
  windowMismatch,
} from '../../engine/state/decision-state.ts'
import { useFilter } from '../../engine/state/merchant-locks.ts'
import type { MeterRow } from '../../engine/state/meters.ts'
import { snapshotChunks, stateFromChunks } from '../../engine/state/snapshot.ts'
import type { JournalEntry } from '../../shared/wire/journal-entry.ts'
import { cardSuspensionEntry, decisionEntry, ENTRY_TIME_MS } from '../harness/entries.ts'

const HEAD = 1
const METERS = 2
const OVERFLOW = 3
const HOLDS = 4
const HOLD_BYTES = 100
const DAY_MS = 86_400_000

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

interface Hold {
  authorized: number
  places: readonly [meter: number, day: number][]
}

const HOLDS_OF_THEN: readonly Hold[] = [
  {
    authorized: 1,
    places: [
      [0, 20261120],
      [1, 20261121],
    ],
  },
  { authorized: 0, places: [[0, 20261120]] },
  { authorized: 50, places: Array.from({ length: 10 }, (_, meter) => [meter, 20261120 + meter]) },
]

/**
 * A hold in the layout of the first release: id, amount, receipt, number of windows, eight of them.
 */
function holdOfThen({ authorized, places }: Hold, index: number): Buffer {
  const bytes = Buffer.alloc(HOLD_BYTES)
  bytes.fill(index + 1, 0, 16)
  bytes.writeDoubleLE(authorized, 16)
  bytes.writeDoubleLE(ENTRY_TIME_MS + index, 24)
  bytes.writeUInt32LE(places.length, 32)
  for (const [at, [meter, day]] of places.slice(0, 8).entries()) {
    bytes.writeUInt32LE(meter, 36 + at * 8)
    bytes.writeUInt32LE(day, 40 + at * 8)
  }
  return bytes
}

function snapshotOfThen(): Buffer[] {
  const used = Array.from({ length: 10 }, (_, meter) =>
    HOLDS_OF_THEN.flatMap(({ authorized, places }) =>
      places.some(([of]) => of === meter) ? authorized : 0,
    ).reduce((sum, amount) => sum + amount, 0),
  )
  const days = Array.from({ length: 10 }, (_, meter) => 20261120 + meter)
  const meters = used.map((amount, meter) => [
    'card_' + meter,
    'UTC',
    'USD',
    days[meter],
    ...new Array<number>(5).fill(amount),
  ])
  const beyond = HOLDS_OF_THEN.flatMap(({ places }, index) =>
    places.length > 8 ? [[index, places.slice(8).map(([meter, day]) => ({ meter, day }))]] : [],
  )
  const holds = HOLDS_OF_THEN.map(holdOfThen)
  return [
    part(HEAD, { format: 1, seq: 9, forgotten: 0, latestMs: ENTRY_TIME_MS }),
    part(METERS, meters),
    part(OVERFLOW, beyond),
    part(HOLDS, Buffer.concat(holds.slice(0, 2))),
    part(HOLDS, holds[2]),
  ]
}

test('a hold of the first release counts once as authorized and expires after 31 days', (t) => {
  const state = stateFromChunks(snapshotOfThen())
  const { transactions, meters } = state
  t.same([state.seq, transactions.size, transactions.openHolds], [9, 3, 2])
  for (const [index, { authorized, places }] of HOLDS_OF_THEN.entries()) {
    const id = Buffer.alloc(16, index + 1)
    const row = transactions.find(hash('sha256', id, 'buffer').subarray(0, 16), id)
    const receivedAtMs = ENTRY_TIME_MS + index
    t.match(transactions.read(row), {
      sums: { authorized, captured: 0 },
      flags: 0,
      sequence: 1,
      receivedAtMs,
      holdExpiresAtMs: authorized > 0 ? receivedAtMs + 31 * DAY_MS : 0,
      asked: null,
    })
    t.same(
      transactions.places(row),
      places.map(([meter, day]) => ({ meter, day })),
    )
  }
  const counts = Array.from({ length: 10 }, (_, meter) =>
    meters.usedCount(meter, 0, 20261120 + meter),
  )
  t.same(counts, [2, 2, 1, 1, 1, 1, 1, 1, 1, 1], 'what held nothing counts no authorization')
  t.equal(meters.usedCount(1, 4, 20261121), 2)
  t.equal(windowMismatch(state), null)
  t.equal(transactions.expired(ENTRY_TIME_MS + 31 * DAY_MS - 1), -1)
  t.not(transactions.expired(ENTRY_TIME_MS + 31 * DAY_MS + 3_600_000), -1)
  t.same(chunksOf(stateFromChunks(chunksOf(state))), chunksOf(state))
  t.end()
})

test('a snapshot of an unknown format, or with an unknown part, is refused', (t) => {
  t.throws(() => stateFromChunks([part(HEAD, { format: 3 })]), /unknown format, 3/)
  t.throws(() => stateFromChunks([part(HEAD, { format: 0 })]), /unknown format, 0/)
  t.throws(() => stateFromChunks([part(12, {})]), /unknown kind, 12/)
  t.end()
})
