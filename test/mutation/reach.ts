// Which places of the sources a test runs at all, by V8's coverage. A test that never comes by a
// mutant cannot notice it, so it need not be asked; one that nobody comes by has survived without a
// run.
import { type Profiler, Session } from 'node:inspector'

/** From where to where in a file, and how often that ran; a smaller range stands for itself. */
export type Range = readonly [from: number, to: number, count: number]

/** By the address of a file, without what is behind its question mark. */
export type Ranges = Readonly<Record<string, readonly Range[]>>

/**
 * Counts what runs in this process from now on: `stop` says it of files whose address begins with
 * `below`.
 */
export function countRuns(below: string): { stop(): Ranges } {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    stop() {
      const found: Record<string, readonly Range[]> = {}
      // In its own process the inspector answers at once.
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

/** The smallest range around a place says how often it ran. */
export function runsAt(ranges: readonly Range[] = [], at: number): boolean {
  let smallest: Range | null = null
  for (const range of ranges) {
    if (range[0] > at || range[1] <= at) continue
    if (smallest === null || range[1] - range[0] <= smallest[1] - smallest[0]) smallest = range
  }
  return smallest !== null && smallest[2] > 0
}
