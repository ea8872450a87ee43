import { latencies } from '../../engine/latencies.ts'
import type { Gauges } from '../../engine/metrics.ts'
import { observeProcess } from '../../shared/process-metrics.ts'

/** The gauges of an engine that is ready and has decided nothing. */
export function idleGauges(): Gauges {
  return {
    configLagMs: 10,
    journalSyncs: latencies(),
    journalSeq: 0,
    drainedSeq: 0,
    open: 0,
    breakersOpen: 0,
    breakerOpenings: 0,
    ready: true,
    holds: 1,
    meters: 2,
    recalled: 3,
    clockAheadMs: {},
    process: observeProcess()(),
  }
}
