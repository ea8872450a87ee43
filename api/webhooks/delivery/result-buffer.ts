// Attempts that ended and are not written yet. An attempt leaves this list only when it is written:
// an outage of the database loses none.
import { sleep } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Sql } from '../../database/pool.ts'
import { createSignal } from '../../jobs/signal.ts'
import { exhaustDelivery } from './exhaust.ts'
import { type EndedAttempt, settleAttempts } from './settle.ts'
import type { RetrySchedule, Verdict } from './verdict.ts'

/** Attempts of one statement. */
const SETTLED_MAX = 256
/**
 * While fewer have ended than this, the writer waits for more: a large statement costs less per
 * attempt.
 */
const SETTLED_AT_ONCE = 128
const OTHERS_MS = 5
/** Longest wait in milliseconds; a signal ends it early. */
const WAIT_MS_MAX = 1000

export interface ResultBufferOptions {
  sql: Sql
  schedule: RetrySchedule
  log: Logger
  /** Called per attempt as soon as it is written. */
  written(ended: EndedAttempt): void
}

export class ResultBuffer {
  readonly settleSignal = createSignal()
  readonly exhaustSignal = createSignal()
  readonly #options: ResultBufferOptions
  readonly #lists: { readonly [kind in Verdict['kind']]: EndedAttempt[] } = {
    succeeded: [],
    retry: [],
    exhausted: [],
  }

  constructor(options: ResultBufferOptions) {
    this.#options = options
  }

  add(ended: EndedAttempt): void {
    const { kind } = ended.verdict
    this.#lists[kind].push(ended)
    if (kind === 'exhausted') this.exhaustSignal.raise()
    else this.settleSignal.raise()
  }

  /** Writes successes and retries in batches. */
  async settle(): Promise<number> {
    const { succeeded, retry } = this.#lists
    if (succeeded.length + retry.length === 0) return WAIT_MS_MAX
    if (succeeded.length + retry.length < SETTLED_AT_ONCE) await sleep(OTHERS_MS)
    for (const kind of ['succeeded', 'retry'] as const) {
      const batch = this.#lists[kind].slice(0, SETTLED_MAX)
      if (batch.length === 0) continue
      await settleAttempts(this.#options.sql, kind, batch)
      this.#forget(kind, batch.length)
    }
    return succeeded.length + retry.length > 0 ? 0 : WAIT_MS_MAX
  }

  /**
   * Writes last attempts one at a time, because each may disable its endpoint; the other writes do
   * not wait for it.
   */
  async exhaust(): Promise<number> {
    const { sql, log, schedule } = this.#options
    const [exhausted] = this.#lists.exhausted
    if (exhausted === undefined) return WAIT_MS_MAX
    const { endpointId, tenantId } = exhausted.delivery
    const end = await exhaustDelivery(sql, exhausted, schedule)
    log.info({ endpoint_id: endpointId, tenant_id: tenantId, end }, 'delivery exhausted')
    this.#forget('exhausted', 1)
    return 0
  }

  /** New attempts arrive only at the end of a list. */
  #forget(kind: Verdict['kind'], count: number): void {
    for (const ended of this.#lists[kind].splice(0, count)) this.#options.written(ended)
  }
}
