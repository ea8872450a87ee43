// Measures the cost of the line in one process beside work that never changes: no disk, no sockets,
// no second process, and therefore hardly any noise. The other row of the budget includes the HTTP
// server, the journal's writes and the kernel.
import { timedAsTheEngine } from '../as-the-engine.ts'
import { column, rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import type { HeldCosts } from './held-process.ts'
import { undisturbed } from './undisturbed.ts'

export const HELD_LINE = 'processor time of the line in one process : of known work on its messages'
const PROCESS = new URL('held-process.ts', import.meta.url)

export async function measureHeld(options: BenchOptions): Promise<Findings> {
  options.log('Timing the line beside work that never changes.')
  const { line, known } = await timedAsTheEngine<HeldCosts>(PROCESS, options.quick)
  const [ours, theirs] = [undisturbed(line), undisturbed(known)]
  return {
    lines: [
      '',
      ['', 'CPU µs each'].map(column).join(''),
      ['the line in one process', ours].map(column).join(''),
      ['known work', theirs].map(column).join(''),
    ],
    figures: { line_cpu_us: ours, known_cpu_us: theirs },
    targets: [],
    flaws: [],
    ratios: [
      {
        sentence: HELD_LINE,
        ours,
        theirs,
        unit: 'µs',
        ratio: rounded(ours / theirs),
        each: line.map((cost, round) => rounded(cost / (known[round] ?? cost))),
        bound: null,
      },
    ],
  }
}
