// What a message makes of a transaction, as a value: the sums after it, what they say of its flags, and when its hold ends.
// Everything in this folder is pure: (transaction or null, message) → change.
import {
  type EarlyReversals,
  noSums,
  openHold,
  type Sums,
  TRANSACTION_FLAGS,
} from '../../shared/transaction-sums.ts'
import type { Effect } from '../../shared/wire/journal-entry.ts'

/** A transaction as a message finds it. */
export interface Standing {
  sums: Sums
  flags: number
  /** Effects so far. */
  sequence: number
  /** 0 where no hold is open. */
  holdExpiresAtMs: number
  /** Reversals that wait for their capture or refund; null where none waits. */
  early: EarlyReversals | null
}

/** An effect, but for whose it is. */
export type Change = Omit<Effect, 'link' | 'sequence'>

export interface Move {
  event: Effect['event']
  /** What the message moved. */
  amountCents: number
  /** The sums after it, where it moves any. */
  sums?: Sums
  /** TRANSACTION_FLAGS to set and to clear. */
  set?: number
  clear?: number
  /** Where the message says so, when the hold ends. */
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

/** Flags of a transaction of which only refunds have come: they go with what was refunded, when it comes. */
export const ONLY_REFUNDS = unlinked | awaits_original

/**
 * Applies a move. A hold that is no longer open ends; whether too much was taken or given back follows from the sums, and whether
 * a reversal came early from those that wait.
 */
export function changed(standing: Standing | null, move: Move): Change {
  const sums = move.sums ?? { ...sumsOf(standing) }
  const kept = (standing?.flags ?? 0) & ~((move.clear ?? 0) | DERIVED)
  const early = move.early === undefined ? (standing?.early ?? null) : move.early
  const open = openHold(sums) > 0
  return {
    event: move.event,
    amountCents: move.amountCents,
    sums,
    flags:
      kept | (move.set ?? 0) | excesses(sums) | (early === null ? 0 : reversal_before_original),
    holdExpiresAtMs: open ? (move.holdExpiresAtMs ?? standing?.holdExpiresAtMs ?? 0) : 0,
    early,
  }
}

/** The sums that a move begins with. */
export function sumsOf(standing: Standing | null): Readonly<Sums> {
  return standing === null ? NO_SUMS : standing.sums
}

/** The change as the next effect on the transaction that its messages know by `link`. */
export function effectOf(link: Buffer, standing: Standing | null, change: Change): Effect {
  return {
    link,
    sequence: (standing?.sequence ?? 0) + 1,
    event: change.event,
    amountCents: change.amountCents,
    sums: change.sums,
    flags: change.flags,
    holdExpiresAtMs: change.holdExpiresAtMs,
    early: change.early,
  }
}

/** Approved in all, with what presets and final amounts made of it; not less for what was given back. */
export function promised(sums: Sums): number {
  return sums.authorized + sums.incremented + sums.adjusted
}

/** What the network knows to be approved: without what a preset holds beyond it. */
export function approvedOf({ sums, flags }: Pick<Standing, 'sums' | 'flags'>): number {
  return (flags & amount_advised) === 0 ? sums.authorized + sums.incremented : promised(sums)
}

/** True once a fact came that nobody could convert: a capture or refund may have been it. */
export function hasUnconverted(standing: Standing | null): boolean {
  return standing !== null && (standing.flags & unconverted) !== 0
}

/**
 * What a refund, or one that is taken back, says of a transaction of which nothing else has come, as flags. Chosen: what `named`
 * nothing is a credit of its own for good, whatever comes under its link: it may be a payment that the merchant began later.
 */
export function unlinkedBy(standing: Standing | null, named: boolean): number {
  if (standing !== null && !hasOnlyRefunds(standing)) return 0
  return named ? ONLY_REFUNDS : unlinked
}

/** True where nothing but refunds has come, and been taken back. Earlier releases left `unlinked` set when more came. */
export function hasOnlyRefunds({ sums, flags, early }: Standing): boolean {
  if ((flags & unlinked) === 0 || (early !== null && early.capture > 0)) return false
  return sums.authorized + sums.captured + sums.captureReversed === 0
}

/** True where what a refund named may still come. */
export function awaitsOriginal({ flags }: Pick<Standing, 'flags'>): boolean {
  return (flags & awaits_original) !== 0
}

function excesses(sums: Sums): number {
  const captured = Math.max(0, sums.captured - sums.captureReversed)
  const refunded = sums.refunded - sums.refundReversed
  const tooMuchTaken = sums.authorized > 0 && captured > promised(sums)
  const tooMuchBack = sums.captured > 0 && refunded > captured
  return (tooMuchTaken ? over_captured : 0) | (tooMuchBack ? over_refunded : 0)
}
