// The objects that live per message; one place makes each with all fields in one order.

import type { AuthorizationRecord, Decision } from '../../shared/wire/journal-entry.ts'
import { transactionLink } from '../../shared/wire/journal-entry.ts'
import type { Arrival, Gathered, Line, Message, Pending } from './line.ts'

const NO_SHADOW: Decision['shadow'] = []

/** Makes the pending state of a message to decide or record. */
export function newPending(
  line: Line,
  arrival: Arrival,
  message: Message,
  gathered: Gathered | null,
): Pending {
  return {
    message,
    receivedAtMs: arrival.receivedAtMs,
    receivedNs: arrival.receivedNs,
    arrivals: [arrival],
    gathered,
    clockOffsetMs: gathered === null ? 0 : gathered.clockOffsetMs,
    trace: [],
    times: {
      decode: 0,
      recall: 0,
      gather: 0,
      judge: 0,
      reserve: 0,
      sign: 0,
      connect: 0,
      ask: 0,
      lastNs: 0,
    },
    tenant: null,
    breaker: null,
    transactionId: gathered === null ? null : line.newTransactionId(arrival.receivedAtMs),
    link: gathered === null ? null : linkOf(message, gathered),
    requestId: line.secrets.derivation()?.requestId(message.messageKey) ?? '',
    judgedOrder: 0,
    reservation: null,
    isReserved: false,
    availableCents: null,
    shadow: NO_SHADOW,
    entry: null,
    seq: 0,
    answer: '',
  }
}

function linkOf({ environment, record }: Message, { judged }: Gathered): Buffer {
  const { network, originalNetworkTransactionId } = record
  const { windows_id } = judged.card
  return transactionLink(environment, network, windows_id, originalNetworkTransactionId)
}

/**
 * Returns the known data of a message before its decision: the content of the tenant's request, and
 * the head of its entry.
 */
export function recordOf(line: Line, pending: Pending): AuthorizationRecord {
  const judged = pending.gathered?.judged ?? null
  return {
    transactionId: pending.transactionId?.text ?? null,
    requestId: pending.requestId,
    environment: pending.message.environment,
    receivedAtMs: pending.receivedAtMs + pending.clockOffsetMs,
    budgetMs: line.budgetMs,
    message: pending.message.record,
    card: pending.gathered === null ? null : pending.gathered.record,
    cvc: judged?.cvc ?? 'not_checked',
    expiry: judged?.expiry ?? 'not_checked',
    trace: pending.trace,
    build: line.build,
    pin: judged?.pin ?? 'not_checked',
    threeDs: judged?.threeDs ?? 'none',
    walletToken: judged?.walletToken ?? null,
    cardAmountCents: judged?.cardAmountCents ?? 0,
    fx: judged?.fx ?? null,
    judgedSeq: line.state.seq,
    judgedOrder: pending.judgedOrder,
    clockOffsetMs: pending.clockOffsetMs,
  }
}

/**
 * Releases the inputs of a decided message, so the garbage collector does not copy them while the
 * answer waits for the disk. The entry stays if a late reply or the log may need it.
 */
export function releaseDecisionInputs(pending: Pending, wantsEntry: boolean): void {
  pending.gathered = null
  pending.reservation = null
  if (!wantsEntry) pending.entry = null
}
