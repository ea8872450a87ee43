// Latencies of a run as an HDR histogram of microseconds: small enough to send to another process,
// and to be added up there.
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js'
import type { Curve } from './measured.ts'

const LATENCY_US_MAX = 60_000_000
const BUCKET_BITS = 32
/** From the median to the tail, as HDR histograms are drawn. */
const PERCENTILES = [
  1, 5, 10, 25, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 97, 98, 99, 99.25, 99.5, 99.7, 99.8, 99.9,
  99.93, 99.95, 99.97, 99.98, 99.99,
] as const
/** A percentile needs at least this many values beyond it; one in ten thousand would be none. */
const BEYOND_MIN = 2

export interface Latency {
  record(us: number): void
  reset(): void
  /** As text for another process; `latencyOf` reads it. */
  encoded(): string
}

export function openLatency(): Latency {
  const histogram = newHistogram()
  return {
    record: (us) => histogram.recordValue(us < 1 ? 1 : us > LATENCY_US_MAX ? LATENCY_US_MAX : us),
    reset: () => histogram.reset(),
    encoded: () => encodeIntoCompressedBase64(histogram),
  }
}

export interface Percentiles {
  count: number
  /** Milliseconds, as all of these. */
  p50: number
  p90: number
  p99: number
  p99_9: number
  p99_99: number
  max: number
  mean: number
}

/** Adds the encoded latencies of one or more runs and returns their percentiles. */
export function percentilesOf(encoded: readonly string[]): Percentiles {
  const all = added(encoded)
  const at = (percentile: number): number => milliseconds(valueAt(all, percentile))
  return {
    count: all.totalCount,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p99_9: at(99.9),
    p99_99: at(99.99),
    max: milliseconds(all.maxValue),
    mean: milliseconds(all.mean),
  }
}

/**
 * The curve of one or more runs, in milliseconds; it ends where fewer than two of all lie beyond.
 */
export function curveOf(encoded: readonly string[], { chart, name }: Names): Curve {
  const all = added(encoded)
  const shown = PERCENTILES.filter(
    (percentile) => all.totalCount * (1 - percentile / 100) >= BEYOND_MIN,
  )
  return {
    chart,
    name,
    unit: 'ms',
    points: shown.map((percentile) => [percentile, milliseconds(valueAt(all, percentile))]),
    max: milliseconds(all.maxValue),
  }
}

interface Names {
  chart: string
  name: string
}

function added(encoded: readonly string[]): Histogram {
  const all = newHistogram()
  for (const text of encoded) all.add(decodeFromCompressedBase64(text, BUCKET_BITS, false))
  return all
}

/** The histogram names the upper edge of a bucket; no percentile lies above the largest value. */
function valueAt(histogram: Histogram, percentile: number): number {
  if (histogram.totalCount === 0) return 0
  return Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue)
}

function newHistogram(): Histogram {
  return build({
    bitBucketSize: BUCKET_BITS,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: LATENCY_US_MAX,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  })
}

function milliseconds(us: number): number {
  return Math.round(us) / 1000
}
