// Adds verdicts up to the result of a backtest.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import {
  BACKTEST_EXAMPLES_MAX,
  type BacktestChange,
  type BacktestDay,
  type BacktestExample,
  type BacktestOrder,
  type BacktestResult,
  type BacktestSum,
} from '../../shared/wire/backtest.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { ControlReplay } from './control-replay.ts'
import type { Verdict } from './verdict.ts'

const DAY_MS = 86_400_000

interface Sums {
  count: number
  amounts: Map<string, number>
  reasons: Map<DeclineReason, number>
}

export class Backtest {
  readonly #fromMs: number
  readonly #replay: ControlReplay
  readonly #sums: { readonly [change in BacktestChange]: Sums } = {
    declines: { count: 0, amounts: new Map(), reasons: new Map() },
    approves: { count: 0, amounts: new Map(), reasons: new Map() },
  }
  readonly #days = new Map<number, BacktestDay>()
  readonly #examples: BacktestExample[] = []
  #entries = 0
  #judged = 0
  #approved = 0

  constructor(order: BacktestOrder) {
    this.#fromMs = order.fromMs
    this.#replay = new ControlReplay(order, (verdict) => this.#add(verdict))
  }

  /** Takes the next entry, in the order of the journal. Throws UnknownFormat of a newer version. */
  take(seq: number, bytes: Uint8Array): void {
    this.#entries += 1
    this.#replay.take(seq, decodeEntry(bytes))
  }

  /** Returns the result of every entry so far; call it once, after the last. */
  result(): BacktestResult {
    this.#replay.end()
    return {
      judged: this.#judged,
      approved: this.#approved,
      declined: this.#judged - this.#approved,
      declines: sumOf(this.#sums.declines),
      approves: sumOf(this.#sums.approves),
      days: [...this.#days.values()].toSorted((one, two) => one.atMs - two.atMs),
      examples: this.#examples,
      entries: this.#entries,
      skipped: this.#replay.skipped,
    }
  }

  #add(verdict: Verdict): void {
    const { entry, change } = verdict
    if (entry.receivedAtMs < this.#fromMs) return
    const atMs = Math.floor(entry.receivedAtMs / DAY_MS) * DAY_MS
    const day = this.#days.get(atMs) ?? { atMs, judged: 0, declines: 0, approves: 0 }
    this.#days.set(atMs, day)
    day.judged += 1
    this.#judged += 1
    if (entry.decision.approved) this.#approved += 1
    if (change === null) return
    day[change] += 1
    this.#addChange(verdict, change)
  }

  #addChange(verdict: Verdict, change: BacktestChange): void {
    const { entry } = verdict
    const { decision, message, card, transactionId } = entry
    const reason = change === 'declines' ? verdict.reason : decision.declineReason
    if (reason === null || card === null || transactionId === null) return
    const sums = this.#sums[change]
    sums.count += 1
    raise(sums.amounts, card.currency, entry.cardAmountCents)
    raise(sums.reasons, reason, 1)
    if (this.#examples.length - this.#otherExamples(change) >= BACKTEST_EXAMPLES_MAX / 2) return
    this.#examples.push({
      change,
      transactionId,
      receivedAtMs: entry.receivedAtMs,
      cardId: card.cardId,
      amountCents: entry.cardAmountCents,
      currency: card.currency,
      merchantName: message.merchantName,
      mcc: message.mcc,
      reason,
      detail: change === 'declines' ? verdict.detail : decision.declineDetail,
    })
  }

  #otherExamples(change: BacktestChange): number {
    return this.#examples.filter((example) => example.change !== change).length
  }
}

/** Sums end at 2^53 - 1, the largest whole number that JSON carries safely. */
function raise<Key>(sums: Map<Key, number>, key: Key, by: number): void {
  sums.set(key, Math.min((sums.get(key) ?? 0) + by, Number.MAX_SAFE_INTEGER))
}

function sumOf({ count, amounts, reasons }: Sums): BacktestSum {
  return {
    count,
    amounts: [...amounts]
      .map(([currency, amountCents]) => ({ currency, amountCents }))
      .toSorted((one, two) => (one.currency < two.currency ? -1 : 1)),
    reasons: [...reasons]
      .map(([reason, number]) => ({ reason, count: number }))
      .toSorted((one, two) => two.count - one.count || (one.reason < two.reason ? -1 : 1)),
  }
}
