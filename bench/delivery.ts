// Delivery by one dispatcher process with all its bookkeeping: throughput, fairness, latency, and
// the cost of a large backlog. Receiver and recorder are processes of their own.

import { measureCost } from './delivery-cost.ts'
import { measureFairness, measureLanes } from './delivery-fairness.ts'
import { measureMemory } from './delivery-memory.ts'
import { measureThroughput } from './delivery-throughput.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'

export const DELIVERY: Measured = {
  name: 'delivery',
  seconds: { full: 700, quick: 110 },
  run,
}

const PARTS: readonly [string, (options: BenchOptions) => Promise<Findings>][] = [
  ['throughput', measureThroughput],
  ['fairness', measureFairness],
  ['lanes', measureLanes],
  ['cost', measureCost],
  ['memory', measureMemory],
]

function run(options: BenchOptions): Promise<Findings> {
  const parts = PARTS.map(([name, measure]) => [name, () => measure(options)] as const)
  // Memory over a few seconds proves nothing.
  return measureParts(options.quick ? parts.filter(([name]) => name !== 'memory') : parts)
}
