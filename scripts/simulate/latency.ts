// Latencies as an HDR histogram of microseconds: percentiles keep three significant digits up to a
// minute.
import { build, type Histogram } from 'hdr-histogram-js'

const LATENCY_US_MAX = 60_000_000

export interface Percentiles {
  count: number
  p50_ms: number
  p90_ms: number
  p99_ms: number
  p99_9_ms: number
  p99_99_ms: number
  max_ms: number
}

export interface Latency {
  /** Whole microseconds; anything above a minute counts as a minute. */
  record(latencyUs: number): void
  percentiles(): Percentiles
}

export function openLatency(): Latency {
  const histogram: Histogram = build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: LATENCY_US_MAX,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  })
  let maxUs = 0
  // The histogram names the upper edge of a bucket; no percentile lies above the largest value.
  const at = (percentile: number): number =>
    histogram.totalCount === 0
      ? 0
      : milliseconds(Math.min(histogram.getValueAtPercentile(percentile), maxUs))
  return {
    record(latencyUs) {
      const boundedUs = Math.min(Math.max(0, Math.round(latencyUs)), LATENCY_US_MAX)
      if (boundedUs > maxUs) maxUs = boundedUs
      histogram.recordValue(boundedUs)
    },
    percentiles: () => ({
      count: histogram.totalCount,
      p50_ms: at(50),
      p90_ms: at(90),
      p99_ms: at(99),
      p99_9_ms: at(99.9),
      p99_99_ms: at(99.99),
      max_ms: milliseconds(maxUs),
    }),
  }
}

function milliseconds(us: number): number {
  return Math.round(us) / 1000
}
