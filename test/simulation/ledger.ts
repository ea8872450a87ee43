// A small independent ledger beside the engine's state: from the journal alone it knows every
// transaction and the sums of every local day, and reports an entry that cannot be right.

import type { DecisionState } from '../../engine/state/decision-state.ts'
import { isRollingZone } from '../../engine/state/rolling.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import { countedAmount, openHold } from '../../shared/transaction-sums.ts'
import {
  type DecisionEntry,
  type Effect,
  type JournalEntry,
  type MeterKey,
  namesOriginal,
} from '../../shared/wire/journal-entry.ts'
import {
  CARD_DAILY,
  CARDHOLDER_DAILY,
  CARDHOLDER_ZONE,
  CREDIT_LIMIT,
  EUR_RATE,
} from './simulated-config.ts'

const DAILY = 0
/** The program tolerates five percent less. */
const LEAST_OF_WORTH = 0.95

/** An amount and the days it counts on; `questions` is the part that passed the controls. */
interface Portion {
  days: readonly string[]
  amount: number
  questions: number
}

interface Known {
  sequence: number
  counted: number
  /** The portion of the original authorization comes first. */
  portions: Portion[]
  holdExpiresAtMs: number
}

interface Day {
  key: MeterKey
  amount: number
  count: number
  questions: number
}

export class Ledger {
  readonly violations: string[] = []
  readonly #known = new Map<string, Known>()
  readonly #days = new Map<string, Day>()
  /** Links whose reversal came first. */
  readonly #tombstones = new Set<string>()
  /** The transaction of refunds whose original has not come yet, by link. */
  readonly #awaiting = new Map<string, string>()
  /** Credited cents, by card and day. */
  readonly #credited = new Map<string, number>()
  /**
   * Captured cents, reversed cents and cents to reverse once their capture comes, by transaction.
   */
  readonly #captures = new Map<string, { captured: number; back: number; waiting: number }>()

  apply(entry: JournalEntry): void {
    if (entry.kind === 'expiry')
      return this.#expire(entry.transactionId, entry.effect, entry.expiredAtMs)
    if (entry.kind !== 'decision' || entry.effect === null) return
    const { effect, transactionId } = entry
    const link = effect.link.toString('hex')
    if (entry.message.kind === 'reversal' && (effect.sequence === 1 || this.#awaiting.has(link)))
      this.#tombstones.add(link)
    this.#await(entry, link, effect)
    this.#checkAmounts(entry)
    this.#checkReversals(entry, effect)
    if (
      this.#tombstones.has(link) &&
      entry.message.kind === 'authorization' &&
      entry.decision.approved
    )
      this.violations.push(
        entry.message.id + ' was approved although it was reversed before it came',
      )
    const before = this.#known.get(transactionId ?? '')?.counted ?? 0
    const known = this.#advance(transactionId ?? '', effect)
    const after = countedAmount(effect.sums)
    if (!entry.decision.approved && after !== before)
      this.violations.push(entry.message.id + ' was declined and counts ' + (after - before))
    if (after > before) this.#more(known, entry, after - before)
    else this.#less(known, before - after)
    this.#once(known, (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0))
    known.counted = after
  }

  /** The first local day on which the engine's sum differs, or null. */
  difference(state: DecisionState): string | null {
    for (const { key, amount, count } of this.#days.values()) {
      const [subject, zone, currency, day, filter] = key
      const meter = state.meters.find(subject, zone, currency, filter)
      const used = [state.meters.used(meter, DAILY, day), state.meters.usedCount(meter, DAILY, day)]
      if (this.#isCurrent(state, meter, day) && (used[0] !== amount || used[1] !== count))
        return key.join(' ') + ' counts ' + used.join(' of ') + ', not ' + amount + ' of ' + count
    }
    return null
  }

  /**
   * An approval counts the worth of its amount, its parts do not exceed the whole, and credits keep
   * to their limits.
   */
  #checkAmounts({ message, decision, cardAmountCents, card, clockOffsetMs }: DecisionEntry): void {
    if (isNotification(message.kind)) return
    if (message.cashbackCents + message.feeCents > message.amountCents)
      this.violations.push(message.id + ' has parts that are more than the whole')
    if (!decision.approved) return
    const worth = message.amountCents * (message.currency === 'EUR' ? EUR_RATE : 1)
    if (cardAmountCents < worth * LEAST_OF_WORTH - 2)
      this.violations.push(message.id + ' is worth ' + worth + ' and counts ' + cardAmountCents)
    if (message.transactionType !== 'original_credit') return
    const day = Math.floor((decision.decidedAtMs - clockOffsetMs) / 86_400_000)
    const name = card?.windowsId + ' ' + day
    const credited = (this.#credited.get(name) ?? 0) + cardAmountCents
    this.#credited.set(name, credited)
    const { per_authorization_cents: once, per_card_per_day_cents: daily } = CREDIT_LIMIT
    if (cardAmountCents > once || credited > daily)
      this.violations.push(message.id + ' credits ' + cardAmountCents + ', that day ' + credited)
  }

  /**
   * A capture reversal returns what was captured; a larger one waits until the capture has come.
   */
  #checkReversals({ message, transactionId }: DecisionEntry, effect: Effect): void {
    const known = this.#captures.get(transactionId ?? '') ?? { captured: 0, back: 0, waiting: 0 }
    this.#captures.set(transactionId ?? '', known)
    if (message.kind === 'capture') {
      known.captured += effect.amountCents
      if (known.waiting <= known.captured - known.back) {
        known.back += known.waiting
        known.waiting = 0
      }
    }
    if (message.kind === 'capture_reversal') {
      if (effect.amountCents <= known.captured - known.back) known.back += effect.amountCents
      else known.waiting += effect.amountCents
    }
    if (effect.sums.captureReversed !== known.back)
      this.violations.push(
        message.id + ' leaves ' + effect.sums.captureReversed + ' given back, not ' + known.back,
      )
  }

  /** A refund and the original it named form one transaction, whatever became of it. */
  #await({ message, transactionId }: DecisionEntry, link: string, { sequence }: Effect): void {
    const { kind } = message
    if (kind === 'refund' || kind === 'refund_reversal') {
      if (sequence === 1 && namesOriginal(message)) this.#awaiting.set(link, transactionId ?? '')
    } else if (kind === 'authorization' || kind === 'advice' || kind === 'capture') {
      const awaiting = this.#awaiting.get(link)
      if (awaiting !== undefined && awaiting !== transactionId)
        this.violations.push(message.id + ' is not in the transaction of the refund that named it')
      this.#awaiting.delete(link)
    }
  }

  #isCurrent(state: DecisionState, meter: number, day: number): boolean {
    let at = 0
    for (const row of state.meters.rows()) if (at++ === meter) return row[3] === day
    return false
  }

  #expire(transactionId: string, effect: Effect, atMs: number): void {
    const before = this.#known.get(transactionId)
    const known = this.#advance(transactionId, effect)
    if (before === undefined || effect.amountCents === 0)
      this.violations.push('an expiry of nothing: ' + transactionId)
    if (before !== undefined && (before.holdExpiresAtMs === 0 || before.holdExpiresAtMs > atMs))
      this.violations.push('a hold ended before its time: ' + transactionId)
    const after = countedAmount(effect.sums)
    this.#less(known, known.counted - after)
    this.#once(known, (after > 0 ? 1 : 0) - (known.counted > 0 ? 1 : 0))
    known.counted = after
    known.holdExpiresAtMs = effect.holdExpiresAtMs
  }

  #advance(transactionId: string, effect: Effect): Known {
    const before = this.#known.get(transactionId)
    if (effect.sequence !== (before?.sequence ?? 0) + 1)
      this.violations.push(
        transactionId + ' has effect ' + effect.sequence + ' after ' + before?.sequence,
      )
    if (openHold(effect.sums) > 0 !== effect.holdExpiresAtMs > 0)
      this.violations.push(transactionId + ' has a hold without an end, or an end without a hold')
    const known = before ?? { sequence: 0, counted: 0, portions: [], holdExpiresAtMs: 0 }
    known.sequence = effect.sequence
    if (effect.event !== 'reversed' || before === undefined)
      known.holdExpiresAtMs = effect.holdExpiresAtMs
    else known.holdExpiresAtMs = Math.max(known.holdExpiresAtMs, effect.holdExpiresAtMs)
    this.#known.set(transactionId, known)
    return known
  }

  #more(known: Known, { decision, message }: DecisionEntry, amount: number): void {
    const days = decision.meters
      .filter(([, zone]) => !isRollingZone(zone))
      .map((key) => this.#day(key))
    const first = known.portions[0]
    const follows = first !== undefined && (days.length === 0 || days.join() === first.days.join())
    const portion = follows ? first : { days, amount: 0, questions: 0 }
    if (!follows) known.portions.push(portion)
    const asked = message.kind === 'authorization' || message.kind === 'incremental'
    this.#move(portion, amount, asked ? amount : 0)
    if (asked) this.#checkLimits(message.id, portion)
  }

  #less(known: Known, amount: number): void {
    let left = amount
    for (let at = known.portions.length - 1; at >= 0 && left > 0; at--) {
      const portion = known.portions[at] as Portion
      const taken = Math.min(left, portion.amount)
      this.#move(portion, -taken, Math.min(0, portion.amount - taken - portion.questions))
      left -= taken
      if (at > 0 && portion.amount === 0) known.portions.pop()
    }
    if (left > 0) this.violations.push('more is given back than counts')
  }

  #once(known: Known, count: number): void {
    for (const day of known.portions[0]?.days ?? []) (this.#days.get(day) as Day).count += count
  }

  #move(portion: Portion, amount: number, questions: number): void {
    portion.amount += amount
    portion.questions += questions
    for (const name of portion.days) {
      const day = this.#days.get(name) as Day
      day.amount += amount
      day.questions += questions
    }
  }

  /** Approved requests must fit on the day, whatever the network's notifications added. */
  #checkLimits(messageId: string, portion: Portion): void {
    for (const name of portion.days) {
      const { key, questions } = this.#days.get(name) as Day
      if (questions > limitOf(key))
        this.violations.push(messageId + ': ' + key.join(' ') + ' spent ' + questions)
    }
  }

  #day(key: MeterKey): string {
    const name = key.join(' ')
    if (!this.#days.has(name)) this.#days.set(name, { key, amount: 0, count: 0, questions: 0 })
    return name
  }
}

function limitOf([subject, zone]: MeterKey): number {
  if (subject.startsWith('card_') && zone === 'UTC') return CARD_DAILY
  if (subject.startsWith('ch_') && zone === CARDHOLDER_ZONE) return CARDHOLDER_DAILY
  return Number.POSITIVE_INFINITY
}
