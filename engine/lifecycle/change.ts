// The effect of a message on a transaction as a value: the sums after it, the flags, and the end of
// the hold. Everything in this folder is pure: (transaction or null, message) → change.
import {
  type EarlyReversals,
  noSums,
  openHold,
  type Sums,
  TRANSACTION_FLAGS,
} from '../../shared/transaction-sums.ts'
import type { Effect } from '../../shared/wire/journal-entry.ts'

/** The state of a transaction when a message arrives. */
export interface TransactionState {
  sums: Sums
  flags: number
  /** Number of effects so far. */
  sequence: number
  /** End of the hold; 0 if no hold is open. */
  holdExpiresAtMs: number
  /** Reversals that wait for their capture or refund; null where none waits. */
  early: EarlyReversals | null
}

/** An effect without its transaction's key and sequence. */
export type Change = Omit<Effect, 'link' | 'sequence'>

export interface Move {
  event: Effect['event']
  /** Amount that the message moved. */
  amountCents: number
  /** Sums after the message, if it changes any. */
  sums?: Sums
  /** TRANSACTION_FLAGS to set and to clear. */
  set?: number
  clear?: number
  /** End of the hold, if the message sets it. */
  holdExpiresAtMs?: number
  /** Reversals that wait afterwards, where the message changes them. */
  early?: EarlyReversals | null
}

const NO_SUMS: Readonly<Sums> = noSums()
const { over_captured, over_refunded, amount_advised, unconverted, unlinked, awaits_original } =
  TRANSACTION_FLAGS
const { reversal_before_original } = TRANSACTION_FLAGS
/** Flags that follow from everything that has come, and so are worked out anew. */
const DERIVED = over_captured | over_refunded | reversal_before_original

/**
 * Flags of a transaction with refunds only; they are cleared when the refunded transaction arrives.
 */
export const ONLY_REFUNDS = unlinked | awaits_original

/**
 * Applies a move. A hold that is no longer open ends. Flags of excess follow from the sums, flags
 * of an early reversal from the waiting reversals.
 */
export function changed(transaction: TransactionState | null, move: Move): Change {
  const sums = move.sums ?? { ...sumsOf(transaction) }
  const kept = (transaction?.flags ?? 0) & ~((move.clear ?? 0) | DERIVED)
  const early = move.early === undefined ? (transaction?.early ?? null) : move.early
  const open = openHold(sums) > 0
  return {
    event: move.event,
    amountCents: move.amountCents,
    sums,
    flags:
      kept | (move.set ?? 0) | excesses(sums) | (early === null ? 0 : reversal_before_original),
    holdExpiresAtMs: open ? (move.holdExpiresAtMs ?? transaction?.holdExpiresAtMs ?? 0) : 0,
    early,
  }
}

/** Returns the sums before a move. */
export function sumsOf(transaction: TransactionState | null): Readonly<Sums> {
  return transaction === null ? NO_SUMS : transaction.sums
}

/** Returns the change as the next effect on the transaction with this `link`. */
export function effectOf(
  link: Buffer,
  transaction: TransactionState | null,
  change: Change,
): Effect {
  return {
    link,
    sequence: (transaction?.sequence ?? 0) + 1,
    event: change.event,
    amountCents: change.amountCents,
    sums: change.sums,
    flags: change.flags,
    holdExpiresAtMs: change.holdExpiresAtMs,
    early: change.early,
  }
}

/** Total approved amount, with presets and final amounts; returned amounts do not reduce it. */
export function promised(sums: Sums): number {
  return sums.authorized + sums.incremented + sums.adjusted
}

/** The approved amount known to the network: without the preset's addition to the hold. */
export function approvedOf({ sums, flags }: Pick<TransactionState, 'sums' | 'flags'>): number {
  return (flags & amount_advised) === 0 ? sums.authorized + sums.incremented : promised(sums)
}

/**
 * True once a notification without a known conversion came: it may have been a capture or refund.
 */
export function hasUnconverted(transaction: TransactionState | null): boolean {
  return transaction !== null && (transaction.flags & unconverted) !== 0
}

/**
 * Returns the flags that a refund, or its reversal, sets on a transaction with no other message.
 * Chosen: a refund that `named` no transaction stays a credit of its own, whatever arrives under
 * its link: that may be a later payment of the merchant.
 */
export function unlinkedBy(transaction: TransactionState | null, named: boolean): number {
  if (transaction !== null && !hasOnlyRefunds(transaction)) return 0
  return named ? ONLY_REFUNDS : unlinked
}

/** True if only refunds and their reversals came. */
export function hasOnlyRefunds({
  flags,
  early,
}: Pick<TransactionState, 'flags' | 'early'>): boolean {
  return (flags & unlinked) !== 0 && (early === null || early.capture === 0)
}

/** True if the transaction that a refund named may still come. */
export function awaitsOriginal({ flags }: Pick<TransactionState, 'flags'>): boolean {
  return (flags & awaits_original) !== 0
}

function excesses(sums: Sums): number {
  const captured = Math.max(0, sums.captured - sums.captureReversed)
  const refunded = sums.refunded - sums.refundReversed
  const tooMuchTaken = sums.authorized > 0 && captured > promised(sums)
  const tooMuchBack = sums.captured > 0 && refunded > captured
  return (tooMuchTaken ? over_captured : 0) | (tooMuchBack ? over_refunded : 0)
}
