// Metrics of a process: memory, processor time, lag of the event loop, and dropped log lines.
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { certificateLines } from './certificate-ends.ts'
import { logMetricLines } from './log.ts'
import { familyLines, valueLines } from './metric-text.ts'

/**
 * A timer of this many milliseconds measures the lag: short enough to see it, too long to cost
 * anything.
 */
const LAG_RESOLUTION_MS = 50
const NS_PER_S = 1e9

/** Observes the process from now on; the function makes the lines of a metrics page. */
export function observeProcess(): () => string[] {
  const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  delay.enable()
  const collectorLines = observeCollector()
  return () => {
    const lag = (value: number): number =>
      Number.isFinite(value) ? Math.max(0, value / NS_PER_S - LAG_RESOLUTION_MS / 1000) : 0
    const lags = [
      'svc_event_loop_lag_seconds{quantile="0.5"} ' + lag(delay.percentile(50)),
      'svc_event_loop_lag_seconds{quantile="0.99"} ' + lag(delay.percentile(99)),
      'svc_event_loop_lag_seconds{quantile="1"} ' + lag(delay.max),
    ]
    delay.reset()
    const help = 'Lag of the event loop since the page was read last, by quantile.'
    return [
      ...certificateLines(),
      ...logMetricLines(),
      ...usageLines(),
      ...collectorLines(),
      ...familyLines({ name: 'svc_event_loop_lag_seconds', type: 'gauge', help }, lags),
    ]
  }
}

/** Memory and processor time at this moment. */
function usageLines(): string[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    ...valueLines(
      {
        name: 'svc_resident_memory_bytes',
        type: 'gauge',
        help: 'Memory that the process holds.',
      },
      rss,
    ),
    ...valueLines(
      { name: 'svc_heap_used_bytes', type: 'gauge', help: 'JavaScript heap in use.' },
      heapUsed,
    ),
    ...valueLines(
      {
        name: 'svc_cpu_seconds_total',
        type: 'counter',
        help: 'Processor time of all threads of the process.',
      },
      (user + system) / 1e6,
    ),
  ]
}

/** Counts the collections of the main thread from now on. */
function observeCollector(): () => string[] {
  let collections = 0
  let collectingMs = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      collections += 1
      collectingMs += duration
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => [
    ...valueLines(
      { name: 'svc_gc_total', type: 'counter', help: 'Garbage collections of the main thread.' },
      collections,
    ),
    ...valueLines(
      {
        name: 'svc_gc_seconds_total',
        type: 'counter',
        help: 'Time of garbage collections of the main thread.',
      },
      collectingMs / 1000,
    ),
  ]
}
