// The verdict on the system clock: sources in, verdict out.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import {
  acceptedDatabase,
  clockAnchorText,
  databaseIsSteady,
  ranSince,
  readClockAnchor,
} from '../../shared/clock-anchor.ts'
import {
  type ClockSources,
  describeDoubts,
  judgeClock,
  nameDoubts,
  namesDoubts,
} from '../../shared/clock-verdict.ts'
import { CLOCK_APART_MS_MAX, CLOCK_GAP_MS_MAX } from '../../shared/limits.ts'
import { fc } from '../harness/properties.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.UTC(2026, 10, 24, 12)

const NOTHING: ClockSources = {
  nowMs: NOW_MS,
  decidedMs: 0,
  acceptedMs: 0,
  confirmedMs: 0,
  machineMs: null,
  databaseMs: null,
  databaseSteady: false,
  acceptedDatabaseMs: null,
}

interface Case {
  name: string
  sources: Partial<ClockSources>
  state: string
  doubts?: string
}

const CASES: readonly Case[] = [
  { name: 'an empty journal, no source', sources: {}, state: 'unconfirmed' },
  {
    name: 'an empty journal and the database',
    sources: { databaseMs: NOW_MS },
    state: 'confirmed',
  },
  {
    name: 'an ordinary restart while PostgreSQL is down',
    sources: { decidedMs: NOW_MS - 8 * DAY_MS, machineMs: NOW_MS },
    state: 'confirmed',
  },
  {
    name: 'a reboot within minutes while PostgreSQL is down',
    sources: { decidedMs: NOW_MS - CLOCK_GAP_MS_MAX },
    state: 'unconfirmed',
  },
  {
    name: 'a quiet night and a reboot while PostgreSQL is down',
    sources: { decidedMs: NOW_MS - 8 * HOUR_MS, confirmedMs: NOW_MS - CLOCK_GAP_MS_MAX },
    state: 'unconfirmed',
  },
  {
    name: 'a machine that was off for 40 days, no second source',
    sources: { decidedMs: NOW_MS - 40 * DAY_MS },
    state: 'refused',
    doubts: 'journal@2026-10-15T12:00:00.000Z',
  },
  {
    name: 'a machine that was off for 40 days, confirmed by the database',
    sources: { decidedMs: NOW_MS - 40 * DAY_MS, databaseMs: NOW_MS + 5000 },
    state: 'confirmed',
  },
  {
    name: 'a leap of 40 days within a boot',
    sources: { decidedMs: NOW_MS - 40 * DAY_MS, machineMs: NOW_MS - 40 * DAY_MS },
    state: 'refused',
    doubts: 'machine+3456000s',
  },
  {
    name: 'a leap that the database of the same machine made as well',
    sources: { machineMs: NOW_MS - 40 * DAY_MS, databaseMs: NOW_MS },
    state: 'refused',
    doubts: 'machine+3456000s',
  },
  {
    name: 'a leap that both other sources contradict',
    sources: { machineMs: NOW_MS - HOUR_MS, databaseMs: NOW_MS - HOUR_MS, databaseSteady: true },
    state: 'refused',
    doubts: 'machine+3600s,database+3600s',
  },
  {
    name: 'a clock that was put right, as a database elsewhere confirms',
    sources: { machineMs: NOW_MS - HOUR_MS, databaseMs: NOW_MS, databaseSteady: true },
    state: 'confirmed',
    doubts: 'machine+3600s',
  },
  {
    name: 'a database whose clock leapt',
    sources: { machineMs: NOW_MS, databaseMs: NOW_MS - DAY_MS },
    state: 'unconfirmed',
    doubts: 'database+86400s',
  },
  {
    name: 'a reboot after which the database contradicts',
    sources: { decidedMs: NOW_MS - MINUTE_MS, databaseMs: NOW_MS + HOUR_MS },
    state: 'refused',
    doubts: 'database-3600s',
  },
  {
    name: 'a clock behind the last decision, whoever confirms it',
    sources: { decidedMs: NOW_MS + HOUR_MS, machineMs: NOW_MS, databaseMs: NOW_MS },
    state: 'refused',
    doubts: 'journal@2026-11-24T13:00:00.000Z',
  },
  {
    name: 'a clock behind a last decision that an operator accepted',
    sources: { decidedMs: NOW_MS + HOUR_MS, acceptedMs: NOW_MS + HOUR_MS, machineMs: NOW_MS },
    state: 'confirmed',
  },
  {
    name: 'a clock behind a later decision than the accepted one',
    sources: { decidedMs: NOW_MS + 2 * HOUR_MS, acceptedMs: NOW_MS + HOUR_MS, machineMs: NOW_MS },
    state: 'refused',
    doubts: 'journal@2026-11-24T14:00:00.000Z',
  },
  {
    name: 'a database whose other clock an operator accepted',
    sources: {
      machineMs: NOW_MS,
      databaseMs: NOW_MS - DAY_MS,
      acceptedDatabaseMs: NOW_MS - DAY_MS - CLOCK_APART_MS_MAX,
    },
    state: 'confirmed',
  },
  {
    name: 'a database that left the clock which an operator accepted',
    sources: {
      machineMs: NOW_MS,
      databaseMs: NOW_MS - DAY_MS,
      acceptedDatabaseMs: NOW_MS - DAY_MS - CLOCK_APART_MS_MAX - 1,
    },
    state: 'unconfirmed',
    doubts: 'database+86400s',
  },
  {
    name: 'a leap beside a database whose other clock an operator accepted',
    sources: {
      machineMs: NOW_MS - HOUR_MS,
      databaseMs: NOW_MS - DAY_MS,
      databaseSteady: true,
      acceptedDatabaseMs: NOW_MS - DAY_MS,
    },
    state: 'refused',
    doubts: 'machine+3600s',
  },
]

for (const { name, sources, state, doubts = '' } of CASES)
  test(name + ': ' + state, async (t) => {
    const verdict = judgeClock({ ...NOTHING, ...sources })
    t.equal(verdict.state, state)
    t.equal(nameDoubts(verdict.doubts), doubts)
  })

const apart = fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS })
const near = fc.integer({ min: -2 * CLOCK_APART_MS_MAX, max: 2 * CLOCK_APART_MS_MAX })
const moment = fc.oneof(apart, near).map((ms) => NOW_MS + ms)
const anySources = fc.record({
  nowMs: fc.constant(NOW_MS),
  decidedMs: fc.oneof(fc.constant(0), moment),
  acceptedMs: fc.oneof(fc.constant(0), moment),
  confirmedMs: fc.oneof(fc.constant(0), moment),
  machineMs: fc.option(moment),
  databaseMs: fc.option(moment),
  databaseSteady: fc.boolean(),
  acceptedDatabaseMs: fc.option(moment),
})

function agrees(sources: ClockSources, saysMs: number | null): boolean {
  return saysMs !== null && Math.abs(sources.nowMs - saysMs) <= CLOCK_APART_MS_MAX
}

test('a confirmed clock has a second source that agrees', async () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      if (judgeClock(sources).state !== 'confirmed') return
      const { machineMs, databaseMs, acceptedDatabaseMs } = sources
      if (!agrees(sources, machineMs) && !agrees(sources, databaseMs)) throw new Error('nobody')
      if (databaseMs === null || agrees(sources, databaseMs)) return
      const apartMs = Math.abs(databaseMs - (acceptedDatabaseMs ?? Number.POSITIVE_INFINITY))
      if (!(apartMs <= CLOCK_APART_MS_MAX)) throw new Error('contradicted')
    }),
  )
})

test('an engine whose clock contradicts the machine’s running time needs a steady database to start', async () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      const { machineMs, databaseSteady } = sources
      if (machineMs === null || agrees(sources, machineMs)) return
      if (databaseSteady && agrees(sources, sources.databaseMs)) return
      if (judgeClock(sources).state !== 'refused') throw new Error('decides')
    }),
  )
})

test('no clock decides behind a last decision without an operator’s acceptance', async () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      const { nowMs, decidedMs, acceptedMs } = sources
      if (decidedMs <= acceptedMs || decidedMs - nowMs <= CLOCK_APART_MS_MAX) return
      if (judgeClock(sources).state !== 'refused') throw new Error('decides')
    }),
  )
})

test('a refusal names its sources, and repeating that name accepts them', async () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      const { state, doubts } = judgeClock(sources)
      if (state !== 'refused') return
      const name = nameDoubts(doubts)
      if (!namesDoubts(name, doubts)) throw new Error('its own name is refused')
      if (describeDoubts(NOW_MS, doubts).split(', ').length !== doubts.length + 1)
        throw new Error('a source is missing in the sentence')
      if (namesDoubts(name + ',machine+0s', doubts)) throw new Error('a longer name is accepted')
    }),
  )
})

test('a name tolerates a difference of two seconds and no more', async (t) => {
  const { doubts } = judgeClock({ ...NOTHING, databaseMs: NOW_MS - HOUR_MS })
  for (const name of ['database+3600s', 'database+3598s', 'database+3602s'])
    t.equal(namesDoubts(name, doubts), true, name)
  for (const name of [
    '',
    'database',
    'database+3603s',
    'database-3600s',
    'machine+3600s',
    'database+3600s,database+3600s',
    'journal@2026-11-24T11:00:00.000Z',
  ])
    t.equal(namesDoubts(name, doubts), false, name)
  t.equal(namesDoubts('', []), false)
})

test('an anchor counts only within its boot', async (t) => {
  const moments = { nowMs: NOW_MS, databaseMs: NOW_MS, acceptedMs: 0 }
  const anchor = { bootId: 'a', uptimeMs: 1000, ...moments, acceptedDatabaseMs: null }
  t.equal(ranSince(anchor, { bootId: 'a', uptimeMs: 61_000 }), 60_000)
  t.equal(ranSince(anchor, { bootId: 'b', uptimeMs: 61_000 }), null)
  t.equal(ranSince(anchor, { bootId: 'a', uptimeMs: 999 }), null, 'a container that began again')
  t.equal(ranSince(null, { bootId: 'a', uptimeMs: 61_000 }), null)
  t.equal(databaseIsSteady(anchor, 60_000, NOW_MS + 90_000), true)
  t.equal(databaseIsSteady(anchor, 60_000, NOW_MS + 180_001), false)
  t.equal(databaseIsSteady({ ...anchor, databaseMs: null }, 60_000, NOW_MS + 60_000), false)
  t.equal(databaseIsSteady(anchor, null, NOW_MS), false)
  t.equal(acceptedDatabase(anchor, 60_000), null)
  const word = { ...anchor, acceptedDatabaseMs: NOW_MS - DAY_MS }
  t.equal(acceptedDatabase(word, 60_000), NOW_MS - DAY_MS + 60_000)
  t.equal(acceptedDatabase(word, null), null, 'not in another boot')
})

test('an anchor is read as it was written, and that of an earlier version has no word', (t) => {
  const moments = { nowMs: NOW_MS, databaseMs: null, acceptedMs: 5, acceptedDatabaseMs: 7 }
  const anchor = { bootId: 'a', uptimeMs: 1000, ...moments }
  const path = join(t.testdir({}), 'clock.json')
  const read = (text: string) => {
    writeFileSync(path, text)
    return readClockAnchor(path)
  }
  t.same(read(clockAnchorText(anchor)), anchor)
  const { accepted_database_ms: _word, ...earlier } = JSON.parse(clockAnchorText(anchor))
  t.same(read(JSON.stringify(earlier)), { ...anchor, acceptedDatabaseMs: null })
  t.equal(read(JSON.stringify({ ...earlier, accepted_database_ms: 'x' })), null)
  t.end()
})
