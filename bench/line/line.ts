// The authorization line: durable decisions without a tenant's call, on a disk, while PostgreSQL
// drains. How many a second, and how long one takes.
import { rmSync } from 'node:fs'
import { startGenerator } from '../generator.ts'
import { newDirectory } from '../machine.ts'
import type { BenchOptions, Findings, Measured } from '../measured.ts'
import { startCeiling } from './ceiling.ts'
import { type LineParts, warmUp } from './sample.ts'
import { measureTail } from './tail.ts'
import { openLineTestbed } from './testbed.ts'
import { measureThroughput } from './throughput.ts'

const CARDS = 10_000
/** Messages before anything is measured: code is compiled by how often it runs. */
const WARM = { full: 200_000, quick: 60_000 }

export const LINE: Measured = {
  name: 'line',
  seconds: { full: 150, quick: 30 },
  run: (options) => besideCeiling(options, measureThroughput),
}

export const LATENCY: Measured = {
  name: 'latency',
  seconds: { full: 270, quick: 35 },
  run: (options) => besideCeiling(options, measureTail),
}

async function besideCeiling(
  options: BenchOptions,
  measure: (parts: LineParts, options: BenchOptions) => Promise<Findings>,
): Promise<Findings> {
  options.log('Starting PostgreSQL, engine and api with ' + CARDS + ' cards.')
  const directory = newDirectory()
  const stand = await openLineTestbed({ cards: CARDS })
  const generator = startGenerator()
  const ceiling = await startCeiling(directory)
  const parts = { stand, ceiling, generator }
  try {
    await warmUp(parts, options.quick ? WARM.quick : WARM.full)
    return await measure(parts, options)
  } finally {
    await ceiling.stop()
    await generator.stop()
    await stand.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
