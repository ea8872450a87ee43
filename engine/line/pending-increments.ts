// Increments that wait for their tenant, by the transaction they raise: the next increment is
// judged with them, or together they would raise it beyond the limit of a single authorization. In
// memory only, as every reservation is. Part of reserve.
import type { Pending } from './line.ts'

export class PendingIncrements {
  readonly #waiting = new Map<string, Set<Pending>>()

  /**
   * Returns the minor units of the card's currency in waiting increments of this message's
   * transaction.
   */
  centsBefore({ transactionId }: Pending): number {
    let cents = 0
    for (const { gathered } of this.#waiting.get(transactionId?.text ?? '') ?? NONE)
      cents += gathered?.judged.cardAmountCents ?? 0
    return cents
  }

  /** The increment waits from here on. */
  begin(pending: Pending): void {
    const id = pending.transactionId?.text ?? ''
    const others = this.#waiting.get(id)
    if (others === undefined) this.#waiting.set(id, new Set([pending]))
    else others.add(pending)
  }

  /** The increment is decided; for an increment that never waited this does nothing. */
  end(pending: Pending): void {
    const id = pending.transactionId?.text ?? ''
    const others = this.#waiting.get(id)
    if (others === undefined) return
    others.delete(pending)
    if (others.size === 0) this.#waiting.delete(id)
  }
}

const NONE: ReadonlySet<Pending> = new Set()
