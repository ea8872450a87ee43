// Counters and latencies of the engine as Prometheus text. Counting allocates nothing.
import type { ErrorCode } from '../shared/error-catalog.ts'
import type { Histogram } from '../shared/histogram.ts'
import { countLines, familyLines, type MetricFamily, valueLines } from '../shared/metric-text.ts'
import { isNotification } from '../shared/schemas/network-message.ts'
import type { DecisionEntry } from '../shared/wire/journal-entry.ts'
import { latencies } from './latencies.ts'

export type StepName = 'gather' | 'judge' | 'reserve' | 'ask' | 'answer'

export interface Gauges {
  configLagMs: number
  journalSyncs: Histogram
  journalSeq: number
  drainedSeq: number
  open: number
  /** Breakers that are not closed, and the total number of openings. */
  breakersOpen: number
  breakerOpenings: number
  ready: boolean
  holds: number
  meters: number
  recalled: number
  /** Milliseconds by which the system clock is ahead of each source. */
  clockAheadMs: { readonly [source: string]: number }
  /** Lines about the process. */
  process: readonly string[]
}

export class Metrics {
  /** Authorization requests sent to tenants. */
  asked = 0
  readonly #steps: { readonly [Name in StepName]: Histogram } = {
    gather: latencies(),
    judge: latencies(),
    reserve: latencies(),
    ask: latencies(),
    answer: latencies(),
  }
  readonly #decisions = new Map<string, number>()
  readonly #notifications = new Map<string, number>()
  readonly #refusals = new Map<string, number>()
  readonly #tenants = new Map<string, number>()

  observe(step: StepName, us: number): void {
    this.#steps[step].observe(us)
  }

  countDecision({ decision, message }: DecisionEntry): void {
    if (isNotification(message.kind)) return add(this.#notifications, message.kind)
    add(
      this.#decisions,
      decision.declineReason ?? (decision.standIn ? 'approved_by_stand_in' : 'approved'),
    )
  }

  countRefusal(code: ErrorCode): void {
    add(this.#refusals, code)
  }

  countTenant(outcome: string): void {
    add(this.#tenants, outcome)
  }

  /** The page for `GET /metrics`. */
  text(gauges: Gauges): string {
    const decisions = Array.from(this.#decisions, ([name, count]) => {
      const outcome = name.startsWith('approved') ? 'approved' : 'declined'
      return 'svc_decisions_total{outcome="' + outcome + '",reason="' + name + '"} ' + count
    })
    const steps = Object.entries(this.#steps).flatMap(([name, histogram]) =>
      histogram.lines('svc_step_seconds', 'step="' + name + '"'),
    )
    const offsets = Object.entries(gauges.clockAheadMs).map(
      ([source, ms]) => 'svc_clock_offset_seconds{source="' + source + '"} ' + ms / 1000,
    )
    const lines = [
      ...familyLines(
        {
          name: 'svc_decisions_total',
          type: 'counter',
          help: 'Authorizations that were decided, by outcome and reason.',
        },
        decisions,
      ),
      ...COUNTS.flatMap(({ of, ...family }) => countLines(family, this.#counts(of))),
      ...familyLines(
        {
          name: 'svc_step_seconds',
          type: 'histogram',
          help: 'Time of an authorization, by step.',
        },
        steps,
      ),
      ...GAUGES.flatMap(({ value, ...family }) => valueLines(family, value(gauges))),
      ...familyLines(
        {
          name: 'svc_journal_sync_seconds',
          type: 'histogram',
          help: 'Time until a write of the journal is on the device.',
        },
        gauges.journalSyncs.lines('svc_journal_sync_seconds'),
      ),
      ...familyLines(
        {
          name: 'svc_clock_offset_seconds',
          type: 'gauge',
          help: 'How far the system clock is ahead of a source.',
        },
        offsets,
      ),
      ...gauges.process,
    ]
    return lines.join('\n') + '\n'
  }

  #counts(of: CountName): ReadonlyMap<string, number> {
    if (of === 'notifications') return this.#notifications
    return of === 'refusals' ? this.#refusals : this.#tenants
  }
}

type CountName = 'notifications' | 'refusals' | 'tenants'

const COUNTS = [
  {
    of: 'notifications',
    name: 'svc_facts_total',
    label: 'kind',
    help: 'Messages that were recorded and needed no decision, by kind.',
  },
  {
    of: 'refusals',
    name: 'svc_refusals_total',
    label: 'code',
    help: 'Requests that were refused, by error code.',
  },
  {
    of: 'tenants',
    name: 'svc_tenant_calls_total',
    label: 'outcome',
    help: 'Real-time authorization requests to tenants, by outcome.',
  },
] as const satisfies readonly { of: CountName; name: string; label: string; help: string }[]

const GAUGES: readonly (MetricFamily & { value(gauges: Gauges): number })[] = [
  {
    name: 'svc_ready',
    type: 'gauge',
    help: '1 while authorizations are answered.',
    value: ({ ready }) => (ready ? 1 : 0),
  },
  {
    name: 'svc_open_messages',
    type: 'gauge',
    help: 'Messages that are not answered yet.',
    value: ({ open }) => open,
  },
  {
    name: 'svc_breakers_open',
    type: 'gauge',
    help: 'Real-time endpoints that are not asked because they failed.',
    value: ({ breakersOpen }) => breakersOpen,
  },
  {
    name: 'svc_breaker_openings_total',
    type: 'counter',
    help: 'Breakers of real-time endpoints that opened.',
    value: ({ breakerOpenings }) => breakerOpenings,
  },
  {
    name: 'svc_config_lag_seconds',
    type: 'gauge',
    help: 'Age of the latest configuration that the engine has.',
    value: ({ configLagMs }) => configLagMs / 1000,
  },
  {
    name: 'svc_journal_entries',
    type: 'gauge',
    help: 'Number of the last journal entry on the device.',
    value: ({ journalSeq }) => journalSeq,
  },
  {
    name: 'svc_journal_undrained_entries',
    type: 'gauge',
    help: 'Journal entries that PostgreSQL does not have yet.',
    value: ({ journalSeq, drainedSeq }) => Math.max(0, journalSeq - drainedSeq),
  },
  {
    name: 'svc_open_holds',
    type: 'gauge',
    help: 'Holds that are open.',
    value: ({ holds }) => holds,
  },
  {
    name: 'svc_spend_meters',
    type: 'gauge',
    help: 'Spending windows in memory.',
    value: ({ meters }) => meters,
  },
  {
    name: 'svc_recalled_answers',
    type: 'gauge',
    help: 'Answers that a repeated message gets again.',
    value: ({ recalled }) => recalled,
  },
]

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
