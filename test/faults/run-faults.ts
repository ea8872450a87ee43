// `npm run faults`: runs the table of faults, one row after the other, and prints injections and
// findings.
import { parseArgs } from 'node:util'
import { systemClock } from '../../shared/clock.ts'
import { cleaned } from './cleaner.ts'
import { type Effort, type Fault, INVARIANTS, LONG, SHORT } from './fault.ts'
import { FAULTS } from './table.ts'

const PROBLEMS_SHOWN_MAX = 20
const OPTIONS = {
  list: { type: 'boolean', default: false },
  only: { type: 'string' },
  short: { type: 'boolean', default: false },
  kills: { type: 'string' },
  seconds: { type: 'string' },
  'down-seconds': { type: 'string' },
  records: { type: 'string' },
} as const

interface Invocation {
  rows: readonly Fault[]
  effort: Effort
  list: boolean
}

export async function main(): Promise<number> {
  const invocation = readInvocation()
  if (typeof invocation === 'string') {
    process.stderr.write(invocation + '\n')
    return 2
  }
  if (invocation.list) {
    showList(invocation.rows)
    return 0
  }
  let found = 0
  for (const fault of invocation.rows) found += await runRow(fault, invocation.effort)
  return found === 0 ? 0 : 1
}

/** The parsed options, or a sentence about the wrong one. */
function readInvocation(): Invocation | string {
  let values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']
  try {
    values = parseArgs({ options: OPTIONS }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const base = values.short ? SHORT : LONG
  const extent = {
    kills: Number(values.kills ?? base.kills),
    seconds: Number(values.seconds ?? base.seconds),
    downSeconds: Number(values['down-seconds'] ?? base.downSeconds),
    records: Number(values.records ?? base.records),
  }
  if (Object.values(extent).some((number) => !Number.isSafeInteger(number) || number < 1))
    return 'Give whole numbers from 1 on.'
  const numbers = values.only?.split(',').map(Number)
  const unknown = numbers?.find((number) => !FAULTS.some(({ row }) => row === number))
  if (unknown !== undefined) return 'There is no row ' + unknown + '; --list shows them.'
  const rows = FAULTS.filter(({ row }) => numbers === undefined || numbers.includes(row))
  return { rows, effort: { ...base, ...extent }, list: values.list }
}

/** Runs one row and prints its line; returns the number of problems. */
async function runRow(fault: Fault, effort: Effort): Promise<number> {
  const beganMs = systemClock.nowMs()
  const seconds = (): string => Math.round((systemClock.nowMs() - beganMs) / 1000) + ' s'
  let line = ''
  let problems: readonly string[] = []
  try {
    const outcome = await cleaned((cleaner) =>
      fault.run({
        effort,
        teardown: (task) => cleaner.teardown(task),
        say: (text) => print('     ' + text + '\n'),
      }),
    )
    if ('skipped' in outcome) line = 'skipped: ' + outcome.skipped
    else {
      problems = outcome.problems
      line = outcome.injected + ' | ' + (problems.length === 0 ? 'nothing' : problems.length)
    }
  } catch (error) {
    problems = [error instanceof Error ? String(error.stack) : String(error)]
    line = 'broke off'
  }
  print(numbered(fault) + ' | ' + line + ' | ' + seconds() + '\n')
  for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX))
    print('     PROBLEM ' + problem + '\n')
  return problems.length
}

function showList(rows: readonly Fault[]): void {
  for (const fault of rows) print(numbered(fault) + '\n')
  print('\n')
  for (const [letter, sentence] of Object.entries(INVARIANTS))
    print(letter + '  ' + sentence + '\n')
}

function numbered({ row, name, asserts }: Fault): string {
  return String(row).padStart(2) + ' | ' + asserts.padEnd(6) + ' | ' + name
}

function print(text: string): void {
  process.stdout.write(text)
}
