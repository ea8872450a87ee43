// A follower practises the authorization line, because code that never ran takes ten times as long,
// and a new owner meets at once everything that the front doors kept. The messages are its own, on
// cards of followed entries and on a state that is thrown away: nothing is written or answered.
import type { Clock, Timer } from '../../shared/clock.ts'
import { TENANT_CALLS_MAX } from '../../shared/limits.ts'
import { createLog } from '../../shared/log.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type { JournalEntry } from '../../shared/wire/journal-entry.ts'
import { type AuthorizationLine, openAuthorizationLine } from '../authorize.ts'
import { unkeptLog } from '../journal/unkept-log.ts'
import type { Line } from '../line/line.ts'
import { Metrics } from '../metrics.ts'
import { emptyState } from '../state/decision-state.ts'
import { Breakers } from '../tenant/breaker.ts'

/** Chosen: V8 has compiled the functions of the line after so many messages. */
const MESSAGES_FIRST = 2000
/** V8 drops the code of functions that nothing calls, so some messages follow from time to time. */
const [MESSAGES_AGAIN, AGAIN_MS] = [20, 10_000]
/** An entry that is followed waits for one slice at most. */
const [SLICE_MS, PAUSE_MS] = [2, 20]
/** Messages on one state, which holds a transaction for each. */
const STATE_MESSAGES_MAX = 4000
const CARDS_MAX = 32

export class Practice {
  /** Messages that were decided. */
  decided = 0
  readonly #clock: Clock
  /** Ids of the cards that the shard decided on last. */
  readonly #cards: string[] = []
  #heard = 0
  #sent = 0
  #rest = MESSAGES_FIRST
  #seq = 0
  #open: AuthorizationLine | null = null
  #timer: Timer | null = null
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes an entry that was followed. */
  heard(entry: JournalEntry): void {
    if (this.#stopped || entry.kind !== 'decision' || entry.card === null) return
    this.#cards[this.#heard % CARDS_MAX] = entry.card.cardId
    this.#heard += 1
  }

  /** Practises with the config records and secrets of this line until it is stopped. */
  begin(line: Line): void {
    if (this.#stopped) return
    this.#timer = this.#clock.after(PAUSE_MS, () => {
      try {
        this.#slice(line)
      } catch (error) {
        // The member follows without practice.
        line.log.error({ err: error }, 'the practice of the authorization line failed')
        this.stop()
      }
    })
  }

  /** The member owns the shard, or ends. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#open = null
  }

  #slice(line: Line): void {
    const untilNs = this.#clock.monotonicNs() + SLICE_MS * 1e6
    while (this.#rest > 0 && this.#heard > 0 && this.#clock.monotonicNs() < untilNs)
      this.#send(line)
    if (this.#rest > 0) return this.begin(line)
    this.#rest = MESSAGES_AGAIN
    this.#timer = this.#clock.after(AGAIN_MS, () => this.begin(line))
  }

  #send(line: Line): void {
    if (this.#sent % STATE_MESSAGES_MAX === 0) this.#open = this.#openOn(line)
    this.#sent += 1
    this.#rest -= 1
    const card = line.configCache.card(this.#cards[this.#sent % this.#cards.length] ?? '')
    if (card === null || card.card_type === 'account') return
    const key = line.secrets
      .networkKeys()
      .find(({ environment }) => environment === card.environment)
    if (key === undefined) return
    const receivedAtMs = line.clock.nowMs()
    const body = Buffer.from(JSON.stringify(this.#message(card, receivedAtMs)))
    this.#open?.authorize({
      signature: signatureHeader([key.secret], Math.floor(receivedAtMs / 1000), body),
      keyId: key.id,
      body,
      receivedAtMs,
      receivedNs: line.clock.monotonicNs(),
      reply: {
        send: (status) => {
          if (status === 200) this.decided += 1
        },
      },
    })
    this.#open?.synced(this.#seq)
  }

  #message({ token, currency }: { token: string; currency: string }, nowMs: number): object {
    const id = 'practice-' + this.#sent
    return {
      id,
      kind: 'authorization',
      transmitted_at: new Date(nowMs).toISOString(),
      network_transaction_id: id,
      card: { token },
      amount_cents: 1,
      currency,
      entry_method: 'chip',
      merchant: { id: 'practice', name: 'Practice', mcc: '5411', city: '', country: 'US' },
    }
  }

  /** A line with a state, a journal and figures of its own, which asks no tenant. */
  #openOn(line: Line): AuthorizationLine {
    this.#seq = 0
    return openAuthorizationLine({
      ...line,
      state: emptyState(),
      journal: unkeptLog(() => {
        this.#seq += 1
        return this.#seq
      }),
      metrics: new Metrics(),
      breakers: new Breakers(),
      tenants: {
        inFlight: () => TENANT_CALLS_MAX,
        call() {
          throw new Error('practice asks no tenant')
        },
        close: () => Promise.resolve(),
      },
      log: createLog({ name: 'practice', level: 'silent' }),
      logsDecisions: false,
      unready: () => null,
      stop(reason) {
        throw new Error(reason)
      },
    })
  }
}
