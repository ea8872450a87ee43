// Histogram buckets of everything the engine times.
import { Histogram } from '../shared/histogram.ts'

/** Upper bounds in microseconds. */
const BUCKETS_US = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
  1_000_000, 1_500_000, 2_000_000,
] as const

/** Returns an empty histogram of microseconds. */
export function latencies(): Histogram {
  return new Histogram(BUCKETS_US, 1e6)
}
