// Decides whether any test notices a mutant: it asks the tests that run the changed place until one
// fails. The test that noticed the last mutant of a file comes first, then the quickest.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SOURCES } from '../structure/sources.ts'
import { WarmTests } from './ask.ts'
import { applied, type SourceMutant } from './mutate.ts'
import { type Ranges, runsAt } from './reach.ts'

export interface Job {
  path: string
  /** The file as it was when the run began. */
  text: string
  mutant: SourceMutant
}

/**
 * A mutant that uses more processor time than this, and this many times more than the test does,
 * counts as an endless loop.
 */
const CPU_MS_MAX = 3_000
const CPU_TIMES_MAX = 5
const CLEAN_CPU_MS_MAX = 120_000

/** A test that passes without a mutant, the places it runs, and its cost. */
interface Asked {
  test: string
  runs: Ranges
  cpuMs: number
}

/** The places that tests run, measured when a test is first asked for; all judges share them. */
export class Reaches {
  readonly #clean: string
  readonly #warm: WarmTests
  readonly #found = new Map<string, Promise<Asked | null>>()
  readonly #say: (line: string) => void
  #before: Promise<unknown> = Promise.resolve()

  /** A directory with the unchanged sources. */
  constructor(clean: string, say: (line: string) => void) {
    this.#clean = clean
    this.#warm = new WarmTests(clean)
    this.#say = say
  }

  /** Null if a test fails without a mutant: it would catch every mutant. */
  of(test: string): Promise<Asked | null> {
    const known = this.#found.get(test)
    if (known !== undefined) return known
    // The tests are measured one after the other, because several judges may ask first.
    const found = this.#before.then(() => this.#find(test))
    this.#before = found
    this.#found.set(test, found)
    return found
  }

  /** True if a test runs a place of a file. */
  passes({ runs }: Asked, path: string, at: number): boolean {
    return runsAt(runs[pathToFileURL(join(this.#clean, path)).href], at)
  }

  end(): Promise<void> {
    return this.#warm.end()
  }

  async #find(test: string): Promise<Asked | null> {
    const question = { test, path: test, cpuMsMax: CLEAN_CPU_MS_MAX, whereItRuns: true }
    const answer = await this.#warm.ask(question)
    if (answer !== null && answer.failure === null && answer.runs !== null)
      return { test, runs: answer.runs, cpuMs: answer.cpuMs }
    this.#say(test + ' fails as it is and is not asked: ' + (answer?.failure ?? 'it dies'))
    return null
  }
}

export class Judge {
  readonly #directory: string
  readonly #reaches: Reaches
  readonly #tests: WarmTests
  readonly #asked: readonly string[]
  /** The test that noticed the last mutant, by file. */
  readonly #noticedLast = new Map<string, string>()

  /** Asks only tests whose path begins with one of `asked`. */
  constructor(directory: string, reaches: Reaches, asked: readonly string[]) {
    this.#directory = directory
    this.#reaches = reaches
    this.#tests = new WarmTests(directory)
    this.#asked = asked
  }

  async isNoticed({ path, text, mutant }: Job): Promise<boolean> {
    const file = join(this.#directory, path)
    writeFileSync(file, applied(text, mutant))
    try {
      for (const { test, cpuMs } of await this.#askedAbout(path, mutant.from)) {
        const cpuMsMax = CPU_MS_MAX + CPU_TIMES_MAX * cpuMs
        const answer = await this.#tests.ask({ test, path, cpuMsMax, whereItRuns: false })
        if (answer !== null && answer.failure === null) continue
        this.#noticedLast.set(path, test)
        return true
      }
      return false
    } finally {
      writeFileSync(file, text)
    }
  }

  end(): Promise<void> {
    return this.#tests.end()
  }

  async #askedAbout(path: string, at: number): Promise<readonly Asked[]> {
    const asked: Asked[] = []
    for (const test of testsReaching(path)) {
      if (!this.#asked.some((begin) => test.startsWith(begin))) continue
      const one = await this.#reaches.of(test)
      if (one !== null && this.#reaches.passes(one, path, at)) asked.push(one)
    }
    const last = this.#noticedLast.get(path)
    const rank = ({ test, cpuMs }: Asked) => (test === last ? 0 : cpuMs)
    return asked.sort((one, other) => rank(one) - rank(other))
  }
}

/** Tests that import a file, directly or through others. */
function testsReaching(path: string): readonly string[] {
  // A set that grows during its iteration also yields the added members.
  const reached = new Set([path])
  for (const next of reached)
    for (const importer of IMPORTERS.get(next) ?? []) reached.add(importer)
  return [...reached].filter((test) => /^test\/(unit|simulation)\/.*\.test\.ts$/.test(test))
}

const IMPORTERS: ReadonlyMap<string, readonly string[]> = importers()

function importers(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const source of SOURCES)
    for (const target of source.imports)
      found.set(target, [...(found.get(target) ?? []), source.path])
  return found
}
