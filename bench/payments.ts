// Payments: authorized without a chain, beside cards, at the last cent of a limit, and settled by
// the hundred beside a bare script.
import {
  type BenchOptions,
  type Findings,
  joined,
  type Measured,
  measureParts,
} from './measured.ts'
import { measureAuthorize } from './payments/authorize.ts'
import { measureBatches } from './payments/batches.ts'
import { measureBesideCards } from './payments/beside-cards.ts'
import { measureLastCent } from './payments/last-cent.ts'
import { openPaymentsTestbed } from './payments/testbed.ts'

export const PAYMENTS: Measured = {
  name: 'payments',
  seconds: { full: 420, quick: 100 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const testbed = await openPaymentsTestbed()
  let line: Findings
  try {
    line = await measureParts([
      ['authorize', () => measureAuthorize(testbed, options)],
      ['cards', () => measureBesideCards(testbed, options)],
    ])
  } finally {
    await testbed.close()
  }
  const money = await measureParts([
    ['last cent', () => measureLastCent(options)],
    ['batches', () => measureBatches(options)],
  ])
  return joined([
    ['line', line],
    ['money', money],
  ])
}
