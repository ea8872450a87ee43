// The time of a piece of code: many rounds of a batch, and the median of the rounds.
import { median, rounded } from '../figures.ts'

export interface Cost {
  /** Microseconds per piece, the median of the rounds: by the wall clock, and of the processor. */
  wallUs: number
  cpuUs: number
  /** Microseconds of the best and the worst of a hundred rounds, by the wall clock. */
  p1Us: number
  p99Us: number
  rounds: number
}

/** `prepare` makes the input of a round, untimed; `work` returns the number of pieces. */
export function costOf<Input>(options: {
  rounds: number
  warmRounds: number
  prepare(round: number): Input
  work(input: Input): number
}): Cost {
  const { rounds, warmRounds, prepare, work } = options
  const walls: number[] = []
  const cpus: number[] = []
  for (let round = 0; round < warmRounds + rounds; round++) {
    const input = prepare(round)
    const cpuBefore = process.cpuUsage()
    const before = performance.now()
    const pieces = work(input)
    const wallUs = (performance.now() - before) * 1000
    const { user, system } = process.cpuUsage(cpuBefore)
    if (round < warmRounds) continue
    walls.push(wallUs / pieces)
    cpus.push((user + system) / pieces)
  }
  const sorted = walls.toSorted((one, two) => one - two)
  const at = (part: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0)
  return {
    wallUs: rounded(median(walls)),
    cpuUs: rounded(median(cpus)),
    p1Us: at(0.01),
    p99Us: at(0.99),
    rounds,
  }
}
