// The cost of our own code, step by step: the authorization line in one process, without sockets
// and without the device.
import { timedAsTheEngine } from './as-the-engine.ts'
import { column, rounded } from './figures.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import type { StepFigures } from './steps/process.ts'
import type { Cost } from './steps/rounds.ts'
import { chartsOf } from './steps/timings.ts'
import { stagesUnderLoad } from './steps/under-load.ts'

const PROCESS = new URL('steps/process.ts', import.meta.url)
const JUDGE_US_MAX = 1
const LINE_US_MAX = 8

export const STEPS: Measured = {
  name: 'steps',
  seconds: { full: 80, quick: 15 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  options.log('Timing the line and its steps in a process of their own.')
  const figures = await timedAsTheEngine<StepFigures>(PROCESS, options.quick)
  const { parts: loaded, flaws } = await stagesUnderLoad(options)
  const { line, steps, parts } = figures
  const whole = line.token.wallUs
  const judge = steps['judge, ten controls']?.wallUs ?? 0
  return {
    lines: [
      '',
      ['', 'µs', 'CPU µs', 'best', 'worst'].map(column).join(''),
      row('the whole line, by token', line.token),
      row('the whole line, by number', line.pan),
      ...Object.entries(steps).map(([step, cost]) => row('  ' + step, cost)),
      '',
      'Under load, by the engine’s own journal, µs: ' +
        loaded.map(({ name, value }) => name + ' ' + value).join(', '),
      '',
    ],
    figures: { ...figures, under_load: loaded },
    targets: [
      {
        sentence: 'judge with ten controls : 1 µs, at the median',
        ratio: rounded(judge / JUDGE_US_MAX),
        atMost: 1,
      },
      {
        sentence: 'our own code per authorization : 8 µs',
        ratio: rounded(whole / LINE_US_MAX),
        atMost: 1,
      },
    ],
    flaws,
    stages: [
      {
        chart: 'Where the time of an authorization goes, in process',
        unit: 'µs',
        rows: [
          {
            name: 'by token',
            parts: Object.entries(parts).map(([name, part]) => ({
              name,
              value: rounded(part * whole),
            })),
          },
        ],
      },
      ...chartsOf(loaded, 'at 5,000 a second'),
    ],
  }
}

function row(name: string, { wallUs, cpuUs, p1Us, p99Us }: Cost): string {
  return [name, wallUs, cpuUs, p1Us, p99Us].map(column).join('')
}
