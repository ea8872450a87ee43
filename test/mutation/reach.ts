// Which tests run a place of the sources at all: each is run once with V8's coverage. A test that never comes by a mutant
// cannot notice it, so it need not be asked; one that nobody comes by has survived without a run.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export type Outcome = 'passed' | 'failed' | 'timeout'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Coverage {
  result: readonly { url: string; functions: readonly { ranges: readonly Range[] }[] }[]
}

/** A test that passes, and where it has been. */
export interface Reach {
  test: string
  ms: number
  /** True where the test runs the code at this place of a file. */
  runs(path: string, at: number): boolean
}

/** Runs one test file of a directory until its first failing assertion; a coverage directory has V8 write there. */
export function runTest(
  directory: string,
  test: string,
  msMax: number,
  coverage: string | null = null,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(directory, test)], {
      cwd: directory,
      stdio: 'ignore',
      env: {
        ...process.env,
        TAP_BAIL: '1',
        SVC_SIMULATION_SHORT: '1',
        // A slow machine must not look like a failing test: only our own timer ends one.
        TAP_TIMEOUT: String(msMax),
        ...(coverage === null ? {} : { NODE_V8_COVERAGE: coverage }),
      },
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), msMax)
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(signal === 'SIGKILL' ? 'timeout' : code === 0 ? 'passed' : 'failed')
    })
  })
}

/** Where a test has been, or null where it fails as it is: then nothing can be learned from it. */
export async function reachOf(
  directory: string,
  test: string,
  msMax: number,
): Promise<Reach | null> {
  const written = mkdtempSync(join(tmpdir(), 'svc-coverage-'))
  try {
    const begin = performance.now()
    if ((await runTest(directory, test, msMax, written)) !== 'passed') return null
    const ms = performance.now() - begin
    const ranges = rangesIn(written)
    return {
      test,
      ms,
      runs: (path, at) => isRun(ranges.get(pathToFileURL(join(directory, path)).href), at),
    }
  } finally {
    rmSync(written, { recursive: true, force: true })
  }
}

/** By file: one list of ranges for every thread that loaded it. */
function rangesIn(directory: string): ReadonlyMap<string, readonly (readonly Range[])[]> {
  const byFile = new Map<string, (readonly Range[])[]>()
  for (const name of readdirSync(directory)) {
    const coverage: Coverage = JSON.parse(readFileSync(join(directory, name), 'utf8'))
    for (const { url, functions } of coverage.result) {
      if (url.includes('/node_modules/')) continue
      byFile.set(url, [...(byFile.get(url) ?? []), functions.flatMap(({ ranges }) => ranges)])
    }
  }
  return byFile
}

/** The smallest range around a place says how often it ran. */
function isRun(threads: readonly (readonly Range[])[] = [], at: number): boolean {
  return threads.some((ranges) => {
    let smallest: Range | null = null
    for (const range of ranges) {
      if (range.startOffset > at || range.endOffset <= at) continue
      const size = range.endOffset - range.startOffset
      if (smallest === null || size <= smallest.endOffset - smallest.startOffset) smallest = range
    }
    return smallest !== null && smallest.count > 0
  })
}
