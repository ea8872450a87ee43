// Each of the sixty scenarios must fail with the mutation beside it. The service, and the engines
// of isolated stories, run from a copy with the wrong line; the simulator that plays against a
// service is our own. The database is made once: each service starts with a copy of it.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Story } from '../../scripts/simulate/scenario.ts'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { freePorts } from '../harness/free-ports.ts'
import { startFrom } from '../harness/start.ts'
import { ISOLATED_STORIES } from '../isolated/stories/all.ts'
import { ROOT } from '../structure/sources.ts'
import { copyOfSources } from './copied-sources.ts'
import { type Guarded, guarded } from './guarded.ts'
import type { Mutation } from './scenario-mutations.ts'

/** Milliseconds for each scenario; several together may take that many times as long. */
const PLAY_MS_MAX = 120_000
const SHOWN_CHARACTERS_MAX = 500
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/**
 * The sources with the wrong line, and the data of a service that was started once and has done
 * nothing yet.
 */
interface Place {
  directory: string
  installation: string
}

const print = (line: string): void => void process.stdout.write(line + '\n')

/**
 * Plays with every mutation, or with those of `only` (`21,22`), and prints a table. Returns the
 * exit code.
 */
export async function mutateScenarios(only: string): Promise<number> {
  const numbers = only === '' ? null : new Set(only.split(',').map(Number))
  const rows = guarded().filter(({ number, mutation }) =>
    numbers === null ? mutation !== null : numbers.has(number),
  )
  const directory = copyOfSources()
  const installation = mkdtempSync(join(tmpdir(), 'svc-mutant-'))
  try {
    const all = storiesOf(rows.flatMap(({ stories }) => stories))
    if (all.some(needsService)) await withService(directory, installation, () => Promise.resolve())
    const broken = await failing({ directory, installation }, all)
    if (broken.length > 0) print('red as it is, and proves nothing: ' + broken.join(', '))
    print('number  red by')
    let green = 0
    for (const row of rows) {
      const stories = row.stories.filter((name) => !broken.includes(name))
      const red = await redStories({ directory, installation }, { ...row, stories })
      if (red.length === 0) green += 1
      print(lineOf(row, red))
    }
    print(rows.length + ' mutations, ' + green + ' of them noticed by no story')
    return green === 0 ? 0 : 1
  } finally {
    rmSync(directory, { recursive: true, force: true })
    rmSync(installation, { recursive: true, force: true })
  }
}

function lineOf({ number, mutation }: Guarded, red: readonly string[]): string {
  const change =
    mutation === null
      ? 'no mutation'
      : mutation.path + ': ' + mutation.before + '  →  ' + mutation.after
  return String(number).padStart(6) + '  ' + (red.join(', ') || 'GREEN') + '    ' + change
}

async function redStories(place: Place, row: Guarded): Promise<string[]> {
  const { mutation } = row
  if (mutation === null) return []
  const file = join(place.directory, mutation.path)
  const text = readFileSync(join(ROOT, mutation.path), 'utf8')
  writeFileSync(file, changed(text, mutation))
  try {
    return await failing(place, storiesOf(row.stories))
  } catch (error) {
    // A mutant that cannot even start proves nothing about a scenario.
    print(row.number + ' does not start: ' + String(error).slice(-SHOWN_CHARACTERS_MAX))
    return []
  } finally {
    writeFileSync(file, text)
  }
}

/** Throws if the file does not contain the line exactly once. */
function changed(text: string, { path, before, after }: Mutation): string {
  const [head, tail, ...more] = text.split(before)
  if (head === undefined || tail === undefined || more.length > 0)
    throw new Error(path + ' does not hold this once: ' + before)
  return head + after + tail
}

function storiesOf(names: readonly string[]): readonly Story[] {
  return [...SCENARIOS, ...ISOLATED_STORIES].filter(({ name }) => names.includes(name))
}

function needsService(story: Story): boolean {
  return !('playAlone' in story)
}

/**
 * Names of the failing scenarios. Scenarios without a service come first: if one fails, no service
 * is started.
 */
async function failing(place: Place, stories: readonly Story[]): Promise<string[]> {
  const alone = stories.filter((story) => !needsService(story))
  const red = await failingOf(join(place.directory, 'test/isolated/play.ts'), alone)
  const others = stories.filter(needsService)
  if (red.length > 0 || others.length === 0) return red
  return failingAtService(place, others)
}

async function failingAtService(
  { directory, installation }: Place,
  stories: readonly Story[],
): Promise<string[]> {
  const copies = mkdtempSync(join(tmpdir(), 'svc-mutant-'))
  const dataDir = join(copies, 'data')
  try {
    // The copy keeps owners and rights, because a database checks both.
    execFileSync('cp', ['-a', installation, dataDir])
    // This file says that a service is up.
    rmSync(join(dataDir, 'sandbox.json'), { force: true })
    return await withService(directory, dataDir, () =>
      failingOf(join(ROOT, 'scripts/simulate.ts'), stories, dataDir),
    )
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}

/** Starts the service of a directory with these data, and stops it when the task is done. */
async function withService<Result>(
  directory: string,
  dataDir: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const [api, engine] = await freePorts(2)
  const ports = { SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) }
  const service = startFrom(directory, dataDir, { environment: ports, options: ['--no-burst'] })
  try {
    await service.sandbox()
    return await task()
  } finally {
    service.child.kill('SIGTERM')
    await service.exited
  }
}

/**
 * Plays with the simulator against the service of a data directory, or without one isolated
 * stories. A script that hangs or breaks off counts as failed.
 */
function failingOf(
  script: string,
  stories: readonly Story[],
  dataDir: string | null = null,
): Promise<string[]> {
  const names = stories.map(({ name }) => name)
  if (names.length === 0) return Promise.resolve([])
  const chosen = names.flatMap((name) => ['--scenario', name])
  const words = dataDir === null ? names : ['--json', ...chosen, '--data-dir', dataDir]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...words],
      { timeout: PLAY_MS_MAX * names.length, maxBuffer: OUTPUT_BYTES_MAX },
      (_error, stdout) => resolve(failedIn(stdout) ?? names),
    )
  })
}

function failedIn(output: string): string[] | null {
  try {
    const report: { scenarios: { name: string; passed: boolean }[] } = JSON.parse(output)
    return report.scenarios.filter(({ passed }) => !passed).map(({ name }) => name)
  } catch {
    // It did not play to the end, therefore its output does not count.
    return null
  }
}
