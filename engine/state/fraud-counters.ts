// The memory of fraud rules per card: wrong PINs in a row, moments of suspicious messages, and
// cards that a rule stopped. Only journal entries change it, so it is the same after a restart. It
// holds only cards with such messages.
import { PIN_TRIES_MAX } from '../../shared/limits.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import type { FraudRuleName } from '../../shared/wire/config-records.ts'
import type {
  CardSuspensionEntry,
  DecisionEntry,
  FraudMark,
} from '../../shared/wire/journal-entry.ts'

/** Most moments kept for one card and rule; a rule never needs more. */
export const FRAUD_COUNT_MAX = 1000
/** Most cards remembered; the least recent is forgotten first. */
const CARDS_MAX = 100_000

interface PinFailures {
  /**
   * Chosen: any change of the card by its tenant, such as a new PIN or resuming it, gives new
   * tries.
   */
  cardVersion: number
  count: number
}

/**
 * A card that a rule stopped, until its config record is newer: PostgreSQL then says `suspended`.
 */
interface Stopped {
  cardVersion: number
  rule: string
}

export class FraudCounters {
  readonly #pin = new Map<string, PinFailures>()
  readonly #marks = new Map<string, number[]>()
  readonly #stopped = new Map<string, Stopped>()

  /** Wrong PINs in a row since the card was last changed. */
  pinFailures(cardId: string, cardVersion: number): number {
    const known = this.#pin.get(cardId)
    return known === undefined || known.cardVersion !== cardVersion ? 0 : known.count
  }

  /** Marks of a rule on a card at or after a moment. */
  marksSince(cardId: string, rule: FraudRuleName, fromMs: number): number {
    const moments = this.#marks.get(rule + ' ' + cardId)
    if (moments === undefined) return 0
    let count = 0
    for (let index = moments.length - 1; index >= 0; index--) {
      if ((moments[index] as number) < fromMs) break
      count += 1
    }
    return count
  }

  /** Name of the rule that stopped this version of the card, or null. */
  stoppedBy(cardId: string, cardVersion: number): string | null {
    const known = this.#stopped.get(cardId)
    return known !== undefined && known.cardVersion === cardVersion ? known.rule : null
  }

  apply(entry: DecisionEntry): void {
    const { card } = entry
    if (card === null) return
    // Chosen: a notification shows no PIN to count.
    if (isNotification(entry.message.kind)) return
    if (entry.pin === 'match') this.#forgivePin(card.cardId, card.cardVersion)
    else if (entry.pin === 'mismatch') this.#countPin(card.cardId, card.cardVersion)
    for (const mark of entry.decision.marks) this.#mark(card.cardId, mark, entry.receivedAtMs)
  }

  applySuspension(entry: CardSuspensionEntry): void {
    put(this.#stopped, entry.cardId, { cardVersion: entry.cardVersion, rule: entry.rule })
  }

  /** The whole memory, for a snapshot. */
  rows(): FraudCounterRows {
    return { pin: [...this.#pin], marks: [...this.#marks], stopped: [...this.#stopped] }
  }

  restore(rows: FraudCounterRows): void {
    for (const [card, failures] of rows.pin) this.#pin.set(card, failures)
    for (const [key, moments] of rows.marks) this.#marks.set(key, [...moments])
    for (const [card, stopped] of rows.stopped) this.#stopped.set(card, stopped)
  }

  /**
   * A right PIN resets the count, unless it came after the last try: then it was refused, and the
   * next one is too.
   */
  #forgivePin(cardId: string, cardVersion: number): void {
    if (this.pinFailures(cardId, cardVersion) < PIN_TRIES_MAX) this.#pin.delete(cardId)
  }

  #countPin(cardId: string, cardVersion: number): void {
    const count = this.pinFailures(cardId, cardVersion) + 1
    put(this.#pin, cardId, { cardVersion, count })
  }

  #mark(cardId: string, { rule, keep }: FraudMark, atMs: number): void {
    const key = rule + ' ' + cardId
    const moments = this.#marks.get(key) ?? []
    moments.push(atMs)
    moments.splice(0, moments.length - keep)
    put(this.#marks, key, moments)
  }
}

export interface FraudCounterRows {
  pin: readonly [string, PinFailures][]
  marks: readonly [string, readonly number[]][]
  stopped: readonly [string, Stopped][]
}

/** Sets a row as the latest one; beyond the limit the oldest is removed. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= CARDS_MAX) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    break
  }
}
