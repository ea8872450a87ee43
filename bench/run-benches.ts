// `npm run bench [name…]`: measures this machine's copy beside alternatives of a user, writes the
// figures and a report with charts to bench/results/, and fails if a target is missed or a figure
// is invalid.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { refuse } from '../shared/command-line.ts'
import { BENCHES } from './benches.ts'
import { overBudget } from './budget.ts'
import { benchDirectory, describeMachine, machineSentence, memoryProblem } from './machine.ts'
import { accepted, boundText, brokenBy, type Findings, isMet, type Measured } from './measured.ts'
import { type Plan, planLines, planOf, secondsOfAll } from './plan.ts'
import { openProgress } from './progress.ts'
import { type BenchReport, page, type Report } from './report/page.ts'
import { shown } from './report/text.ts'
import { runAlone } from './run-alone.ts'
import { SUMMARIES } from './summaries.ts'

const RESULTS = new URL('results/', import.meta.url)

export async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((name) => !BENCHES.some((measured) => measured.name === name))
  if (unknown !== undefined) return refuse('There is no bench called ' + unknown + '; see --help.')
  const problem = memoryProblem(benchDirectory())
  if (problem !== null) return refuse(problem)
  const command = commandOf(process.argv.slice(2))
  const machine = describeMachine(command)
  say(machineSentence(machine))
  const plan = planOf(positionals, values)
  for (const line of planLines(plan)) say(line)
  const report = await measureAll(plan, values, { date: machine.date, command, machine })
  for (const sentence of report.left) say('LEFT    ' + sentence)
  for (const sentence of report.worse) say('WORSE   ' + sentence)
  say('\nWritten to bench/results/' + fileOf(report) + '.json and .html')
  const { benches } = report
  const good = benches.length > 0 && benches.every(({ findings }) => accepted(findings))
  return report.worse.length === 0 && good ? 0 : 1
}

/** Runs the benches one after the other; the files contain the findings after each of them. */
async function measureAll(
  plan: Plan,
  options: { quick: boolean; long: boolean },
  about: Pick<Report, 'date' | 'command' | 'machine'>,
): Promise<Report> {
  const progress = openProgress(say)
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000
  const benches: BenchReport[] = []
  const left = [...plan.left]
  const kept = (pending: readonly Measured[]): Report => {
    const found = benches.map(({ name, findings }) => [name, findings] as const)
    const worse = overBudget(Object.fromEntries(found))
    const report = { ...about, benches, left, pending: pending.map(({ name }) => name), worse }
    keep(report)
    return report
  }
  kept(plan.benches)
  for (const [at, measured] of plan.benches.entries()) {
    const { name } = measured
    const beganAt = elapsed()
    const secondsMax = plan.limitFor(measured, beganAt)
    if (secondsMax === null) {
      left.push(name + ': it takes about ' + plan.secondsOf(measured) + ' s, more than were left')
      continue
    }
    progress.begin(name, secondsOfAll(plan, plan.expected(plan.benches.slice(at), beganAt)))
    const found = await runAlone({ name, ...options }, { log: progress.log, secondsMax })
    if (found === null && plan.firstLook) {
      left.push(name + ': it was not done when the two minutes were over')
      continue
    }
    const findings = found ?? brokenBy(name, 'it took more than ' + Math.round(secondsMax) + ' s')
    benches.push({
      name,
      summary: SUMMARIES[name] ?? '',
      command: commandOf([name, ...flags(options)]),
      seconds: elapsed() - beganAt,
      findings,
    })
    show(findings)
    kept(plan.benches.slice(at + 1))
  }
  progress.end()
  return kept([])
}

function flags({ quick, long }: { quick: boolean; long: boolean }): string[] {
  return [...(quick ? ['--quick'] : []), ...(long ? ['--long'] : [])]
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

/** The figures for programs, the report for people; both are whole at every moment. */
function keep(report: Report): void {
  mkdirSync(RESULTS, { recursive: true })
  const name = fileOf(report)
  replace(name + '.json', JSON.stringify(report, null, 2) + '\n')
  replace(name + '.html', page(report))
}

function replace(name: string, text: string): void {
  const draft = new URL(name + '.draft', RESULTS)
  writeFileSync(draft, text)
  renameSync(draft, new URL(name, RESULTS))
}

function fileOf({ date }: Pick<Report, 'date'>): string {
  return date.replaceAll(':', '-')
}

function say(text: string): void {
  process.stdout.write(text + '\n')
}

// Started processes end with this one, and its directories are removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
