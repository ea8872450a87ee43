// The authorization line: durable decisions without a tenant's call, on a disk, while PostgreSQL drains.
import { rmSync } from 'node:fs'
import { startGenerator } from '../generator.ts'
import { newDirectory } from '../machine.ts'
import { type BenchOptions, type Findings, joined, type Measured } from '../measured.ts'
import { startCeiling } from './ceiling.ts'
import { warmUp } from './sample.ts'
import { openLineStand } from './stand.ts'
import { measureTail } from './tail.ts'
import { measureThroughput } from './throughput.ts'

const CARDS = 10_000
/** Messages before anything is measured: code is compiled by how often it runs. */
const WARM = { full: 200_000, quick: 60_000 }

export const LINE: Measured = {
  name: 'line',
  summary: 'durable authorizations: throughput by connections beside the ceiling, latency tails',
  seconds: { full: 230, quick: 35 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  options.log('Starting PostgreSQL, engine and api with ' + CARDS + ' cards.')
  const directory = newDirectory()
  const stand = await openLineStand({ cards: CARDS })
  const generator = startGenerator()
  const ceiling = await startCeiling(directory)
  const parts = { stand, ceiling, generator }
  try {
    await warmUp(parts, options.quick ? WARM.quick : WARM.full)
    const { findings, bestPerSecond } = await measureThroughput(parts, options)
    const tail = await measureTail(parts, options, bestPerSecond)
    return joined([
      ['throughput', findings],
      ['tail', tail],
    ])
  } finally {
    await ceiling.stop()
    await generator.stop()
    await stand.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
