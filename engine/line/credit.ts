// Sums the credits that count against the program's credit limit: the present one, those of today
// and those that still wait for their tenant. Part of judge; the limit itself is a rule.
import { isCredit } from '../../shared/authorization-kind.ts'
import type { CreditView, Judged } from '../rules/rule.ts'
import type { DecisionState } from '../state/decision-state.ts'
import type { Pending } from './line.ts'

/**
 * Returns the gathered data with the sums of a credit; unchanged for any other message. `link` is
 * the link of the transaction that the credit names, or null if the network sent none. Chosen: a
 * credit is covered by the captured amount of that transaction, whichever merchant asks, and each
 * captured cent covers once.
 */
export function withCredit(
  { state, nowMs }: { state: DecisionState; nowMs: number },
  judged: Judged,
  link: Buffer | null,
  waiting: CreditsWaiting,
): Judged {
  if (!isCredit(judged.message)) return judged
  const { cardAmountCents: cents, card } = judged
  const reserved = waiting.before(card.windows_id, link)
  const left = link === null ? 0 : capturedLeft(state, link, nowMs) - reserved.fromOriginalCents
  const credit: CreditView = {
    cents,
    fromOriginalCents: Math.min(cents, Math.max(0, left)),
    usedCents: state.credits.ofCard(card.windows_id, nowMs),
    reservedCents: reserved.beyondCents,
  }
  return Object.assign({}, judged, { credit })
}

/** The captured amount of a transaction, less its refunds and less the credits out of it today. */
function capturedLeft(
  { transactions, credits }: DecisionState,
  link: Buffer,
  nowMs: number,
): number {
  const row = transactions.find(link)
  return row === -1 ? 0 : keptCents(transactions.read(row)) - credits.ofOriginal(link, nowMs)
}

/**
 * Minor units of the card's currency that the merchant captured and has not refunded; 0 or more.
 */
export function keptCents({
  sums,
}: Pick<ReturnType<DecisionState['transactions']['read']>, 'sums'>): number {
  const captured = Math.max(0, sums.captured - sums.captureReversed)
  return Math.max(0, captured - Math.max(0, sums.refunded - sums.refundReversed))
}

/** Credits that wait for their tenant, by card: in memory only, as every reservation is. */
export class CreditsWaiting {
  readonly #waiting = new Map<string, Set<Pending>>()

  /**
   * Sums the other waiting credits of the card: the part beyond captures, and the part out of the
   * captured amount of this link's transaction.
   */
  before(
    windowsId: string,
    link: Buffer | null,
  ): { beyondCents: number; fromOriginalCents: number } {
    const sums = { beyondCents: 0, fromOriginalCents: 0 }
    for (const { gathered, link: other } of this.#waiting.get(windowsId) ?? NONE) {
      const credit = gathered?.judged.credit ?? null
      if (credit === null) continue
      sums.beyondCents += credit.cents - credit.fromOriginalCents
      if (link !== null && other?.equals(link) === true)
        sums.fromOriginalCents += credit.fromOriginalCents
    }
    return sums
  }

  /** From here on the credit waits; anything else does not. */
  begin(pending: Pending): void {
    const judged = pending.gathered?.judged
    if (judged === undefined || judged.credit === null) return
    const others = this.#waiting.get(judged.card.windows_id)
    if (others === undefined) this.#waiting.set(judged.card.windows_id, new Set([pending]))
    else others.add(pending)
  }

  /** The credit is decided now; for a message that never waited nothing happens. */
  end(pending: Pending): void {
    const windowsId = pending.gathered?.judged.card.windows_id ?? ''
    const others = this.#waiting.get(windowsId)
    if (others === undefined) return
    others.delete(pending)
    if (others.size === 0) this.#waiting.delete(windowsId)
  }
}

const NONE: ReadonlySet<Pending> = new Set()
