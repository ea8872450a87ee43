// `npm run bench [name…]`: measures this machine's copy beside what a user would pick instead, writes the figures and a report
// with charts to bench/results/, and fails where a target is missed or a figure says nothing.
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { refuse, runCommand } from '../shared/command-line.ts'
import { BENCHES } from './benches.ts'
import { overBudget } from './budget.ts'
import { benchDirectory, describeMachine, machineSentence, memoryProblem } from './machine.ts'
import { accepted, boundText, type Findings, isMet, type Measured } from './measured.ts'
import { openProgress } from './progress.ts'
import { type BenchReport, page, type Report } from './report/page.ts'
import { shown } from './report/text.ts'

const RESULTS = new URL('results/', import.meta.url)
/** Of a bench that does not say how long it takes. */
const SECONDS = { full: 300, quick: 60 }
/** For a first look at everything: benches in their order, as long as they fit. */
const FIRST_LOOK_SECONDS_MAX = 120

const HELP = `Usage: npm run bench [-- name… --quick --long]

Measures, in turns with a peer that does the same work, so that the noise of the machine hits both;
what is claimed are the ratios. Figures and a report go to bench/results/, a pair of files per run.

${BENCHES.map(({ name, summary }) => '  ' + name.padEnd(12) + summary).join('\n')}

  --quick    fewer and shorter pairs, for a first look; without a name, what fits into two minutes
  --long     also what takes an hour
  --help     this text

BENCH_DIR names the directory for journals and databases; it has to lie on a disk.
BENCH_PROFILE names one for the processor profiles of what is measured.
BENCH_PLANT=15 makes the engine of -- budget so many percent slower, on purpose: it has to end with WORSE.
BENCH_TAIL_MINUTES and BENCH_TAIL_RATE say how long and how many a second -- tail --long sends.

Exit code 1 where a target is missed, a figure says nothing, or a ratio is worse than bench/budget.ts accepts.
`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const unknown = positionals.find((name) => !BENCHES.some((measured) => measured.name === name))
  if (unknown !== undefined) return refuse('There is no bench called ' + unknown + '; see --help.')
  const problem = memoryProblem(benchDirectory())
  if (problem !== null) return refuse(problem)
  const chosen = positionals.length === 0 ? unnamed(values.quick) : named(positionals)
  const command = commandOf(process.argv.slice(2))
  const machine = describeMachine(command)
  say(machineSentence(machine))
  const report = { date: machine.date, command, machine }
  const benches = await measureAll(chosen, values)
  const worse = overBudget(
    Object.fromEntries(benches.map(({ name, findings }) => [name, findings])),
  )
  for (const sentence of worse) say('WORSE   ' + sentence)
  say('\n' + keep({ ...report, benches, worse }))
  return worse.length === 0 && benches.every(({ findings }) => accepted(findings)) ? 0 : 1
}

async function measureAll(
  chosen: readonly Measured[],
  options: { quick: boolean; long: boolean },
): Promise<BenchReport[]> {
  const expected = chosen.map((measured) => secondsOf(measured, options.quick))
  const progress = openProgress(expected, say)
  const benches: BenchReport[] = []
  for (const measured of chosen) {
    const { name, summary } = measured
    progress.begin(name)
    const startedAt = performance.now()
    const findings = await measured
      .run({ ...options, log: progress.log })
      .catch((error: unknown) => failed(name, error))
    const seconds = (performance.now() - startedAt) / 1000
    const command = commandOf([
      name,
      ...(options.quick ? ['--quick'] : []),
      ...(options.long ? ['--long'] : []),
    ])
    benches.push({ name, summary, command, seconds, findings })
    show(findings)
  }
  progress.end()
  return benches
}

function secondsOf({ seconds = SECONDS }: Measured, quick: boolean): number {
  return quick ? seconds.quick : seconds.full
}

function named(names: readonly string[]): readonly Measured[] {
  return BENCHES.filter(({ name }) => names.includes(name))
}

/** Everything, or as much of it as a first look has time for. */
function unnamed(quick: boolean): readonly Measured[] {
  if (!quick) return BENCHES
  let left = FIRST_LOOK_SECONDS_MAX
  const fitting = BENCHES.filter((measured) => {
    const fits = secondsOf(measured, quick) <= left
    if (fits) left -= secondsOf(measured, quick)
    return fits
  })
  const others = BENCHES.filter((measured) => !fitting.includes(measured))
  if (others.length > 0)
    say('Left out for a first look: ' + others.map(({ name }) => name).join(', ') + '; name them.')
  return fitting
}

/** What the others found is kept: one that broke says so in its place. */
function failed(name: string, error: unknown): Findings {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(text + '\n')
  const flaw = name + ' ended before it was done: ' + String(error)
  return { lines: [], figures: {}, targets: [], flaws: [flaw] }
}

function commandOf(words: readonly string[]): string {
  return words.length === 0 ? 'npm run bench' : 'npm run bench -- ' + words.join(' ')
}

function show({ lines, targets, ratios = [], flaws }: Findings): void {
  for (const line of lines) say(line)
  for (const { sentence, ratio, bound, ours, theirs, unit } of ratios) {
    const word = bound === null ? 'told' : isMet(ratio, bound) ? 'met' : 'MISSED'
    const told = shown(ours) + ' : ' + shown(theirs) + ' ' + unit
    const wanted = bound === null ? '' : ', ' + boundText(bound)
    say(word.padEnd(8) + sentence + ': ' + ratio + ' (' + told + wanted + ')')
  }
  for (const target of targets) {
    const word = isMet(target.ratio, target) ? 'met' : 'MISSED'
    say(word.padEnd(8) + target.sentence + ': ' + target.ratio + ' (' + boundText(target) + ')')
  }
  for (const flaw of flaws) say('INVALID ' + flaw)
}

/** The figures for programs, the report for people. */
function keep(report: Report): string {
  mkdirSync(RESULTS, { recursive: true })
  const name = report.date.replaceAll(':', '-')
  writeFileSync(new URL(name + '.json', RESULTS), JSON.stringify(report, null, 2) + '\n')
  writeFileSync(new URL(name + '.html', RESULTS), page(report))
  return 'Written to bench/results/' + name + '.json and ' + name + '.html'
}

function say(text: string): void {
  process.stdout.write(text + '\n')
}

// What was started ends with us, and our directories go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
await runCommand(main)
