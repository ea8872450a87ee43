// Finds the transaction of a message, and the transaction's objections to it.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { encodeId } from '../../shared/id.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type MessageRecord, namesOriginal } from '../../shared/wire/journal-entry.ts'
import { awaitsOriginal, hasOnlyRefunds, promised } from '../lifecycle/change.ts'
import { awaitsCapture } from '../lifecycle/early-reversals.ts'
import type { DecisionState } from '../state/decision-state.ts'
import type { TransactionState } from '../state/transactions.ts'
import type { Pending, TransactionId } from './line.ts'
import { AWAITS_AUTHORIZATION } from './project-approval.ts'

/** An existing transaction, with its place in the state until the next entry. */
export interface MatchedTransaction {
  row: number
  transaction: TransactionState
}

const { reversed_before_authorization } = TRANSACTION_FLAGS

/**
 * Returns the transaction of a notification: the latest with this link, or null. Only refunds match
 * a credit that named nothing, and a refund's reversal finds it also behind a later transaction
 * with the same link, if that one has no refund.
 */
export function matchNotification(
  { transactions }: DecisionState,
  link: Buffer,
  kind: MessageRecord['kind'],
): MatchedTransaction | null {
  const match = matchAt(transactions, transactions.find(link))
  if (match === null || kind === 'refund') return match
  if (kind !== 'refund_reversal') return isStandalone(match.transaction) ? null : match
  if (match.transaction.sums.refunded > 0) return match
  for (const row of transactions.behind(link)) {
    const transaction = transactions.read(row)
    if (isStandalone(transaction)) return { row, transaction }
  }
  return match
}

/**
 * Returns the transaction that an authorization request belongs to, or null if the request opens
 * one. An increment belongs to the transaction it raises. An authorization opens a transaction of
 * its own, except when its reversal, capture or capture reversal came first, when a refund names
 * it, or when a notification about it came while its tenant was asked. Verifications and inquiries
 * open their own.
 */
export function matchRequest(
  { transactions }: DecisionState,
  pending: Pending,
): MatchedTransaction | null {
  const { link, message, transactionId } = pending
  const { kind } = message.record
  if (link === null || transactionId === null) return null
  if (kind !== 'incremental' && kind !== 'authorization') return null
  // Found again by its id, because another transaction may have taken the link meanwhile.
  const latest = transactions.find(link)
  const own = transactions.exactly(transactionId.bytes, latest)
  const match = matchAt(transactions, own === -1 ? latest : own)
  if (match === null || own !== -1) return match
  const { transaction } = match
  if (kind === 'incremental') return hasOnlyRefunds(transaction) ? null : match
  if ((transaction.flags & AWAITS_AUTHORIZATION) !== 0 || awaitsCapture(transaction)) return match
  // Chosen: a message that names another transaction itself, as a later payment of a series does,
  // is not the original that a refund named.
  return awaitsOriginal(transaction) && !namesOriginal(message.record) ? match : null
}

/** Exactly this transaction, or null: none is asked about, or nothing has happened to it yet. */
export function metById(
  { transactions }: DecisionState,
  link: Buffer,
  id: TransactionId | null,
): MatchedTransaction | null {
  return id === null ? null : matchAt(transactions, transactions.find(link, id.bytes))
}

/** Returns the id of the transaction in a row. */
export function idAt(state: DecisionState, row: number): TransactionId {
  const bytes = state.transactions.idOf(row)
  return { text: 'txn_' + encodeId(bytes), bytes }
}

/**
 * Returns why the matched transaction forbids the authorization request, whatever the controls say;
 * or null.
 */
export function preconditionFailure(
  message: MessageRecord,
  transaction: TransactionState | null,
  amountCents: number,
): DeclineReason | null {
  if (message.kind === 'incremental') {
    if (transaction === null) return 'original_not_found'
    if (openHold(transaction.sums) === 0) return 'original_expired'
  }
  if (transaction === null) return null
  if ((transaction.flags & reversed_before_authorization) !== 0) return 'original_reversed'
  // Chosen: the network approved in our place while the tenant was asked; its hold is enough.
  if (message.kind === 'authorization' && promised(transaction.sums) > 0) return 'issuer_overloaded'
  return isCountable(transaction, amountCents) ? null : 'invalid_amount'
}

/** False if the sums of the transaction would stop being exact. */
export function isCountable(transaction: TransactionState | null, amountCents: number): boolean {
  if (transaction === null) return amountCents <= AMOUNT_MAX
  const { sums, early } = transaction
  const waiting = early === null ? 0 : early.capture + early.refund
  const largest = promised(sums) + sums.captured + sums.captureReversed + waiting
  return largest + sums.refunded + sums.refundReversed <= AMOUNT_MAX - amountCents
}

function matchAt(
  transactions: DecisionState['transactions'],
  row: number,
): MatchedTransaction | null {
  return row === -1 ? null : { row, transaction: transactions.read(row) }
}

/** True for a credit that named nothing. */
function isStandalone(transaction: TransactionState): boolean {
  return hasOnlyRefunds(transaction) && !awaitsOriginal(transaction)
}
