// The history of a card transaction after its first authorization, as compact lists: increments,
// captures, refunds and reversals. Authorization 8.

import { unixSeconds } from '../clock.ts'
import type { DeclineReason } from '../decline-reason.ts'
import { flagNames, type TransactionStatus } from '../transaction-sums.ts'
import type { MessageKind } from './network-message.ts'

/** Chosen: a transaction lists its latest hundred messages; `/messages` has all of them. */
export const MOMENTS_MAX = 100

/** Kinds that are shown as the transaction itself and stand in no list. */
export const UNLISTED_KINDS = [
  'authorization',
  'account_verification',
  'balance_inquiry',
] as const satisfies readonly MessageKind[]

/** One message about a transaction, or an expiry. */
export interface Moment {
  /** The number of the message in the transaction, from 1. */
  sequence: number
  kind: MessageKind | 'expiry'
  /** The network's id of the message; null for an expiry. */
  messageId: string | null
  /** The moved amount, in minor units of the card's currency. */
  amountCents: number
  declineReason: string | null
  /** Status and flags of the transaction after it. */
  status: TransactionStatus
  flags: number
  createdAtMs: number
}

/** The lists of the public shape; each is in the order of `sequence`. */
export function momentLists(transactionId: string, moments: readonly Moment[]) {
  const of = (...kinds: readonly Moment['kind'][]): readonly Moment[] =>
    moments.filter((moment) => kinds.includes(moment.kind))
  const reversals = of('reversal', 'capture_reversal', 'expiry').map((moment) => ({
    ...momentBody(transactionId, moment),
    ...reversalBody(moment),
  }))
  return {
    increments: of('incremental').map((moment) => ({
      ...momentBody(transactionId, moment),
      approved: moment.declineReason === null,
      decline_reason: moment.declineReason as DeclineReason | null,
    })),
    /**
     * Final amounts of an authorization that the network reported; below 0 if the hold became
     * smaller.
     */
    adjustments: of('advice')
      .filter((moment) => moment.sequence > 1)
      .map((moment) => momentBody(transactionId, moment)),
    captures: of('capture').map((moment) => momentBody(transactionId, moment)),
    /** Refunds, and with `reversed` those that were taken back. */
    refunds: of('refund', 'refund_reversal').map((moment) => ({
      ...momentBody(transactionId, moment),
      reversed: moment.kind === 'refund_reversal',
    })),
    reversals,
    /** The latest of `reversals`. */
    reversal: latestReversal(moments),
  }
}

/** Chosen: the id of a message in the history is its transaction's id with its place there. */
export function momentId(transactionId: string, sequence: number): string {
  return transactionId + '-' + sequence
}

function momentBody(transactionId: string, moment: Moment) {
  return {
    id: momentId(transactionId, moment.sequence),
    sequence: moment.sequence,
    message_id: moment.messageId,
    amount_cents: moment.amountCents,
    created: unixSeconds(moment.createdAtMs),
    flags: flagNames(moment.flags),
  }
}

function latestReversal(moments: readonly Moment[]): ReturnType<typeof reversalBody> | null {
  const latest = moments.findLast(
    ({ kind }) => kind === 'reversal' || kind === 'capture_reversal' || kind === 'expiry',
  )
  return latest === undefined ? null : reversalBody(latest)
}

/** `partial` is true if the transaction continues with the rest. */
function reversalBody({ kind, status }: Moment) {
  return {
    stage: kind === 'capture_reversal' ? ('post_capture' as const) : ('pre_capture' as const),
    cause: kind === 'expiry' ? ('expiry' as const) : ('merchant' as const),
    partial: status !== 'reversed' && status !== 'expired',
  }
}
