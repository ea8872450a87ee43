// Billing: events counted and months closed, many periods that end at one moment, previews, drain
// and authorizations beside the count, and a payment until the engine approves.

import { measureCallback } from './billing/callback.ts'
import { measureCounting } from './billing/counting.ts'
import { measureDrain } from './billing/drain.ts'
import { measureLine } from './billing/line.ts'
import { measureMidnight } from './billing/midnight.ts'
import { measurePreview } from './billing/preview.ts'
import { openBillingTestbed } from './billing/testbed.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'

export const BILLING: Measured = {
  name: 'billing',
  seconds: { full: 450, quick: 120 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const testbed = await openBillingTestbed()
  try {
    return await measureParts([
      ['counting', () => measureCounting(testbed, options)],
      ['midnight', () => measureMidnight(testbed, options)],
      ['preview', () => measurePreview(testbed, options)],
      ['drain', () => measureDrain(options)],
      ['line', () => measureLine(options)],
      ['callback', () => measureCallback(options)],
    ])
  } finally {
    await testbed.close()
  }
}
