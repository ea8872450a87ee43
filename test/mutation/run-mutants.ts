// `npm run mutants`: makes each small wrong change of the files in TARGETS in a copy of the
// sources, and runs the tests of the changed place until one fails. A mutant that none of them
// notices must be explained in survivors.ts.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { below, SOURCES } from '../structure/sources.ts'
import { mutateContracts } from './contracts.ts'
import { copyOfSources } from './copied-sources.ts'
import { type Job, Judge, Reaches } from './judge.ts'
import { mutantsOf } from './mutate.ts'
import { isExplained, Report } from './report.ts'
import { mutateScenarios } from './scenarios.ts'

/**
 * Files of the line that decide about money; the others move bytes, and the listeners' tests cover
 * them.
 */
const OF_THE_LINE: readonly string[] = [
  'gather',
  'judge',
  'propose',
  'reserve',
  'match-transaction',
  'conclude',
  'posted-amount',
  'convert',
  'record-notification',
  'stand-in',
  'limit-views',
  'limit-filter',
  'card-cache',
  'default-windows',
  'pending-increments',
  'fraud',
  'shadow',
].map((name) => `engine/line/${name}.ts`)
/** Files that stand alone: their tests need no other file and no other process. */
const ALONE: readonly string[] = [
  'engine/config-cache/apply.ts',
  'engine/config-cache/decoded-rows.ts',
  'engine/config-cache/keys.ts',
  'engine/config-cache/record.ts',
  'engine/config-cache/stored.ts',
  'shared/histogram.ts',
  'shared/transaction-sums.ts',
  'shared/wire/rows.ts',
]
const TARGETS = [
  ...[
    ...['engine/rules', 'engine/state', 'engine/memory', 'engine/lifecycle', 'engine/plain-json'],
  ].flatMap(below),
  ...SOURCES.filter(({ path }) => OF_THE_LINE.includes(path) || ALONE.includes(path)),
]
const PROGRESS_EVERY = 20
const OPTIONS = {
  file: { type: 'string' },
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  jobs: { type: 'string', default: '2' },
  tests: { type: 'string' },
  explained: { type: 'boolean', default: false },
  scenarios: { type: 'boolean', default: false },
  contracts: { type: 'boolean', default: false },
  only: { type: 'string' },
} as const

type Invocation = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

interface Work {
  invocation: Invocation
  queue: Job[]
  reaches: Reaches
  report: Report
}

const print = (line: string): void => void process.stdout.write(line + '\n')

export async function main(): Promise<number> {
  const invocation = readInvocation()
  if (typeof invocation === 'string') {
    process.stderr.write(invocation + '\n')
    return 2
  }
  if (invocation.contracts) return mutateContracts(invocation.only ?? '')
  return invocation.scenarios ? mutateScenarios(invocation.only ?? '') : mutateSources(invocation)
}

/** The parsed options, or a sentence about the wrong one. */
function readInvocation(): Invocation | string {
  try {
    const invocation = parseArgs({ options: OPTIONS }).values
    const numbers = [invocation.sample ?? '1', invocation.seed, invocation.jobs].map(Number)
    return numbers.some((number) => !Number.isSafeInteger(number) || number < 1)
      ? 'Give whole numbers from 1 on.'
      : invocation
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function mutateSources(invocation: Invocation): Promise<number> {
  const begin = performance.now()
  const jobs = chosenJobs(invocation)
  if (jobs.length === 0) {
    process.stderr.write('There is no mutant there.\n')
    return 2
  }
  print(jobs.length + ' mutants')
  const clean = copyOfSources()
  const [queue, report] = [[...jobs], new Report()]
  const reaches = new Reaches(clean, print)
  const shared: Work = { invocation, queue, reaches, report }
  const stop = (): void => void queue.splice(0)
  process.once('SIGINT', stop)
  await Promise.all(Array.from({ length: Number(invocation.jobs) }, () => work(shared)))
  process.off('SIGINT', stop)
  await reaches.end()
  rmSync(clean, { recursive: true, force: true })
  for (const line of ['', ...report.table()]) print(line)
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1)
  print(`\n${report.done} of ${jobs.length} mutants in ${minutes} minutes, ${report.open} open`)
  return report.open === 0 ? 0 : 1
}

function chosenJobs(invocation: Invocation): Job[] {
  const only = invocation.only?.split(',')
  const prefixes = invocation.file?.split(',') ??
    only?.map((place) => place.split(':')[0] ?? '') ?? ['']
  const jobs = prefixes
    .flatMap((prefix) => TARGETS.filter(({ path }) => path.startsWith(prefix)))
    .filter((source, at, all) => all.indexOf(source) === at)
    .flatMap(({ path, text }) => mutantsOf(path, text).map((mutant) => ({ path, text, mutant })))
  if (only !== undefined)
    return jobs.filter(({ path, mutant: { line, column } }) =>
      [line, line + ':' + column].some((place) => only.includes(path + ':' + place)),
    )
  if (invocation.sample === undefined) return jobs
  const random = new Random(Number(invocation.seed))
  const chosen: Job[] = []
  while (chosen.length < Number(invocation.sample) && jobs.length > 0)
    chosen.push(...jobs.splice(random.below(jobs.length), 1))
  return chosen
}

async function work({ invocation, queue, reaches, report }: Work): Promise<void> {
  const directory = copyOfSources()
  const judge = new Judge(directory, reaches, invocation.tests?.split(',') ?? ['test/'])
  try {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const explained = isExplained(job)
      const asked = !explained || invocation.explained
      const noticed = asked && (await judge.isNoticed(job))
      const became = noticed ? 'killed' : explained ? 'explained' : 'open'
      if (noticed && explained) print(`noticed after all  ${job.path}:${job.mutant.line}`)
      for (const line of report.add(job, became)) print(line)
      if (report.done % PROGRESS_EVERY === 0) print(report.done + ' done')
    }
  } finally {
    await judge.end()
    rmSync(directory, { recursive: true, force: true })
  }
}
