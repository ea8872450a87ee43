// All decision state of one engine, and its change by a journal entry. The same code runs live,
// replays the journal after a restart and runs in the simulator; it reads no clock, no disk and no
// random number.

import { assert } from '../../shared/assert.ts'
import { isCredit } from '../../shared/authorization-kind.ts'
import { decodeIdInto } from '../../shared/id.ts'
import { RECALL_MS } from '../../shared/limits.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type {
  DecisionEntry,
  Effect,
  ExpiryEntry,
  JournalEntry,
  MeterKey,
} from '../../shared/wire/journal-entry.ts'
import { applyEffect, countedDifferently, reserveIn, unreserveIn } from './counting.ts'
import { CreditUse } from './credit-use.ts'
import { FraudCounters } from './fraud-counters.ts'
import { MerchantLocks } from './merchant-locks.ts'
import { Meters } from './meters.ts'
import { RecallTable } from './recall-table.ts'
import { StandInUse } from './stand-in-use.ts'
import { Transactions } from './transactions.ts'
import type { Money } from './window-ref.ts'

/** Limit of the cleanup by one entry, so no answer waits for housekeeping. */
const EXPIRED_PER_ENTRY_MAX = 4

export interface DecisionState {
  readonly meters: Meters
  readonly transactions: Transactions
  readonly recall: RecallTable
  readonly tries: FraudCounters
  readonly usage: MerchantLocks
  readonly standIn: StandInUse
  readonly credits: CreditUse
  /** Sequence of the last entry applied. */
  seq: number
  /** Forgotten transactions that still counted: their amounts stay counted without them. */
  forgotten: number
  /** Receipt of the latest decision: time on the authorization line never goes back behind it. */
  latestMs: number
}

/** The state before the first entry. */
export function emptyState(): DecisionState {
  return {
    meters: new Meters(),
    transactions: new Transactions(),
    recall: new RecallTable(),
    tries: new FraudCounters(),
    usage: new MerchantLocks(),
    standIn: new StandInUse(),
    credits: new CreditUse(),
    seq: 0,
    forgotten: 0,
    latestMs: 0,
  }
}

export type StateEvent =
  /** An approval by the controls: amount and count wait in every window until the decision. */
  | { type: 'reserve'; keys: readonly MeterKey[]; amount: number; count: number }
  /** The decision is made: the reservation ends, whatever the result. */
  | { type: 'unreserve'; keys: readonly MeterKey[]; amount: number; count: number }
  /**
   * A journal entry, live or replayed. `meters` are those of a decision's windows, -1 if its maker
   * does not know one.
   */
  | { type: 'entry'; seq: number; entry: JournalEntry; meters?: readonly number[] }

/** One change of state. */
export function step(state: DecisionState, event: StateEvent): void {
  switch (event.type) {
    case 'reserve':
      return reserveIn(state.meters, event.keys, event.amount, event.count)
    case 'unreserve':
      return unreserveIn(state.meters, event.keys, event.amount, event.count)
    case 'entry':
      assert(event.seq === state.seq + 1, 'journal entries out of order')
      state.seq = event.seq
      if (event.entry.kind === 'decision') applyDecision(state, event.entry, event.meters)
      else if (event.entry.kind === 'expiry') applyExpiry(state, event.entry)
      else if (event.entry.kind === 'card_suspension') state.tries.applySuspension(event.entry)
      return
  }
}

function applyDecision(
  state: DecisionState,
  entry: DecisionEntry,
  meters: readonly number[] = [],
): void {
  const { decision } = entry
  // Recall and expiry of answers follow our own clock, whatever the tenants' clocks show.
  const receivedAtMs = entry.receivedAtMs - entry.clockOffsetMs
  const transaction = entry.transactionId === null ? null : idBytes(entry.transactionId)
  if (entry.effect !== null) {
    assert(transaction !== null, 'an effect without a transaction')
    const { effect } = entry
    const messageKey = isNotification(entry.message.kind) ? entry.messageKey : null
    const keys = decision.meters
    applyEffect(state, {
      effect,
      transaction,
      keys,
      meters,
      receivedAtMs: entry.receivedAtMs,
      messageKey,
      asked: askedIn(entry),
      askedAnew: isFinalAmount(entry),
    })
  }
  state.tries.apply(entry)
  state.usage.apply(entry)
  state.standIn.apply(entry)
  if (isCredit(entry.message)) state.credits.apply(entry)
  state.recall.put({
    key: entry.messageKey,
    contentHash: entry.contentHash,
    transaction,
    approved: decision.approved,
    approvedAmountCents: decision.approvedAmountCents,
    authorizationCode: decision.authorizationCode,
    declineReason: decision.declineReason,
    decidedBy: decision.decidedBy,
    standIn: decision.standIn,
    availableCents: decision.availableCents,
    advisedCode:
      decision.declineReason === 'network_stand_in_declined' ? decision.responseCode : null,
    receivedAtMs,
  })
  state.latestMs = Math.max(state.latestMs, receivedAtMs)
  state.recall.expire(state.latestMs - RECALL_MS, EXPIRED_PER_ENTRY_MAX)
  state.forgotten += state.transactions.forget(state.latestMs, EXPIRED_PER_ENTRY_MAX)
}

function applyExpiry(
  state: DecisionState,
  { transactionId, expiredAtMs, effect }: ExpiryEntry,
): void {
  const transaction = idBytes(transactionId)
  applyEffect(state, {
    effect,
    transaction,
    keys: [],
    meters: [],
    receivedAtMs: expiredAtMs,
    messageKey: null,
    asked: null,
    askedAnew: false,
  })
}

/**
 * Returns the amount an entry approved in another currency than the card's: a reversal uses the
 * original rate.
 */
function askedIn({ fx, effect, decision, message }: DecisionEntry): Money | null {
  if (fx === null || effect?.event !== 'authorized' || decision.approvedAmountCents === 0)
    return null
  return { cents: decision.approvedAmountCents, currency: message.currency }
}

/**
 * True for an advice with the final amount: it replaces the approved amount, at the current rate.
 */
function isFinalAmount({ message, effect, cardAmountCents }: DecisionEntry): boolean {
  if (message.kind !== 'advice' || message.advice?.approved !== true) return false
  // An advice without a known rate gives no amount.
  return isAdvised(effect) && (cardAmountCents > 0 || message.amountCents === 0)
}

function isAdvised(effect: Effect | null): boolean {
  return effect !== null && (effect.flags & TRANSACTION_FLAGS.amount_advised) !== 0
}

/** Valid until the next entry; a caller that keeps the bytes copies them. */
function idBytes(transactionId: string): Buffer {
  assert(decodeIdInto(ID_BYTES, transactionId, ID_PREFIX), 'a transaction id of ours')
  return ID_BYTES
}

const ID_BYTES = Buffer.alloc(16)
const ID_PREFIX = 'txn_'.length

/**
 * Returns the first window whose counter differs from the sum over its transactions, or null.
 * Checked after every recovery, before the first answer. Once a counting transaction was dropped,
 * the sums prove nothing, and the check passes.
 */
export function windowMismatch(state: DecisionState): string | null {
  return state.forgotten > 0 ? null : countedDifferently(state)
}
