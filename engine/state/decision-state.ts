// All decision state of one engine, and how a journal entry changes it. The same code runs live, replays the journal
// after a restart and runs in the simulator; nothing here reads a clock, a disk or a random number.
import { assert } from '../../shared/assert.ts'
import { decodeId } from '../../shared/id.ts'
import { RECALL_MS } from '../../shared/limits.ts'
import type { DecisionEntry, JournalEntry, MeterKey } from '../../shared/wire/journal-entry.ts'
import { Holds, type Place } from './holds.ts'
import { Meters } from './meters.ts'
import { RecallTable } from './recall-table.ts'
import { StandInUse } from './stand-in-use.ts'
import { Tries } from './tries.ts'
import { Usage } from './usage.ts'

/** Chosen: the longest hold any network lets stand is 31 days; after that a hold is forgotten (its windows keep it). */
const HOLD_MS_MAX = 31 * 24 * 3_600_000
/** Bound of what one entry may clean up, so that no answer waits for housekeeping. */
const EXPIRED_PER_ENTRY_MAX = 4

export interface DecisionState {
  readonly meters: Meters
  readonly holds: Holds
  readonly recall: RecallTable
  readonly tries: Tries
  readonly usage: Usage
  readonly standIn: StandInUse
  /** Sequence of the last entry applied. */
  seq: number
  /** Holds that were let go for their age: their amounts stay counted without them. */
  forgotten: number
  /** Receipt of the latest decision: time on the line never goes back behind it. */
  latestMs: number
}

/** The state before the first entry. */
export function emptyState(): DecisionState {
  return {
    meters: new Meters(),
    holds: new Holds(),
    recall: new RecallTable(),
    tries: new Tries(),
    usage: new Usage(),
    standIn: new StandInUse(),
    seq: 0,
    forgotten: 0,
    latestMs: 0,
  }
}

export type StateEvent =
  /** An approval by the controls: the amount waits in every window until it is decided. */
  | { type: 'reserve'; keys: readonly MeterKey[]; amount: number }
  /** The decision is made: the reservation ends, whatever was decided. */
  | { type: 'unreserve'; keys: readonly MeterKey[]; amount: number }
  /** An entry of the journal, live or replayed. */
  | { type: 'entry'; seq: number; entry: JournalEntry }

/** One change of state. */
export function step(state: DecisionState, event: StateEvent): void {
  switch (event.type) {
    case 'reserve':
      for (const [subject, zone, currency, day] of event.keys) {
        state.meters.reserve(state.meters.open(subject, zone, currency), day, event.amount)
      }
      return
    case 'unreserve':
      for (const [subject, zone, currency, day] of event.keys) {
        state.meters.unreserve(state.meters.open(subject, zone, currency), day, event.amount)
      }
      return
    case 'entry':
      assert(event.seq === state.seq + 1, 'journal entries out of order')
      state.seq = event.seq
      if (event.entry.kind === 'decision') applyDecision(state, event.entry)
      else if (event.entry.kind === 'card_suspension') state.tries.applySuspension(event.entry)
      return
  }
}

function applyDecision(state: DecisionState, entry: DecisionEntry): void {
  const { decision } = entry
  const transaction = entry.transactionId === null ? null : decodeId(entry.transactionId.slice(4))
  if (decision.approved) {
    assert(transaction !== null, 'an approval without a transaction')
    const places: Place[] = []
    for (const [subject, zone, currency, day] of decision.meters) {
      const meter = state.meters.open(subject, zone, currency)
      state.meters.use(meter, day, decision.approvedAmountCents)
      places.push({ meter, day })
    }
    state.holds.add({
      transaction,
      amount: decision.approvedAmountCents,
      receivedAtMs: entry.receivedAtMs,
      places,
    })
  }
  state.tries.apply(entry)
  state.usage.apply(entry)
  state.standIn.apply(entry)
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
    receivedAtMs: entry.receivedAtMs,
  })
  if (entry.receivedAtMs > state.latestMs) state.latestMs = entry.receivedAtMs
  state.recall.expire(state.latestMs - RECALL_MS, EXPIRED_PER_ENTRY_MAX)
  state.forgotten += state.holds.expire(state.latestMs - HOLD_MS_MAX, EXPIRED_PER_ENTRY_MAX)
}

/**
 * The first window whose counter differs from the sum over its open holds, or null. Checked after every recovery, before
 * anything is answered. Once a hold was let go for its age the sums no longer tell, and the check passes.
 */
export function windowMismatch(state: DecisionState): string | null {
  if (state.forgotten > 0) return null
  const rows = [...state.meters.rows()]
  const counted = new Meters()
  for (const [subject, zone, currency, day] of rows) {
    counted.restore([subject, zone, currency, day, 0, 0, 0, 0, 0])
  }
  for (const hold of state.holds.rows()) {
    for (const place of hold.places) counted.use(place.meter, place.day, hold.amount)
  }
  let meter = 0
  for (const sums of counted.rows()) {
    const row = rows[meter++]
    if (row === undefined || row.some((value, index) => value !== sums[index])) {
      return 'window ' + String(row?.join(' ')) + ' should hold ' + sums.join(' ')
    }
  }
  return null
}
