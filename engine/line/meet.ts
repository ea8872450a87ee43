// Finds the transaction of a message, and the transaction's objections to it.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { encodeId } from '../../shared/id.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type MessageRecord, namesOriginal } from '../../shared/wire/journal-entry.ts'
import { awaitsOriginal, hasOnlyRefunds, promised } from '../lifecycle/change.ts'
import { awaitsCapture } from '../lifecycle/early-reversals.ts'
import type { DecisionState } from '../state/decision-state.ts'
import type { Standing } from '../state/transactions.ts'
import type { Pending, TransactionId } from './line.ts'
import { AWAITS_AUTHORIZATION } from './propose.ts'

/** An existing transaction, with its place in the state until the next entry. */
export interface Met {
  row: number
  standing: Standing
}

const { reversed_before_authorization } = TRANSACTION_FLAGS

/**
 * Returns the transaction of a notification: the latest with this link, or null. Only refunds match
 * a credit that named nothing, and a refund's reversal finds it also behind a later transaction
 * with the same link, if that one has no refund.
 */
export function metByFact(
  { transactions }: DecisionState,
  link: Buffer,
  kind: MessageRecord['kind'],
): Met | null {
  const met = metAt(transactions, transactions.find(link))
  if (met === null || kind === 'refund') return met
  if (kind !== 'refund_reversal') return isStandalone(met.standing) ? null : met
  if (met.standing.sums.refunded > 0) return met
  for (const row of transactions.behind(link)) {
    const standing = transactions.read(row)
    if (isStandalone(standing)) return { row, standing }
  }
  return met
}

/**
 * The transaction that a question belongs to; null where it opens one. An increment belongs to the
 * transaction it raises. An authorization opens its own, but for one whose reversal, capture or
 * capture reversal came first, or a refund that names it, and for what the network told us of it
 * while its tenant was asked. What asks for nothing opens its own.
 */
export function metByQuestion({ transactions }: DecisionState, pending: Pending): Met | null {
  const { link, message, transactionId } = pending
  const { kind } = message.record
  if (link === null || transactionId === null) return null
  if (kind !== 'incremental' && kind !== 'authorization') return null
  // Found again by its id, because another transaction may have taken the link meanwhile.
  const latest = transactions.find(link)
  const own = transactions.exactly(transactionId.bytes, latest)
  const met = metAt(transactions, own === -1 ? latest : own)
  if (met === null || own !== -1) return met
  const { standing } = met
  if (kind === 'incremental') return hasOnlyRefunds(standing) ? null : met
  if ((standing.flags & AWAITS_AUTHORIZATION) !== 0 || awaitsCapture(standing)) return met
  // Chosen: a message that names another transaction itself, as a later payment of a series does,
  // is not the original that a refund named.
  return awaitsOriginal(standing) && !namesOriginal(message.record) ? met : null
}

/** Exactly this transaction, or null: none is asked about, or nothing has happened to it yet. */
export function metById(
  { transactions }: DecisionState,
  link: Buffer,
  id: TransactionId | null,
): Met | null {
  return id === null ? null : metAt(transactions, transactions.find(link, id.bytes))
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
export function objectionTo(
  message: MessageRecord,
  standing: Standing | null,
  amountCents: number,
): DeclineReason | null {
  if (message.kind === 'incremental') {
    if (standing === null) return 'original_not_found'
    if (openHold(standing.sums) === 0) return 'original_expired'
  }
  if (standing === null) return null
  if ((standing.flags & reversed_before_authorization) !== 0) return 'original_reversed'
  // Chosen: the network approved in our place while the tenant was asked; its hold is enough.
  if (message.kind === 'authorization' && promised(standing.sums) > 0) return 'issuer_overloaded'
  return isCountable(standing, amountCents) ? null : 'invalid_amount'
}

/** False if the sums of the transaction would stop being exact. */
export function isCountable(standing: Standing | null, amountCents: number): boolean {
  if (standing === null) return amountCents <= AMOUNT_MAX
  const { sums, early } = standing
  const waiting = early === null ? 0 : early.capture + early.refund
  const largest = promised(sums) + sums.captured + sums.captureReversed + waiting
  return largest + sums.refunded + sums.refundReversed <= AMOUNT_MAX - amountCents
}

function metAt(transactions: DecisionState['transactions'], row: number): Met | null {
  return row === -1 ? null : { row, standing: transactions.read(row) }
}

/** True for a credit that named nothing. */
function isStandalone(standing: Standing): boolean {
  return hasOnlyRefunds(standing) && !awaitsOriginal(standing)
}
