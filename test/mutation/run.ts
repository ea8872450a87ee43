// `npm run mutants`: each small wrong change of what TARGETS names is made in a copy of the
// sources, and the tests that run the changed place are run until one fails. A mutant that none of
// them notices must be explained in survivors.ts.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { below, SOURCES } from '../structure/sources.ts'
import { copyOfSources } from './copied-sources.ts'
import { type Job, Judge, Reaches } from './judge.ts'
import { mutantsOf } from './mutate.ts'
import { isExplained, Report } from './report.ts'
import { mutateScenarios } from './scenarios.ts'

const HELP = `Usage: npm run mutants -- [--file PATHS] [--only PLACES] [--tests PATHS] [--explained]
                      [--sample N] [--seed N] [--jobs N]
       npm run mutants -- --scenarios [--only NUMBERS]

Makes each small wrong change of engine/rules, engine/state, engine/lifecycle, engine/plain-json, what
decides about money in engine/line, and a few files that stand alone, one at a time in a copy of the
sources, and asks the unit tests and simulations that run the changed place. Lists the mutants that no
test notices and test/mutation/survivors.ts does not explain, then counts them all by file and folder.
Exits 1 when one is open. Ctrl-C ends it early; it still says what it has found.

  --file PATHS     only files whose path begins like this: engine/rules,engine/state/windows.ts
  --only PLACES    only at these lines, or columns: engine/lifecycle/advice.ts:40,engine/rules/detail.ts:13:8
  --tests PATHS    asks only tests whose path begins like this: test/unit/rules; what is open then is a
                   candidate
  --explained      asks about the explained ones too, and says which of them a test notices after all
  --sample N       only so many, chosen by chance
  --seed N         of that chance (default 1)
  --jobs N         side by side (default 2)
  --scenarios      instead: the change that stands beside each of the sixty scenarios must turn it red;
                   --only 21,22 plays only these
  --help           this text
`
/**
 * What decides about money on the line; the rest of it moves bytes, and the tests of its doors see
 * to that.
 */
const OF_THE_LINE: readonly string[] = [
  'gather',
  'judge',
  'propose',
  'reserve',
  'meet',
  'conclude',
  'booked',
  'convert',
  'post',
  'stand-in',
  'limit-views',
  'limit-filter',
  'known-card',
  'plain-windows',
  'kept-lately',
  'raises',
  'fraud',
  'shadow',
].map((name) => `engine/line/${name}.ts`)
/** What stands alone: no test needs a file or another process for it. */
const ALONE: readonly string[] = [
  'engine/seen-lately.ts',
  'engine/facts/apply.ts',
  'engine/facts/decoded-rows.ts',
  'engine/facts/keys.ts',
  'engine/facts/record.ts',
  'engine/facts/stored.ts',
  'shared/histogram.ts',
  'shared/transaction-sums.ts',
  'shared/wire/rows.ts',
]
const TARGETS = [
  ...['engine/rules', 'engine/state', 'engine/lifecycle', 'engine/plain-json'].flatMap(below),
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
  only: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Wish = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

interface Work {
  wish: Wish
  queue: Job[]
  reaches: Reaches
  report: Report
}

const print = (line: string): void => void process.stdout.write(line + '\n')

async function main(): Promise<number> {
  const wish = readWish()
  if (typeof wish === 'string') {
    process.stderr.write(wish + '\n')
    return 2
  }
  if (wish.help) {
    process.stdout.write(HELP)
    return 0
  }
  return wish.scenarios ? mutateScenarios(wish.only ?? '') : mutateSources(wish)
}

/** What is asked for, or what is wrong with it. */
function readWish(): Wish | string {
  try {
    const wish = parseArgs({ options: OPTIONS }).values
    const numbers = [wish.sample ?? '1', wish.seed, wish.jobs].map(Number)
    return numbers.some((number) => !Number.isSafeInteger(number) || number < 1)
      ? 'Give whole numbers from 1 on.'
      : wish
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function mutateSources(wish: Wish): Promise<number> {
  const begin = performance.now()
  const jobs = chosenJobs(wish)
  if (jobs.length === 0) {
    process.stderr.write('There is no mutant there.\n')
    return 2
  }
  print(jobs.length + ' mutants')
  const clean = copyOfSources()
  const [queue, report] = [[...jobs], new Report()]
  const reaches = new Reaches(clean, print)
  const shared: Work = { wish, queue, reaches, report }
  const stop = (): void => void queue.splice(0)
  process.once('SIGINT', stop)
  await Promise.all(Array.from({ length: Number(wish.jobs) }, () => work(shared)))
  process.off('SIGINT', stop)
  await reaches.end()
  rmSync(clean, { recursive: true, force: true })
  for (const line of ['', ...report.table()]) print(line)
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1)
  print(`\n${report.done} of ${jobs.length} mutants in ${minutes} minutes, ${report.open} open`)
  return report.open === 0 ? 0 : 1
}

function chosenJobs(wish: Wish): Job[] {
  const only = wish.only?.split(',')
  const prefixes = wish.file?.split(',') ?? only?.map((place) => place.split(':')[0] ?? '') ?? ['']
  const jobs = prefixes
    .flatMap((prefix) => TARGETS.filter(({ path }) => path.startsWith(prefix)))
    .filter((source, at, all) => all.indexOf(source) === at)
    .flatMap(({ path, text }) => mutantsOf(path, text).map((mutant) => ({ path, text, mutant })))
  if (only !== undefined)
    return jobs.filter(({ path, mutant: { line, column } }) =>
      [line, line + ':' + column].some((place) => only.includes(path + ':' + place)),
    )
  if (wish.sample === undefined) return jobs
  const random = new Random(Number(wish.seed))
  const chosen: Job[] = []
  while (chosen.length < Number(wish.sample) && jobs.length > 0)
    chosen.push(...jobs.splice(random.below(jobs.length), 1))
  return chosen
}

async function work({ wish, queue, reaches, report }: Work): Promise<void> {
  const directory = copyOfSources()
  const judge = new Judge(directory, reaches, wish.tests?.split(',') ?? ['test/'])
  try {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const explained = isExplained(job)
      const asked = !explained || wish.explained
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

process.exitCode = await main()
