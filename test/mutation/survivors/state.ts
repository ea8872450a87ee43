// Mutants of the state that no test can catch.
import type { Explained } from './explained.ts'

export const STATE: readonly Explained[] = [
  {
    path: 'engine/state/counting.ts',
    line: 'if (after > before) {',
    before: '>',
    after: '>=',
    reason:
      'a message that changes nothing of what counts has no windows of its own, and adding 0 to the others changes none',
  },
  {
    path: 'engine/state/counting.ts',
    line: '} else if (after < before) countLess(counting, row, before - after)',
    before: '<',
    after: '<=',
    reason: 'giving 0 back takes nothing from any window and leaves every portion as it was',
  },
  {
    path: 'engine/memory/expiry-buckets.ts',
    line: 'this.#hours.delete(this.#from)',
    before: 'this.#hours.delete(this.#from)',
    after: ';',
    reason: 'the hour stays as an empty list, which is passed over: it only takes memory',
  },
  {
    path: 'engine/state/meters.ts',
    line: 'meter = rows[at + NEXT] as number',
    before: '+',
    after: '-',
    reason: 'what leads to the next meter stands in the first column',
  },
  {
    path: 'engine/state/meters.ts',
    line: 'const grown = new Int32Array(this.#rows.length * 2)',
    before: '2',
    after: '3',
    reason: 'the columns have more room than they need, and grow again later',
  },
  {
    path: 'engine/state/recall-table.ts',
    line: 'this.#index.reserve(records)',
    before: 'this.#index.reserve(records)',
    after: ';',
    reason: 'the tables of the index grow while records come: slower',
  },
  {
    path: 'engine/memory/slot-index.ts',
    line: 'return Math.floor((mark * places) / MARKS)',
    before: '*',
    after: '/',
    reason: 'every walk begins in front of its table, whoever adds, finds or removes: slower',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'if (count > PLACES_INLINE) places.push(...(this.#morePlaces.get(row) ?? []))',
    before: '>',
    after: '>=',
    reason: 'of exactly as many places as fit a row none is kept beside it',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'if (at >= day) return',
    before: '>=',
    after: '>',
    reason:
      'on the day where the slot stands every window is current, so rolling it changes nothing',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'for (let interval = 0; interval < INTERVALS; interval++) {',
    above: 'if (at >= day) return',
    before: '<',
    after: '<=',
    reason: 'behind the last interval every window is current, so there is nothing to set to 0',
  },
]
