// Step 9. Decision → response bytes. An answer leaves only after its entry is synced to disk; while
// one write runs, the next batch collects.
import { ERRORS, errorBody } from '../../shared/error-catalog.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import type { Arrival, Line, Pending, Refused } from './line.ts'
import type { OpenMessages } from './open-messages.ts'

/** Chosen: places for the waiting answers of a busy moment; the ring doubles when it is full. */
const PLACES_AT_FIRST = 1024

/**
 * Decided messages in journal order, waiting for their sync. A ring: under load it never runs
 * empty, and messages behind an answered one must not keep it alive, or the garbage collector
 * copies it repeatedly.
 */
export class Unanswered {
  #places: (Pending | null)[] = new Array<Pending | null>(PLACES_AT_FIRST).fill(null)
  #head = 0
  #size = 0

  add(pending: Pending): void {
    if (this.#size === this.#places.length) this.#grow()
    this.#places[(this.#head + this.#size) & (this.#places.length - 1)] = pending
    this.#size += 1
  }

  /** Takes the next message whose entry is durable, or null. */
  takeSynced(seq: number): Pending | null {
    const pending = this.#places[this.#head] ?? null
    if (pending === null || pending.seq > seq) return null
    this.#places[this.#head] = null
    this.#head = (this.#head + 1) & (this.#places.length - 1)
    this.#size -= 1
    return pending
  }

  #grow(): void {
    const old = this.#places
    this.#places = new Array<Pending | null>(2 * old.length).fill(null)
    for (let at = 0; at < old.length; at++)
      this.#places[at] = old[(this.#head + at) & (old.length - 1)] ?? null
    this.#head = 0
  }
}

/** Sends every durable answer to all senders of its message. */
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
      if (pending.entry !== null) arrival.reply.decided?.(pending.entry)
      arrival.reply.send(200, pending.answer)
      line.metrics.observe('answer', Math.round((endNs - arrival.receivedNs) / 1000))
    }
    if (line.logsDecisions && pending.entry !== null) logDecision(line, pending.entry, pending.seq)
  }
}

/** The transaction's id is the correlation id of all later steps: drain, event, webhook. */
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

/** Sends an error instead of a decision: nothing was stored, and a repeat is decided afresh. */
export function refuse(line: Line, reply: Arrival['reply'], refused: Refused): void {
  line.metrics.countRefusal(refused.refused)
  const body = errorBody(refused.refused, refused.param, refused.detail)
  if (refused.errors !== null) body.error['errors'] = refused.errors
  reply.send(ERRORS[refused.refused].status, JSON.stringify(body))
}
