// Which places of the sources a test runs, by V8's coverage. A test that never runs a mutant's
// place cannot notice it and is not asked; a mutant whose place no test runs has survived without a
// run.
import { type Profiler, Session } from 'node:inspector'

/** A range of a file and how often it ran; a smaller range inside overrides it. */
export type Range = readonly [from: number, to: number, count: number]

/** Ranges by the address of a file, without its query. */
export type Ranges = Readonly<Record<string, readonly Range[]>>

/**
 * Counts the code that runs in this process from now on: `stop` returns the counts of files whose
 * address begins with `below`.
 */
export function countRuns(below: string): { stop(): Ranges } {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    stop() {
      const found: Record<string, readonly Range[]> = {}
      // The inspector answers synchronously in its own process.
      session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
        for (const script of result) {
          const [url = ''] = script.url.split('?')
          if (url.startsWith(below) && !url.includes('/node_modules/'))
            found[url] = rangesOf(script)
        }
      })
      session.disconnect()
      return found
    },
  }
}

function rangesOf(script: Profiler.ScriptCoverage): readonly Range[] {
  return script.functions.flatMap(({ ranges }) =>
    ranges.map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count]),
  )
}

/** The smallest range around a place decides how often it ran. */
export function runsAt(ranges: readonly Range[] = [], at: number): boolean {
  let smallest: Range | null = null
  for (const range of ranges) {
    if (range[0] > at || range[1] <= at) continue
    if (smallest === null || range[1] - range[0] <= smallest[1] - smallest[0]) smallest = range
  }
  return smallest !== null && smallest[2] > 0
}
