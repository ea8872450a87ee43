// Sides that are compared run in turns, in changing order, so that the noise of the machine hits
// each of them; what is claimed is the median of the ratios, never the ratio of two medians.
import { median, rounded } from './figures.ts'
import type { Bound, Ratio } from './measured.ts'

const PAIRS = { full: 9, quick: 3 }

/** How many rounds are run: nine, three for a first look. */
export function pairsOf({ quick }: { quick: boolean }): number {
  return quick ? PAIRS.quick : PAIRS.full
}

/** One run of every side. */
export type Round<Side extends string, Sample> = { readonly [Name in Side]: Sample }

/** Runs each side `count` times: A B, B A, A B, … Nothing of one round overlaps with another. */
export async function inTurns<Side extends string, Sample>(
  sides: { readonly [Name in Side]: () => Promise<Sample> },
  count: number,
): Promise<Round<Side, Sample>[]> {
  const names = Object.keys(sides) as Side[]
  const rounds: Round<Side, Sample>[] = []
  for (let round = 0; round < count; round++) {
    const samples: Partial<Record<Side, Sample>> = {}
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) samples[name] = await sides[name]()
    rounds.push(samples as Round<Side, Sample>)
  }
  return rounds
}

export interface Comparison {
  ours: number
  theirs: number
  ratio: number
  each: readonly number[]
}

/** One figure of two sides: the median of each, and of their ratio round by round. */
export function compare<Side extends string, Sample>(
  rounds: readonly Round<Side, Sample>[],
  [ours, theirs]: readonly [ours: Side, theirs: Side],
  figure: (sample: Sample) => number,
): Comparison {
  const each = rounds.map((round) => figure(round[ours]) / figure(round[theirs]))
  const middle = (side: Side): number => rounded(median(rounds.map((round) => figure(round[side]))))
  return {
    ours: middle(ours),
    theirs: middle(theirs),
    ratio: rounded(median(each)),
    each: each.map(rounded),
  }
}

/** A comparison as the report draws it. */
export function ratioOf(
  comparison: Comparison,
  { sentence, unit, bound = null }: { sentence: string; unit: string; bound?: Bound | null },
): Ratio {
  return { sentence, unit, bound, ...comparison }
}
