// The public shape of a card transaction, for the request to the tenant, GET, every list and every
// event. Authorization 1 and 3. Only this file makes the shape; fields are only ever added.

import { authorizationKind } from '../authorization-kind.ts'
import { cardPresence } from '../card-presence.ts'
import { type EpochMs, isoInstant, unixSeconds } from '../clock.ts'
import {
  flagNames,
  noSums,
  type Sums,
  type TransactionStatus,
  transactionStatus,
} from '../transaction-sums.ts'
import type { CardType } from '../wire/config-records.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  Effect,
  MessageRecord,
} from '../wire/journal-entry.ts'
import type { ClearingExceptionSummary } from './clearing-file.ts'
import type { DisputeSummary } from './dispute.ts'
import { limitHeadroom } from './limit-headroom.ts'
import {
  controlsVersion,
  decisionBody,
  type LateReply,
  standInWouldBody,
} from './transaction-decision.ts'
import { type Moment, momentLists } from './transaction-moments.ts'
import {
  approvedCents,
  cardholderAmount,
  fxBody,
  messageBody,
  money,
  sumsBody,
} from './transaction-parts.ts'

/** The history of a transaction up to this message. */
export interface TransactionLife {
  createdAtMs: EpochMs
  sums: Sums
  /** TRANSACTION_FLAGS. */
  flags: number
  /** When the open hold ends; 0 where none is open. */
  holdExpiresAtMs: EpochMs
  /**
   * The latest MOMENTS_MAX, in order. The engine keeps none, so the lists of an authorization
   * request are empty.
   */
  moments: readonly Moment[]
  /** The transaction this one is about, where the engine no longer knew it. */
  originalTransactionId: string | null
  /**
   * The latest DISPUTES_SHOWN_MAX, oldest first. Absent in an authorization request, because the
   * engine knows of none.
   */
  disputes?: readonly DisputeSummary[]
  /** The latest CLEARING_EXCEPTIONS_SHOWN_MAX, oldest first. Absent in an authorization request. */
  clearingExceptions?: readonly ClearingExceptionSummary[]
}

export interface TransactionSource {
  /** The latest authorization request of the transaction; its first message if it had none. */
  record: AuthorizationRecord & { transactionId: string; card: CardRecord }
  /** The decision on that request; null while the tenant is being asked. */
  decision: Decision | null
  /** The effect of that authorization request; absent while the tenant is being asked. */
  effect?: Effect | null
  late: LateReply | null
  /** The number of the message in this transaction, from 1. */
  sequence: number
  /**
   * Absent while the first request is being asked. A transaction whose increment is being asked is
   * authorized, not pending.
   */
  life?: TransactionLife
  /** The answer that stand-in would give; only while the tenant is being asked. */
  standInWould?: Decision['standInWould']
}

export type CardTransaction = ReturnType<typeof cardTransaction>

/**
 * Returns the public shape. Amounts are integers of the currency's minor unit; `currency` is the
 * one of `amount_cents`, of the sums and of the lists. Chosen: `authorization_request`, `decision`,
 * `decline_reason` and `amount_cents` are those of the latest request, also after a declined
 * increment, while `status` and `sums` describe the whole.
 */
export function cardTransaction(source: TransactionSource) {
  const { record, decision, sequence } = source
  const { message, card } = record
  const life = source.life ?? unborn(record)
  const amounts = amountsBody(source, life)
  return {
    id: record.transactionId,
    object: 'card_transaction' as const,
    created: unixSeconds(life.createdAtMs),
    sequence,
    livemode: record.environment === 'live',
    status: (source.life === undefined ? 'pending' : transactionStatus(life.sums, life.flags)) as
      | TransactionStatus
      | 'pending',
    direction: CREDITS.has(authorizationKind(message)) ? ('credit' as const) : ('debit' as const),
    amount_cents: amounts.cardholder.amount,
    approved_amount_cents:
      decision === null ? null : approvedCents(record.fx, decision, source.effect ?? null),
    currency: amounts.cardholder.currency,
    decline_reason: decision?.declineReason ?? null,
    flags: flagNames(life.flags),
    sums: sumsBody(life.sums),
    hold_expires_at: life.holdExpiresAtMs === 0 ? null : isoInstant(life.holdExpiresAtMs),
    original_transaction_id: life.originalTransactionId,
    authorization_request: {
      id: record.requestId,
      kind: authorizationKind(message),
      attempt: 1,
      deadline_at: isoInstant(record.receivedAtMs + record.budgetMs),
      budget_ms: record.budgetMs,
    },
    message: messageBody(message),
    amounts,
    partial_approval_capable: message.partialApprovalCapable,
    merchant: {
      id: message.merchantId,
      name: message.merchantName,
      mcc: message.mcc,
      city: message.city,
      country: message.country,
    },
    entry: entryBody(message),
    verification: verificationBody(record),
    program: { id: card.programId, state_version: card.programVersion },
    cardholder: {
      id: card.cardholderId,
      status: card.cardholderStatus,
      state_version: card.cardholderVersion,
    },
    card: {
      id: card.cardId,
      last4: card.last4,
      // A payment account makes no card transaction.
      type: card.cardType as CardType,
      status: card.cardStatus,
      state_version: card.cardVersion,
    },
    controls_snapshot: {
      controls_version: controlsVersion(card),
      limits: limitHeadroom(record.trace),
    },
    preliminary: preliminaryBody(source),
    decision: decision === null ? null : decisionBody(source, decision),
    ...momentLists(record.transactionId, life.moments),
    disputes: (life.disputes ?? []).map(disputeBody),
    clearing_exceptions: (life.clearingExceptions ?? []).map(clearingExceptionBody),
    metadata: decision?.tenant?.metadata ?? {},
  }
}

function disputeBody({ id, amountCents, status, outcome, createdAtMs }: DisputeSummary) {
  return { id, amount_cents: amountCents, status, outcome, created: unixSeconds(createdAtMs) }
}

function clearingExceptionBody(one: ClearingExceptionSummary) {
  const { clearingFileId, kind, sequence, createdAtMs } = one
  return { clearing_file_id: clearingFileId, kind, sequence, created: unixSeconds(createdAtMs) }
}

/** A new transaction, while its first authorization request is being asked. */
function unborn(record: AuthorizationRecord): TransactionLife {
  return {
    createdAtMs: record.receivedAtMs,
    sums: noSums(),
    flags: 0,
    holdExpiresAtMs: 0,
    moments: [],
    originalTransactionId: null,
  }
}

const CREDITS: ReadonlySet<string> = new Set(['refund', 'original_credit'])

function amountsBody({ record, decision, effect }: TransactionSource, life: TransactionLife) {
  const { message, card, fx } = record
  const { amount: requested, currency } = cardholderAmount(record, card)
  const kept = life.sums.captured - life.sums.captureReversed
  return {
    merchant: money(message.amountCents, message.currency),
    cardholder: money(requested, currency),
    requested_delta: money(requested, currency),
    /** The amount of all requests up to and including this one. */
    cumulative: money(requested + askedBefore(message, life.sums, effect ?? null), currency),
    hold: money(decision === null ? requested : decision.holdCents, currency),
    /** The amount in the answer to the network, in the currency of its message. */
    approved: decision === null ? null : money(decision.approvedAmountCents, message.currency),
    settlement: life.sums.captured === 0 ? null : money(kept, card.currency),
    fx: fxBody(fx),
    components: {
      cashback: money(message.cashbackCents, message.currency),
      fee: money(message.feeCents, message.currency),
    },
  }
}

/**
 * Returns the amount authorized before an increment. While the tenant is asked, `sums` are the sums
 * before the increment.
 */
function askedBefore(message: MessageRecord, sums: Sums, effect: Effect | null): number {
  if (message.kind !== 'incremental') return 0
  const { authorized, incremented } = effect === null ? sums : effect.sums
  return authorized + incremented - (effect?.event === 'authorized' ? effect.amountCents : 0)
}

function entryBody(message: MessageRecord) {
  return {
    method: message.entryMethod,
    card_present: cardPresence(message.entryMethod) === 'present',
    initiator: message.initiator,
    recurring: message.recurring,
    wallet: message.walletProvider,
    token_id: message.walletTokenId,
    fallback_from_chip: message.fallbackFromChip,
  }
}

function verificationBody({
  message,
  cvc,
  expiry,
  pin,
  threeDs,
  walletToken,
}: AuthorizationRecord) {
  return {
    cvc,
    expiry,
    pin,
    three_ds: { result: threeDs, transaction_id: message.threeDsId, claim: message.threeDsClaim },
    wallet_token: walletToken,
  }
}

/**
 * Returns the answer without the tenant, or null if nobody is asked. The tenant is asked only when
 * the controls approve.
 */
function preliminaryBody({ decision, standInWould }: TransactionSource) {
  const would = decision === null ? (standInWould ?? null) : decision.standInWould
  if (decision !== null && would === null) return null
  return {
    would_approve: true,
    would_decline_reason: null,
    stand_in_would: standInWouldBody(would),
  }
}
