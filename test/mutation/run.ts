// Mutation testing of rules, state and lifecycle: each small wrong change is made in a copy of the sources and the tests that
// run the changed place are run until one fails, the nearest first. A mutant that none of them notices must be explained in
// survivors.ts.
//
//   npm run mutants -- [--file engine/rules/within-limit.ts,engine/lifecycle] [--sample 200] [--seed 1] [--jobs 2]
//   npm run mutants -- --only engine/lifecycle/advice.ts:40,engine/lifecycle/fact.ts:24
// Interrupted (Ctrl-C), it says what it has found so far.
//
//   npm run mutants -- --scenarios [--only 21,22]
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { below, SOURCES } from '../structure/sources.ts'
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
/** A mutant that runs longer than this, and this many times longer than the test does, loops for ever: that is noticed too. */
const TEST_MS_MAX = 60_000
const TEST_TIMES_MAX = 20
/** A test as it is, while its coverage is taken. */
const REACH_MS_MAX = 240_000

const print = (line: string): void => void process.stdout.write(line + '\n')

interface Job {
  path: string
  /** The file as it was when the run began. */
  text: string
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

/** Tests that import a file, directly or through others: the nearest first, simulations last. */
function testsReaching(path: string): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const source of SOURCES)
    for (const target of source.imports)
      importers.set(target, [...(importers.get(target) ?? []), source.path])
  // A set keeps the order in which it grew, and what is added while it is walked is walked too.
  const reached = new Set([path])
  for (const next of reached)
    for (const importer of importers.get(next) ?? []) reached.add(importer)
  const tests = (folder: string) =>
    [...reached].filter((test) => test.startsWith(folder) && test.endsWith('.test.ts'))
  return [...tests('test/unit/'), ...tests('test/simulation/')]
}

/** Where a test has been, found out when it is first asked for. */
function reachBy(test: string): Promise<Reach | null> {
  const known = reaches.get(test)
  if (known !== undefined) return known
  const reach = reachOf(clean, test, REACH_MS_MAX).then((found) => {
    // It would catch every mutant.
    if (found === null) print(test + ' fails as it is: it is not asked')
    return found
  })
  reaches.set(test, reach)
  return reach
}

async function judge(directory: string, { path, text, mutant }: Job): Promise<Verdict> {
  const file = join(directory, path)
  writeFileSync(file, applied(text, mutant))
  try {
    for (const test of testsReaching(path)) {
      const reach = await reachBy(test)
      if (reach === null || !reach.runs(path, mutant.from)) continue
      const outcome = await runTest(
        directory,
        test,
        Math.max(TEST_MS_MAX, reach.ms * TEST_TIMES_MAX),
      )
      if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : 'timeout'
    }
    return 'survived'
  } finally {
    writeFileSync(file, text)
  }
}

function chosenJobs(): Job[] {
  const only = values.only?.split(',')
  const prefixes = values.file?.split(',') ??
    only?.map((place) => place.split(':')[0] ?? '') ?? ['']
  const jobs = prefixes
    .flatMap((prefix) => TARGETS.filter(({ path }) => path.startsWith(prefix)))
    .filter((source, at, all) => all.indexOf(source) === at)
    .flatMap(({ path, text }) => mutantsOf(path, text).map((mutant) => ({ path, text, mutant })))
  if (only !== undefined)
    return jobs.filter(({ path, mutant }) => only.includes(path + ':' + mutant.line))
  if (values.sample === undefined) return jobs
  const random = new Random(Number(values.seed))
  const chosen: Job[] = []
  while (chosen.length < Number(values.sample) && jobs.length > 0)
    chosen.push(...jobs.splice(random.below(jobs.length), 1))
  return chosen
}

function lineOf({ text, mutant }: Job): string {
  return (text.split('\n')[mutant.line - 1] ?? '').trim()
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
const clean = values.scenarios ? '' : copyOfSources()
const reaches = new Map<string, Promise<Reach | null>>()
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
      if (verdict === 'survived' && reason === null) unexplained.push(job)
      if (verdict !== 'killed' && reason === null) {
        const { before, after, line } = job.mutant
        print(`${verdict}  ${job.path}:${line}  ${before.slice(0, 60)}  →  ${after.slice(0, 60)}`)
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
  const queue = [...jobs]
  process.once('SIGINT', () => queue.splice(0))
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(queue)))
  rmSync(clean, { recursive: true, force: true })
  return report()
}

function report(): number {
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
  print(`\n${done} of ${jobs.length} mutants, ${survived} survived without an explanation`)
  return survived === 0 ? 0 : 1
}

process.exitCode = values.scenarios
  ? await mutateScenarios(values.only ?? '')
  : await mutateSources()
