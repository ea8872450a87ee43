// A decision becomes a journal entry, the state after it, and the answer that leaves once the entry
// is synced.
import {
  type AuthorizationRecord,
  type Decision,
  type DecisionEntry,
  type Effect,
  packEntry,
} from '../../shared/wire/journal-entry.ts'
import { step } from '../state/decision-state.ts'
import { answerOf, answerText } from './answer-text.ts'
import type { Line, Pending } from './line.ts'

/**
 * Journals, applies, and leaves entry, sequence and answer on `pending`. In this order and without
 * an await: an entry refused by the journal changes nothing, and the journal syncs nothing, so no
 * answer leaves, before the run ends. If applying throws, the process stops, and the next start
 * throws too, because it applies the same entries.
 */
export function appendEntry(
  line: Line,
  pending: Pending,
  record: AuthorizationRecord,
  { decision, effect }: { decision: Decision; effect: Effect | null },
): DecisionEntry {
  const entry: DecisionEntry = {
    kind: 'decision',
    messageKey: pending.message.messageKey,
    contentHash: pending.message.contentHash,
    transactionId: pending.transactionId === null ? null : pending.transactionId.text,
    requestId: record.requestId,
    environment: record.environment,
    receivedAtMs: record.receivedAtMs,
    budgetMs: record.budgetMs,
    message: record.message,
    card: record.card,
    cvc: record.cvc,
    expiry: record.expiry,
    trace: record.trace,
    build: record.build,
    pin: record.pin,
    threeDs: record.threeDs,
    walletToken: record.walletToken,
    cardAmountCents: record.cardAmountCents,
    fx: record.fx,
    judgedSeq: record.judgedSeq,
    judgedOrder: record.judgedOrder,
    clockOffsetMs: record.clockOffsetMs,
    decision,
    effect,
  }
  pending.entry = entry
  const { gathered } = pending
  pending.seq = line.journal.append(packEntry(entry, gathered === null ? null : gathered.packed))
  const meters = gathered === null ? NO_METERS : gathered.meters
  step(line.state, { type: 'entry', seq: pending.seq, entry, meters })
  pending.answer = answerText(answerOf(entry))
  return entry
}

const NO_METERS: number[] = []

/**
 * Returns the microseconds of every step up to now, under the specification's names.
 * Authorization 3.
 */
export function timingsOf(pending: Pending, endNs: number): Decision['timings'] {
  const { times } = pending
  return {
    parse: times.decode,
    recall: times.recall,
    state_read: times.gather,
    controls: times.judge,
    reserve: times.reserve,
    sign: times.sign,
    connect: times.connect,
    tenant_wait: times.ask,
    finalize: Math.round((endNs - times.lastNs) / 1000),
    total: Math.round((endNs - pending.receivedNs) / 1000),
  }
}
