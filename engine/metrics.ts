// Counters and latencies of the engine as Prometheus text. Counting allocates nothing.
import type { ErrorCode } from '../shared/error-catalog.ts'
import type { Histogram } from '../shared/histogram.ts'
import { logMetricLines } from '../shared/log.ts'
import { isFactKind } from '../shared/schemas/network-message.ts'
import type { DecisionEntry } from '../shared/wire/journal-entry.ts'
import { latencies } from './latencies.ts'

export type StepName = 'stateRead' | 'controls' | 'reserve' | 'tenantWait' | 'answer'

export interface Gauges {
  configLagMs: number
  journalSyncs: Histogram
  journalSeq: number
  drainedSeq: number
  open: number
  /** Endpoints that are not asked, and how often one came to that. */
  breakersOpen: number
  breakerOpenings: number
  ready: boolean
  holds: number
  meters: number
  recalled: number
  /** Milliseconds by which the system clock is ahead of each source. */
  clockAheadMs: { readonly [source: string]: number }
}

export class Metrics {
  /** Questions sent to tenants. */
  asked = 0
  readonly #steps: { readonly [Name in StepName]: Histogram } = {
    stateRead: latencies(),
    controls: latencies(),
    reserve: latencies(),
    tenantWait: latencies(),
    answer: latencies(),
  }
  readonly #decisions = new Map<string, number>()
  readonly #facts = new Map<string, number>()
  readonly #refusals = new Map<string, number>()
  readonly #tenants = new Map<string, number>()

  observe(step: StepName, us: number): void {
    this.#steps[step].observe(us)
  }

  countDecision({ decision, message }: DecisionEntry): void {
    if (isFactKind(message.kind)) return add(this.#facts, message.kind)
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
    const lines: string[] = []
    lines.push('# TYPE svc_decisions_total counter')
    for (const [name, count] of this.#decisions) {
      const outcome = name.startsWith('approved') ? 'approved' : 'declined'
      lines.push('svc_decisions_total{outcome="' + outcome + '",reason="' + name + '"} ' + count)
    }
    lines.push('# TYPE svc_facts_total counter')
    for (const [kind, count] of this.#facts)
      lines.push('svc_facts_total{kind="' + kind + '"} ' + count)
    lines.push('# TYPE svc_refusals_total counter')
    for (const [code, count] of this.#refusals)
      lines.push('svc_refusals_total{code="' + code + '"} ' + count)
    lines.push('# TYPE svc_tenant_calls_total counter')
    for (const [outcome, count] of this.#tenants) {
      lines.push('svc_tenant_calls_total{outcome="' + outcome + '"} ' + count)
    }
    lines.push('# TYPE svc_step_seconds histogram')
    for (const [name, histogram] of Object.entries(this.#steps))
      lines.push(...histogram.lines('svc_step_seconds', 'step="' + name + '"'))
    lines.push(
      '# TYPE svc_ready gauge',
      'svc_ready ' + (gauges.ready ? 1 : 0),
      '# TYPE svc_open_messages gauge',
      'svc_open_messages ' + gauges.open,
      '# TYPE svc_breakers_open gauge',
      'svc_breakers_open ' + gauges.breakersOpen,
      '# TYPE svc_breaker_openings_total counter',
      'svc_breaker_openings_total ' + gauges.breakerOpenings,
      '# TYPE svc_config_lag_seconds gauge',
      'svc_config_lag_seconds ' + gauges.configLagMs / 1000,
      '# TYPE svc_journal_sync_seconds histogram',
      ...gauges.journalSyncs.lines('svc_journal_sync_seconds'),
      '# TYPE svc_journal_entries gauge',
      'svc_journal_entries ' + gauges.journalSeq,
      '# TYPE svc_journal_undrained_entries gauge',
      'svc_journal_undrained_entries ' + Math.max(0, gauges.journalSeq - gauges.drainedSeq),
      '# TYPE svc_open_holds gauge',
      'svc_open_holds ' + gauges.holds,
      '# TYPE svc_spend_meters gauge',
      'svc_spend_meters ' + gauges.meters,
      '# TYPE svc_recalled_answers gauge',
      'svc_recalled_answers ' + gauges.recalled,
      ...logMetricLines(),
      '# TYPE svc_clock_offset_seconds gauge',
    )
    for (const [source, ms] of Object.entries(gauges.clockAheadMs))
      lines.push('svc_clock_offset_seconds{source="' + source + '"} ' + ms / 1000)
    return lines.join('\n') + '\n'
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
