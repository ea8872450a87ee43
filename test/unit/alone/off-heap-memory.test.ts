// The engine keeps its long-lived data outside the heap, where V8 does not count it: see
// engine/state/off-heap-memory.ts.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import { ExpiryBuckets } from '../../../engine/memory/expiry-buckets.ts'
import { RowMemory } from '../../../engine/memory/row-memory.ts'
import { RecallTable } from '../../../engine/state/recall-table.ts'
import { RollingWindows, rollingZone } from '../../../engine/state/rolling.ts'
import { CalendarWindows } from '../../../engine/state/windows.ts'
import { answerToRecall } from '../../harness/answer-to-recall.ts'

const MB = 1024 * 1024
const ROWS = 100_000

/** Filled data structures, by name. */
const FILLED: { readonly [name: string]: () => object } = {
  rows() {
    const rows = new RowMemory(64)
    for (let row = 0; row < ROWS; row++) rows.reach(row)
    return rows
  },
  'calendar windows'() {
    const windows = new CalendarWindows()
    for (let count = 0; count < ROWS; count++) windows.open()
    return windows
  },
  'rolling windows'() {
    const windows = new RollingWindows()
    for (let count = 0; count < ROWS; count++) windows.use(windows.open(rollingZone(60)), 1, 1, 1)
    return windows
  },
  'ends of holds'() {
    const ends = new ExpiryBuckets()
    for (let row = 0; row < 20 * ROWS; row++) ends.add(row, 1)
    return ends
  },
  'answers given'() {
    const answers = new RecallTable()
    for (let number = 0; number < ROWS; number++) answers.put(answerToRecall(number))
    return answers
  },
}

setFlagsFromString('--expose-gc')
/** Unused earlier objects are freed before the first look; the filled ones are held. */
const collect = runInNewContext('gc') as () => void
const held: object[] = []

for (const [name, filled] of Object.entries(FILLED)) {
  test(name + ' are memory, and nothing that the collector counts', (t) => {
    collect()
    const memory = process.memoryUsage().arrayBuffers
    const counted = getHeapStatistics().external_memory
    held.push(filled())
    t.ok(process.memoryUsage().arrayBuffers - memory > 4 * MB)
    t.ok(getHeapStatistics().external_memory - counted < MB)
    t.end()
  })
}

test('the memory of one hour’s ends is reused for another hour', (t) => {
  const HOUR_MS = 3_600_000
  const ends = new ExpiryBuckets()
  const fill = (hour: number): void => {
    for (let row = 0; row < 20 * ROWS; row++) ends.add(row, hour * HOUR_MS)
  }
  fill(1)
  held.push(ends)
  const memory = process.memoryUsage().arrayBuffers
  for (let hour = 2; hour < 5; hour++) {
    // No hold is open: each call skips a batch.
    const calls = Array.from({ length: (20 * ROWS) / 10_000 + 1 })
    t.ok(calls.every(() => ends.next((hour - 1) * HOUR_MS, () => 0) === -1))
    fill(hour)
  }
  t.ok(process.memoryUsage().arrayBuffers - memory < MB)
  t.end()
})
