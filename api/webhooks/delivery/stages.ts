// Times of a delivery by stage, from the record of its event until its end is written; and
// durations of the loops' rounds. Counting allocates nothing. The output is Prometheus text, like
// the engine's.
import type { EpochMs } from '../../../shared/clock.ts'
import { Histogram } from '../../../shared/histogram.ts'
import { decodeId } from '../../../shared/id.ts'
import { familyLines } from '../../../shared/metric-text.ts'
import type { LeasedDelivery } from './claim.ts'
import type { ErrorClass } from './delivery.ts'
import type { EndedAttempt } from './settle.ts'
import type { Verdict } from './verdict.ts'

/** Upper bounds in milliseconds: an attempt takes 15 s at most, a backlog may wait for minutes. */
const BUCKETS_MS = [
  1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 250, 500, 1000, 2500, 5000, 10_000, 15_000, 60_000,
  300_000,
] as const

/**
 * The stages in order. `fan_out`: from the record of the event until its round of fan-out begins;
 * `claim`: from then, or from the due time, until the delivery is leased and known here;
 * `hand_over`: until its attempt begins in a sender thread; `exchange`: the attempt; `return`:
 * until its outcome is back; `write`: until the outcome is written. `whole`: first attempts only,
 * from the record until a successful answer is back.
 */
const STAGES = ['fan_out', 'claim', 'hand_over', 'exchange', 'return', 'write', 'whole'] as const
type Stage = (typeof STAGES)[number]

function times(): Histogram {
  return new Histogram(BUCKETS_MS, 1000)
}

export class Stages {
  readonly #stages = new Map<Stage, Histogram>(STAGES.map((name) => [name, times()]))
  readonly #rounds = new Map<string, Histogram>()
  readonly #attempts = new Map<string, number>()

  /** Records a delivery that is leased and known here. */
  begun(
    { eventId, cause, attempt, cycle, dueAt, addressedAt }: LeasedDelivery,
    now: EpochMs,
  ): void {
    const first = cause === 'event' && cycle === 1 && attempt === 1
    if (first) this.#observe('fan_out', addressedAt - recordedAt(eventId))
    this.#observe('claim', now - dueAt)
  }

  /** Records an outcome that is back. */
  answered(begunAt: EpochMs, { delivery, outcome, verdict, endedAt }: EndedAttempt): void {
    const { startedAt, durationMs, errorClass } = outcome
    this.#count(verdict.kind, outcome)
    this.#observe('hand_over', startedAt - begunAt)
    this.#observe('exchange', durationMs)
    this.#observe('return', endedAt - startedAt - durationMs)
    const { cause, attempt, cycle, eventId } = delivery
    if (errorClass === null && cause === 'event' && cycle === 1 && attempt === 1)
      this.#observe('whole', endedAt - recordedAt(eventId))
  }

  written({ endedAt }: EndedAttempt, now: EpochMs): void {
    this.#observe('write', now - endedAt)
  }

  /** Records a round of a loop, with or without work. */
  round(loop: string, tookMs: number): void {
    const histogram = this.#rounds.get(loop) ?? times()
    this.#rounds.set(loop, histogram)
    histogram.observe(tookMs)
  }

  lines(): string[] {
    const attempts = [...this.#attempts].map(
      ([label, count]) => 'svc_attempts_total{' + label + '} ' + count,
    )
    const stages = [...this.#stages].flatMap(([stage, histogram]) =>
      histogram.lines('svc_delivery_stage_seconds', 'stage="' + stage + '"'),
    )
    const rounds = [...this.#rounds].flatMap(([loop, histogram]) =>
      histogram.lines('svc_delivery_round_seconds', 'loop="' + loop + '"'),
    )
    return [
      ...familyLines(
        {
          name: 'svc_attempts_total',
          type: 'counter',
          help: 'Attempts that ended, by outcome and error.',
        },
        attempts,
      ),
      ...familyLines(
        {
          name: 'svc_delivery_stage_seconds',
          type: 'histogram',
          help: 'Time of a delivery, by stage.',
        },
        stages,
      ),
      ...familyLines(
        {
          name: 'svc_delivery_round_seconds',
          type: 'histogram',
          help: 'Time of a round of a loop.',
        },
        rounds,
      ),
    ]
  }

  #observe(stage: Stage, ms: number): void {
    this.#stages.get(stage)?.observe(ms)
  }

  #count(kind: Verdict['kind'], { errorClass }: { errorClass: ErrorClass | null }): void {
    const label = 'outcome="' + kind + '",error="' + (errorClass ?? 'none') + '"'
    this.#attempts.set(label, (this.#attempts.get(label) ?? 0) + 1)
  }
}

/** An event's id begins with the millisecond of its record. */
export function recordedAt(eventId: string): EpochMs {
  return decodeId(eventId.slice(eventId.indexOf('_') + 1))?.readUIntBE(0, 6) ?? 0
}
