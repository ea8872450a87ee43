// Step 9. Decision → response bytes. An answer leaves only after its entry is synced to disk; while one write runs, the
// next batch collects.
import { ERRORS, errorBody } from '../../shared/error-catalog.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import type { Arrival, Line, Pending, Refused } from './line.ts'
import type { OpenMessages } from './open-messages.ts'

/** Decided messages in journal order, waiting for their sync. */
export class Unanswered {
  #queue: Pending[] = []
  #head = 0

  add(pending: Pending): void {
    this.#queue.push(pending)
  }

  /** Takes the next message whose entry is durable, or null. */
  takeSynced(seq: number): Pending | null {
    const pending = this.#queue[this.#head]
    if (pending === undefined || pending.seq > seq) return null
    this.#head += 1
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    } else if (this.#head > 4096 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return pending
  }
}

/** Sends every answer that became durable, each to all who asked. */
export function answer(
  line: Line,
  open: OpenMessages,
  unanswered: Unanswered,
  syncedSeq: number,
): void {
  for (
    let pending = unanswered.takeSynced(syncedSeq);
    pending !== null;
    pending = unanswered.takeSynced(syncedSeq)
  ) {
    open.delete(pending)
    const endNs = line.clock.monotonicNs()
    for (const arrival of pending.arrivals) {
      arrival.reply.send(200, pending.answer)
      line.metrics.observe('answer', Math.round((endNs - arrival.receivedNs) / 1000))
    }
    if (pending.entry === null) continue
    line.metrics.countDecision(pending.entry)
    if (line.logsDecisions) logDecision(line, pending.entry, pending.seq)
  }
}

/** The transaction's id is the correlation id of everything that follows: drain, event, webhook. */
function logDecision(line: Line, entry: DecisionEntry, seq: number): void {
  const { decision } = entry
  line.log.debug(
    {
      correlation_id: entry.transactionId ?? entry.requestId,
      message_id: entry.message.id,
      journal_seq: seq,
      approved: decision.approved,
      decline_reason: decision.declineReason,
      decided_by: decision.decidedBy,
      tenant_outcome: decision.tenant?.outcome ?? null,
      total_us: decision.timings.total,
    },
    'decided',
  )
}

/** An error instead of a decision: nothing was stored, a repeat is decided afresh. */
export function refuse(line: Line, reply: Arrival['reply'], refused: Refused): void {
  line.metrics.countRefusal(refused.refused)
  reply.send(
    ERRORS[refused.refused].status,
    JSON.stringify(errorBody(refused.refused, refused.param, refused.detail)),
  )
}
