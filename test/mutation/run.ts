// Mutation testing of rules, state and lifecycle: each small wrong change is made in a copy of the sources and the tests that
// run the changed place are run until one fails, the quickest first. A mutant that none of them notices must be explained in
// survivors.ts.
//
//   npm run mutants -- [--file engine/rules/within-limit.ts] [--sample 200] [--seed 1] [--jobs 2]
//   npm run mutants -- --only engine/lifecycle/advice.ts:40
//   npm run mutants -- --scenarios [--only 21,22]
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { below, ROOT, SOURCES } from '../structure/sources.ts'
import { copyOfSources } from './copied-sources.ts'
import { applied, mutantsOf, type SourceMutant } from './mutate.ts'
import { type Reach, reachOf, runTest } from './reach.ts'
import { mutateScenarios } from './scenarios.ts'
import { EXPLAINED } from './survivors.ts'

const TARGETS = [
  ...below('engine/rules'),
  ...below('engine/state'),
  ...below('engine/lifecycle'),
  ...SOURCES.filter((source) => source.path === 'shared/transaction-sums.ts'),
]
/** A mutant that runs longer than this loops for ever, which is noticed too. */
const TEST_MS_MAX = 60_000
/** A test as it is, while its coverage is taken. */
const REACH_MS_MAX = 240_000

const print = (line: string): void => void process.stdout.write(line + '\n')

interface Job {
  path: string
  mutant: SourceMutant
}

type Verdict = 'killed' | 'timeout' | 'survived'

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    scenarios: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})

/** Tests that import a file, directly or through others. */
function testsReaching(path: string): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const source of SOURCES)
    for (const target of source.imports)
      importers.set(target, [...(importers.get(target) ?? []), source.path])
  const reached = new Set<string>()
  const waiting = [path]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    waiting.push(...(importers.get(next) ?? []))
  }
  return [...reached].filter((test) => /^test\/(unit|simulation)\/.*\.test\.ts$/.test(test))
}

async function judge(directory: string, { path, mutant }: Job): Promise<Verdict> {
  const file = join(directory, path)
  const text = readFileSync(join(ROOT, path), 'utf8')
  writeFileSync(file, applied(text, mutant))
  try {
    for (const { test } of reaches.filter((reach) => reach.runs(path, mutant.from))) {
      const outcome = await runTest(directory, test, TEST_MS_MAX)
      if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : 'timeout'
    }
    return 'survived'
  } finally {
    writeFileSync(file, text)
  }
}

/** Where every test has been that may notice something, the quickest first. One that fails as it is would catch every mutant, so it is left out. */
async function reachAll(): Promise<void> {
  const directory = copyOfSources()
  try {
    const queue = [...new Set(jobs.flatMap((job) => testsReaching(job.path)))]
    const work = async (): Promise<void> => {
      for (let test = queue.shift(); test !== undefined; test = queue.shift()) {
        const reach = await reachOf(directory, test, REACH_MS_MAX)
        if (reach === null) print(test + ' fails as it is: it is not asked')
        else reaches.push(reach)
      }
    }
    await Promise.all(Array.from({ length: Number(values.jobs) }, work))
    reaches.sort((one, two) => one.ms - two.ms)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function chosenJobs(): Job[] {
  const jobs = TARGETS.filter(
    (source) => values.file === undefined || source.path.startsWith(values.file),
  ).flatMap((source) =>
    mutantsOf(source.path, source.text).map((mutant) => ({ path: source.path, mutant })),
  )
  if (values.only !== undefined)
    return jobs.filter(({ path, mutant }) => values.only === path + ':' + mutant.line)
  if (values.sample === undefined) return jobs
  const random = new Random(Number(values.seed))
  const chosen: Job[] = []
  while (chosen.length < Number(values.sample) && jobs.length > 0)
    chosen.push(...jobs.splice(random.below(jobs.length), 1))
  return chosen
}

function lineOf({ path, mutant }: Job): string {
  return (readFileSync(join(ROOT, path), 'utf8').split('\n')[mutant.line - 1] ?? '').trim()
}

function explanation(job: Job): string | null {
  const line = lineOf(job)
  const found = EXPLAINED.find(
    (row) =>
      row.path === job.path &&
      row.line === line &&
      row.before === job.mutant.before &&
      row.after === job.mutant.after,
  )
  return found?.reason ?? null
}

const jobs = values.scenarios ? [] : chosenJobs()
const reaches: Reach[] = []
const counts = new Map<string, { [Outcome in Verdict | 'explained']: number }>()
const unexplained: Job[] = []
let done = 0

async function work(queue: Job[]): Promise<void> {
  const directory = copyOfSources()
  try {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const verdict = await judge(directory, job)
      const row = counts.get(job.path) ?? { killed: 0, timeout: 0, survived: 0, explained: 0 }
      counts.set(job.path, row)
      const reason = verdict === 'survived' ? explanation(job) : null
      row[reason === null ? verdict : 'explained'] += 1
      if (verdict === 'survived' && reason === null) {
        unexplained.push(job)
        const { before, after, line } = job.mutant
        print(`survived  ${job.path}:${line}  ${before.slice(0, 60)}  →  ${after.slice(0, 60)}`)
        print(`          ${lineOf(job)}`)
      }
      done += 1
      if (done % 50 === 0) print(`${done} of ${jobs.length}`)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function mutateSources(): Promise<number> {
  print(jobs.length + ' mutants')
  await reachAll()
  const queue = [...jobs]
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(queue)))
  print('\nkilled  timeout  explained  survived  file')
  for (const [path, row] of [...counts].sort()) {
    const cells = [row.killed, row.timeout, row.explained, row.survived]
    print(
      cells.map((cell, at) => String(cell).padStart([6, 8, 10, 9][at] ?? 0)).join(' ') +
        '  ' +
        path,
    )
  }
  const survived = unexplained.length
  print(`\n${jobs.length} mutants, ${survived} survived without an explanation`)
  return survived === 0 ? 0 : 1
}

process.exitCode = values.scenarios
  ? await mutateScenarios(values.only ?? '')
  : await mutateSources()
