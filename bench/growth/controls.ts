// Measures the cost of an authorization by the number of controls of its card. The API allows fewer
// than one hundred, but the engine sets no bound, and a quadratic cost would show here.
import { timedAsTheEngine } from '../as-the-engine.ts'
import { column } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import type { ControlsCost } from './controls-process.ts'

const PROCESS = new URL('controls-process.ts', import.meta.url)

export async function measureControls(options: BenchOptions): Promise<Findings> {
  options.log('Timing the line with more and more controls on a card.')
  const costs = await timedAsTheEngine<ControlsCost[]>(PROCESS, options.quick)
  return {
    lines: [
      '',
      ['controls of a card', 'CPU µs each'].map(column).join(''),
      ...costs.map(({ controls, cpuUs }) => [controls, cpuUs].map(column).join('')),
    ],
    figures: Object.fromEntries(
      costs.map(({ controls, cpuUs }) => ['cpu_us_with_' + controls, cpuUs]),
    ),
    targets: [],
    flaws: [],
    series: [
      {
        chart: 'Cost of an authorization by controls of the card, in process',
        x: 'controls',
        y: 'CPU µs each',
        logX: true,
        lines: [
          { name: 'the line', points: costs.map(({ controls, cpuUs }) => [controls, cpuUs]) },
        ],
      },
    ],
  }
}
