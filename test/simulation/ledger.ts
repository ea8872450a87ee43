// A small independent ledger beside the engine's state: from the journal alone it knows every
// transaction and the sums of every local day, and reports an entry that cannot be right.

import type { DecisionState } from '../../engine/state/decision-state.ts'
import { isRollingZone } from '../../engine/state/rolling.ts'
import { isCredit } from '../../shared/authorization-kind.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import { countedAmount, openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
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
/** Kinds that a refund may name as its original; one that names another message is none. */
const ORIGINALS: ReadonlySet<string> = new Set(['authorization', 'advice', 'capture'])
/** A reversal may name the parts of its original and take back less than that. */
const REVERSALS: ReadonlySet<string> = new Set(['reversal', 'capture_reversal', 'refund_reversal'])
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
  /** Cents credited beyond captures, by card and day. */
  readonly #credited = new Map<string, number>()
  /** Cents ever captured, by link, and cents credited out of them, by link and day. */
  readonly #capturedOf = new Map<string, number>()
  readonly #creditedOut = new Map<string, number>()
  /** By transaction. */
  readonly #captures = new Map<string, Reversible>()
  readonly #refunds = new Map<string, Reversible>()

  apply(entry: JournalEntry): void {
    if (entry.kind === 'expiry')
      return this.#expire(entry.transactionId, entry.effect, entry.expiredAtMs)
    if (entry.kind !== 'decision' || entry.effect === null) return
    const { effect, transactionId } = entry
    const link = effect.link.toString('hex')
    if (entry.message.kind === 'reversal' && (effect.sequence === 1 || this.#awaiting.has(link)))
      this.#tombstones.add(link)
    this.#await(entry, link, effect)
    this.#checkAmounts(entry, link)
    this.#checkParts(entry, effect)
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

  /** An approval counts the worth of its amount, and credits keep to their limits. */
  #checkAmounts(entry: DecisionEntry, link: string): void {
    const { message, decision, cardAmountCents } = entry
    if (isNotification(message.kind) || !decision.approved) return
    const worth = message.amountCents * (message.currency === 'EUR' ? EUR_RATE : 1)
    if (cardAmountCents < worth * LEAST_OF_WORTH - 2)
      this.violations.push(message.id + ' is worth ' + worth + ' and counts ' + cardAmountCents)
    if (isCredit(message)) this.#checkCredit(entry, link)
  }

  /** Each captured cent covers a credit of its transaction once a day; the rest is limited. */
  #checkCredit(entry: DecisionEntry, link: string): void {
    const { message, decision, cardAmountCents, card, clockOffsetMs } = entry
    const day = ' ' + Math.floor((decision.decidedAtMs - clockOffsetMs) / 86_400_000)
    const out = this.#creditedOut.get(link + day) ?? 0
    const left = (this.#capturedOf.get(link) ?? 0) - out
    const covered = Math.min(cardAmountCents, Math.max(0, left))
    this.#creditedOut.set(link + day, out + covered)
    const beyond = cardAmountCents - covered
    if (beyond === 0) return
    const name = card?.windowsId + day
    const credited = (this.#credited.get(name) ?? 0) + beyond
    this.#credited.set(name, credited)
    const { per_authorization_cents: once, per_card_per_day_cents: daily } = CREDIT_LIMIT
    // Credits that are judged side by side are not always concluded in the order of their captures.
    const least = cardAmountCents - (this.#capturedOf.get(link) ?? 0)
    if (least > once || credited > daily)
      this.violations.push(message.id + ' credits ' + beyond + ' more, that day ' + credited)
  }

  /** Cash and fee are parts of the amount. More is refused, or flagged where it was reported. */
  #checkParts({ message }: DecisionEntry, effect: Effect): void {
    const { id, kind, cashbackCents, feeCents, amountCents } = message
    const isFlagged = (effect.flags & TRANSACTION_FLAGS.components_exceed_amount) !== 0
    if (cashbackCents + feeCents <= amountCents || isFlagged) return
    if (!REVERSALS.has(kind)) this.violations.push(id + ' has parts that are more than the whole')
  }

  /**
   * A reversal of captures or refunds returns what has come; a larger one waits, flagged, until its
   * original has come.
   */
  #checkReversals({ message, transactionId }: DecisionEntry, effect: Effect): void {
    const { kind } = message
    const capture = reversibleOf(this.#captures, transactionId)
    const refund = reversibleOf(this.#refunds, transactionId)
    if (kind === 'capture') come(capture, effect.amountCents)
    if (kind === 'refund') come(refund, effect.amountCents)
    if (kind === 'capture_reversal') takeBack(capture, effect.amountCents)
    if (kind === 'refund_reversal') takeBack(refund, effect.amountCents)
    const link = effect.link.toString('hex')
    if (kind === 'capture')
      this.#capturedOf.set(link, (this.#capturedOf.get(link) ?? 0) + effect.amountCents)
    const { captureReversed, refundReversed } = effect.sums
    for (const [reversed, known] of [
      [captureReversed, capture],
      [refundReversed, refund],
    ] as const)
      if (reversed !== known.back)
        this.violations.push(message.id + ' leaves ' + reversed + ' returned, not ' + known.back)
    const isFlagged = (effect.flags & TRANSACTION_FLAGS.reversal_before_original) !== 0
    if (isFlagged !== capture.waiting + refund.waiting > 0)
      this.violations.push(message.id + (isFlagged ? ' has' : ' lacks') + ' the flag of a reversal')
  }

  /** A refund and the original it named form one transaction, whatever became of it. */
  #await({ message, transactionId }: DecisionEntry, link: string, { sequence }: Effect): void {
    const { kind } = message
    if (kind === 'refund' || kind === 'refund_reversal') {
      if (sequence === 1 && namesOriginal(message)) this.#awaiting.set(link, transactionId ?? '')
    } else if (ORIGINALS.has(kind) && !namesOriginal(message)) {
      const awaiting = this.#awaiting.get(link)
      if (awaiting !== undefined && awaiting !== transactionId)
        this.violations.push(message.id + ' is not in the transaction of the refund that named it')
      this.#awaiting.delete(link)
      // A refund's reversal that came while the tenant was asked joined the credit.
    } else if (isCredit(message) && this.#awaiting.get(link) === transactionId)
      this.#awaiting.delete(link)
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

/** Cents that came, cents that were returned, and cents to return once their original comes. */
interface Reversible {
  came: number
  back: number
  waiting: number
}

function reversibleOf(known: Map<string, Reversible>, transactionId: string | null): Reversible {
  const found = known.get(transactionId ?? '') ?? { came: 0, back: 0, waiting: 0 }
  known.set(transactionId ?? '', found)
  return found
}

function come(known: Reversible, cents: number): void {
  known.came += cents
  if (known.waiting > known.came - known.back) return
  known.back += known.waiting
  known.waiting = 0
}

function takeBack(known: Reversible, cents: number): void {
  if (cents <= known.came - known.back) known.back += cents
  else known.waiting += cents
}

function limitOf([subject, zone]: MeterKey): number {
  if (subject.startsWith('card_') && zone === 'UTC') return CARD_DAILY
  if (subject.startsWith('ch_') && zone === CARDHOLDER_ZONE) return CARDHOLDER_DAILY
  return Number.POSITIVE_INFINITY
}
