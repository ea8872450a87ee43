// What must not grow while a process runs: memory, descriptors, reader slots of the cache. Sampled, and judged by the slope of
// the second half: the first is still warming up.
import { readdirSync, readFileSync } from 'node:fs'
import { sleep, systemClock } from '../../shared/clock.ts'

export interface Sample {
  atMs: number
  residentBytes: number
  heapBytes: number
  descriptors: number
}

export interface Slopes {
  /** Per minute. */
  residentBytes: number
  descriptors: number
}

/** Anonymous resident memory, all resident memory and open descriptors; null where the process is gone. */
export function sample(pid: number): Sample | null {
  try {
    const text = readFileSync('/proc/' + pid + '/status', 'utf8')
    const of = (name: string): number =>
      1024 * Number(new RegExp('^' + name + ':\\s+(\\d+) kB$', 'm').exec(text)?.[1] ?? 0)
    return {
      atMs: systemClock.nowMs(),
      residentBytes: of('VmRSS'),
      heapBytes: of('RssAnon'),
      descriptors: readdirSync('/proc/' + pid + '/fd').length,
    }
  } catch {
    return null
  }
}

/** Samples the process that `pid` names at each moment until the signal aborts; a new process begins a new list. */
export async function sampleUntil(
  signal: AbortSignal,
  pid: () => number,
  everyMs: number,
): Promise<Sample[]> {
  let samples: Sample[] = []
  let sampled = 0
  while (!signal.aborted) {
    const now = pid()
    if (now !== sampled) samples = []
    sampled = now
    const taken = sample(now)
    if (taken !== null) samples.push(taken)
    await sleep(everyMs, signal)
  }
  return samples
}

/** How the second half of the samples grows. */
export function slopes(samples: readonly Sample[]): Slopes {
  const late = samples.slice(Math.floor(samples.length / 2))
  return {
    residentBytes: slope(late, (at) => at.heapBytes),
    descriptors: slope(late, (at) => at.descriptors),
  }
}

const MS_PER_MINUTE = 60_000

/** Least squares, per minute. */
function slope(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const count = samples.length
  if (count < 2) return 0
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, at) => sum + of(at), 0) / count
  const [middleMs, middle] = [mean((at) => at.atMs), mean(value)]
  let over = 0
  let under = 0
  for (const at of samples) {
    over += (at.atMs - middleMs) * (value(at) - middle)
    under += (at.atMs - middleMs) ** 2
  }
  return under === 0 ? 0 : (over / under) * MS_PER_MINUTE
}

/** One line about a process. */
export function growthLine(name: string, samples: readonly Sample[]): string {
  const last = samples.at(-1)
  const { residentBytes, descriptors } = slopes(samples)
  const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1) + ' MB'
  return (
    name +
    ': ' +
    megabytes(last?.residentBytes ?? 0) +
    ' resident, ' +
    (last?.descriptors ?? 0) +
    ' descriptors; per minute ' +
    megabytes(residentBytes) +
    ' anonymous, ' +
    descriptors.toFixed(1) +
    ' descriptors'
  )
}
