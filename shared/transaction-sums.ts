// The sums of a card transaction. Every message moves one of them; the status, the open hold and
// the amount in the spend windows follow from them. Engine, drain and public view derive these
// values here, and none stores a status. Authorization 8. All sums are minor units of the card's
// currency and never negative, except `adjusted`.

export interface Sums {
  /** Approved by the first authorization (or by the network in our place). */
  authorized: number
  /** Approved increments. */
  incremented: number
  /**
   * The amount by which a hold was raised (or, negative, lowered) beyond the approved amount: by
   * presets, and by advices with final amounts.
   */
  adjusted: number
  /** Reversed before capture, by the merchant or the network. */
  reversed: number
  /** Released because the hold expired. */
  expired: number
  /** The rest of the hold that a final capture released. */
  released: number
  captured: number
  captureReversed: number
  refunded: number
  refundReversed: number
}

/**
 * Reversals whose capture or refund has not come, in minor units of the card's currency. They enter
 * the sums once a capture or refund covers them.
 */
export interface EarlyReversals {
  readonly capture: number
  readonly refund: number
}

export const SUM_NAMES = [
  'authorized',
  'incremented',
  'adjusted',
  'reversed',
  'expired',
  'released',
  'captured',
  'captureReversed',
  'refunded',
  'refundReversed',
] as const satisfies readonly (keyof Sums)[]

/** The sums of a transaction nothing has happened to. */
export function noSums(): Sums {
  return {
    authorized: 0,
    incremented: 0,
    adjusted: 0,
    reversed: 0,
    expired: 0,
    released: 0,
    captured: 0,
    captureReversed: 0,
    refunded: 0,
    refundReversed: 0,
  }
}

/** Circumstances of a transaction beside its sums, as bits. A bit is never reused. */
export const TRANSACTION_FLAGS = {
  /** The first authorization was declined and nothing was posted since. */
  declined: 1,
  /** A capture came without any authorization. */
  force_post: 2,
  captured_after_expiry: 4,
  captured_after_reversal: 8,
  captured_after_decline: 16,
  /** More was captured than was authorized. */
  over_captured: 32,
  /** More was refunded than was captured. */
  over_refunded: 64,
  /** A notification of the network exceeded a limit. */
  limit_overrun: 128,
  /**
   * The reversal came before the authorization it takes back: that one is declined when it comes.
   */
  reversed_before_authorization: 256,
  captured_before_authorization: 512,
  /** The merchant's last capture has come. */
  final: 1024,
  /** A refund that belongs to no transaction we know. */
  unlinked: 2048,
  /** More was reversed before capture than was held. */
  over_reversed: 4096,
  /**
   * The network reported the final amount, and the hold has that amount instead of the preset's.
   */
  amount_advised: 8192,
  /** A notification came in a currency without a rate: it is in none of the sums. */
  unconverted: 16_384,
  /** The unlinked refund names its transaction, whose messages will join it here. */
  awaits_original: 32_768,
  /** A capture reversal or refund reversal came before its capture or refund, and waits for it. */
  reversal_before_original: 65_536,
  /**
   * The network's billing amount differs from the amount by our own rate by more than the program
   * tolerates.
   */
  billing_mismatch: 131_072,
  /** Cash and fee of a message are more than the amount they are part of. */
  components_exceed_amount: 262_144,
} as const

/**
 * The bit beside TRANSACTION_FLAGS of a transaction of a payment account: by it the drain knows an
 * expired hold, whose entry names no card. Never shown.
 */
export const OF_PAYMENT_ACCOUNT = 524_288

export type TransactionFlag = keyof typeof TRANSACTION_FLAGS

/** Names of the bits that are set. */
export function flagNames(flags: number): TransactionFlag[] {
  return (Object.keys(TRANSACTION_FLAGS) as TransactionFlag[]).filter(
    (name) => (flags & TRANSACTION_FLAGS[name]) !== 0,
  )
}

/** The amount that is still held back; 0 or more. */
export function openHold(sums: Sums): number {
  const held =
    sums.authorized +
    sums.incremented +
    sums.adjusted -
    sums.reversed -
    sums.expired -
    sums.released -
    sums.captured
  return Math.max(0, held)
}

/**
 * The amount that the transaction counts in each of its spend windows. Chosen: a refund does not
 * restore a window, and an over-captured amount counts.
 */
export function countedAmount(sums: Sums): number {
  return openHold(sums) + Math.max(0, sums.captured - sums.captureReversed)
}

/** True once any amount was approved, captured or refunded. */
export function hasMoved(sums: Sums): boolean {
  const { authorized, captured, captureReversed, refunded, refundReversed } = sums
  return authorized + captured + captureReversed + refunded + refundReversed > 0
}

export const TRANSACTION_STATUSES = [
  'authorized',
  'declined',
  'reversed',
  'expired',
  'partially_captured',
  'captured',
  'partially_refunded',
  'refunded',
] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/** Flags that only a capture sets. */
const CAPTURED_WITHOUT_HOLD =
  TRANSACTION_FLAGS.force_post |
  TRANSACTION_FLAGS.captured_after_expiry |
  TRANSACTION_FLAGS.captured_after_reversal |
  TRANSACTION_FLAGS.captured_after_decline

const REVERSED_EARLY =
  TRANSACTION_FLAGS.reversed_before_authorization | TRANSACTION_FLAGS.reversal_before_original

/**
 * The status of a decided transaction. Chosen: a verification and a balance inquiry that were
 * approved are `authorized`, of 0.
 */
export function transactionStatus(sums: Sums, flags: number): TransactionStatus {
  const refunded = sums.refunded - sums.refundReversed
  const captured = sums.captured - sums.captureReversed
  if (refunded > 0) return refunded >= captured ? 'refunded' : 'partially_refunded'
  if (sums.captured > 0 || sums.captureReversed > 0) {
    if (captured <= 0) return 'reversed'
    return openHold(sums) > 0 ? 'partially_captured' : 'captured'
  }
  if (openHold(sums) > 0) return 'authorized'
  if ((flags & TRANSACTION_FLAGS.unconverted) !== 0) {
    if ((flags & CAPTURED_WITHOUT_HOLD) !== 0) return 'captured'
    if ((flags & TRANSACTION_FLAGS.unlinked) !== 0) return 'refunded'
  }
  if (sums.expired > 0) return 'expired'
  if (sums.reversed > 0 || (flags & REVERSED_EARLY) !== 0) return 'reversed'
  if (sums.refundReversed > 0) return 'reversed'
  return (flags & TRANSACTION_FLAGS.declined) !== 0 ? 'declined' : 'authorized'
}
