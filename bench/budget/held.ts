// What the line costs in one process beside work that never changes: no disk, no sockets, no second process, and so hardly any
// noise. What the HTTP server, the journal's writes and the kernel add is in the other row of the budget.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { column, rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import type { HeldCosts } from './held-process.ts'
import { undisturbed } from './undisturbed.ts'

export const HELD_LINE = 'processor time of the line in one process : of known work on its messages'
const PROCESS = fileURLToPath(new URL('held-process.ts', import.meta.url))

export async function measureHeld(options: BenchOptions): Promise<Findings> {
  options.log('Timing the line beside work that never changes.')
  const { line, known } = await timed(options.quick)
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

function timed(quick: boolean): Promise<HeldCosts> {
  const child = fork(PROCESS, { execArgv: ['--max-old-space-size=512'] })
  return new Promise((resolve, reject) => {
    child.once('message', (costs) => resolve(costs as HeldCosts))
    child.once('exit', (code) => reject(new Error('the timed process ended with ' + code)))
    child.send({ quick })
  })
}
