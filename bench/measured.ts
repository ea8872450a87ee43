// The interface between a bench and `npm run bench`: figures, targets, and data for the charts of
// the report.

export interface BenchOptions {
  /** Fewer and shorter runs: for a first look. */
  quick: boolean
  /** Also the benches that take an hour. */
  long: boolean
  /** Reports progress. */
  log(text: string): void
}

/** The bound of a ratio; exactly one of the two. */
export type Bound = { atMost: number } | { atLeast: number }

/** A target for a ratio: both of its sides were measured in turns, in the same minutes. */
export type Target = {
  sentence: string
  ratio: number
} & Bound

/** Our figure beside a peer's; drawn as a bar with a line where it should end. */
export interface Ratio {
  sentence: string
  ours: number
  theirs: number
  /** The unit of both figures. */
  unit: string
  /** Ours by theirs: the median of the pairs. */
  ratio: number
  /** The ratio of each pair, in the order in which they ran. */
  each: readonly number[]
  /** Null for a ratio without a bound. */
  bound: Bound | null
}

/** One line of a chart of latencies. Curves with the same `chart` share axes. */
export interface Curve {
  chart: string
  name: string
  /** `ms` or `µs`. */
  unit: string
  /** Percentile (50, 90, 99, … 99.99) and value, ascending. */
  points: readonly (readonly [percentile: number, value: number])[]
  max: number
}

/** A chart of lines: throughput against connections, cost against size. */
export interface Series {
  chart: string
  x: string
  y: string
  /** True where x grows by factors. */
  logX: boolean
  lines: readonly { name: string; points: readonly (readonly [x: number, y: number])[] }[]
}

/** A stacked bar a row: where the time goes. */
export interface Stages {
  chart: string
  unit: string
  rows: readonly { name: string; parts: readonly { name: string; value: number }[] }[]
}

export interface Findings {
  /** Lines for people, in their order. */
  lines: readonly string[]
  /** For `results/`: every number in it is a row of the report's table. */
  figures: { readonly [name: string]: unknown }
  targets: readonly Target[]
  /** Reasons why these figures prove nothing; empty if they count. */
  flaws: readonly string[]
  ratios?: readonly Ratio[]
  curves?: readonly Curve[]
  series?: readonly Series[]
  stages?: readonly Stages[]
}

export interface Measured {
  name: string
  /** True where it takes an hour: it runs with `--long` only. */
  onlyLong?: boolean
  /** Seconds a run takes on two processors, for the plan and the progress line. */
  seconds?: { full: number; quick: number }
  run(options: BenchOptions): Promise<Findings>
}

/** True where the ratio keeps to its bound; a ratio that is no number keeps to none. */
export function isMet(ratio: number, bound: Bound): boolean {
  return 'atMost' in bound ? ratio <= bound.atMost : ratio >= bound.atLeast
}

/** `at most 3`, as people read it. */
export function boundText(bound: Bound): string {
  return 'atMost' in bound ? 'at most ' + bound.atMost : 'at least ' + bound.atLeast
}

/** True where nothing is wrong with the figures and every bound is kept. */
export function accepted({ targets, ratios = [], flaws }: Findings): boolean {
  return (
    flaws.length === 0 &&
    targets.every((target) => isMet(target.ratio, target)) &&
    ratios.every(({ ratio, bound }) => bound === null || isMet(ratio, bound))
  )
}

/**
 * Runs the parts of one bench, one after the other; if one breaks, the findings of the others are
 * kept. BENCH_PART names the only one wanted.
 */
export async function measureParts(
  parts: readonly (readonly [name: string, measure: () => Promise<Findings>])[],
): Promise<Findings> {
  const all: [string, Findings][] = []
  const only = process.env['BENCH_PART']
  for (const [name, measure] of parts)
    if (only === undefined || only === name)
      all.push([name, await measure().catch((error: unknown) => brokenBy(name, error))])
  return joined(all)
}

/** The findings of a bench, or a part of one, that broke before it was done. */
export function brokenBy(name: string, error: unknown): Findings {
  if (error instanceof Error) process.stderr.write((error.stack ?? error.message) + '\n')
  return { lines: [], figures: {}, targets: [], flaws: [name + ' was not done: ' + String(error)] }
}

/** Several parts of one bench as one; names of figures stay apart. */
export function joined(parts: readonly (readonly [name: string, findings: Findings])[]): Findings {
  const all = parts.map(([, findings]) => findings)
  return {
    lines: all.flatMap(({ lines }) => lines),
    figures: Object.fromEntries(parts.map(([name, { figures }]) => [name, figures])),
    targets: all.flatMap(({ targets }) => targets),
    flaws: all.flatMap(({ flaws }) => flaws),
    ratios: all.flatMap(({ ratios = [] }) => ratios),
    curves: all.flatMap(({ curves = [] }) => curves),
    series: all.flatMap(({ series = [] }) => series),
    stages: all.flatMap(({ stages = [] }) => stages),
  }
}
