// Credits that authorizations of the present UTC day approved: by card for the part beyond
// captures, by the capture's transaction for the part within them. The program's credit limit
// counts these sums; only journal entries change them.
//
// Chosen: a credit counts on the day of its decision by our own clock, as the caps of stand-in do.
// The refund that follows it does not count again, and a reversed credit frees nothing.
import { RULE_CATALOG, TRACE_INPUTS_AT } from '../../shared/rule-catalog.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'

const DAY_MS = 24 * 3_600_000
const { number: RULE, inputs: INPUTS } = RULE_CATALOG.within_credit_limit
const REQUESTED_AT = TRACE_INPUTS_AT + INPUTS.indexOf('requested')
const FROM_ORIGINAL_AT = TRACE_INPUTS_AT + INPUTS.indexOf('from_original')

/**
 * A sum of the day, which is counted from 1970. The key is a card's windows id, or a transaction's
 * link as base64.
 */
export type CreditRow = readonly [of: 'card' | 'original', key: string, day: number, cents: number]

export class CreditUse {
  #day = 0
  readonly #cards = new Map<string, number>()
  readonly #originals = new Map<string, number>()

  /** Counts the entry where it approved a credit that a limit was asked about. */
  apply(entry: DecisionEntry): void {
    const { decision, card, effect } = entry
    if (!decision.approved || card === null || effect === null) return
    const row = entry.trace.find(([number]) => number === RULE)
    if (row === undefined) return
    const fromOriginal = Number(row[FROM_ORIGINAL_AT])
    const day = dayOf(decision.decidedAtMs - entry.clockOffsetMs)
    const beyond = Number(row[REQUESTED_AT]) - fromOriginal
    if (beyond > 0) this.restore(['card', card.windowsId, day, beyond])
    if (fromOriginal > 0) this.restore(['original', linkKey(effect.link), day, fromOriginal])
  }

  /**
   * Minor units credited beyond captures on the UTC day of `nowMs` to a card and those it replaced.
   */
  ofCard(windowsId: string, nowMs: number): number {
    return dayOf(nowMs) > this.#day ? 0 : (this.#cards.get(windowsId) ?? 0)
  }

  /**
   * Minor units credited on the UTC day of `nowMs` out of what the transaction with this link
   * captured.
   */
  ofOriginal(link: Buffer, nowMs: number): number {
    if (this.#originals.size === 0 || dayOf(nowMs) > this.#day) return 0
    return this.#originals.get(linkKey(link)) ?? 0
  }

  /** Everything that still counts, for a snapshot. */
  *rows(): Iterable<CreditRow> {
    for (const [card, cents] of this.#cards) yield ['card', card, this.#day, cents]
    for (const [link, cents] of this.#originals) yield ['original', link, this.#day, cents]
  }

  /** Adds a sum: of one entry, or one that was kept. */
  restore([of, key, day, cents]: CreditRow): void {
    // A clock that was set back while the engine was away: the known sums continue.
    if (day > this.#day) {
      this.#cards.clear()
      this.#originals.clear()
      this.#day = day
    }
    const sums = of === 'card' ? this.#cards : this.#originals
    sums.set(key, (sums.get(key) ?? 0) + cents)
  }
}

function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS)
}

function linkKey(link: Buffer): string {
  return link.toString('base64')
}
