// Compares a repeated decision with the recorded one.
import { inputNames, TRACE_INPUTS_AT, type TraceRow } from '../../shared/rule-catalog.ts'
import {
  type DecisionEntry,
  encodeEntry,
  type JournalEntry,
} from '../../shared/wire/journal-entry.ts'

/** Returns the new entry with the recorded durations and order; null if it is no decision. */
export function asMeasured(decided: JournalEntry, recorded: DecisionEntry): DecisionEntry | null {
  if (decided.kind !== 'decision') return null
  const { judgedOrder, decision } = recorded
  return { ...decided, judgedOrder, decision: { ...decided.decision, timings: decision.timings } }
}

/** Rule inputs that include reservations. */
const RESERVED_INPUTS: ReadonlySet<string> = new Set([
  'reserved_before',
  'uses_before',
  'uses_waiting',
  'largest_counted',
])

/** True if the only differences are reservations of other messages. */
export function differInReservations(recorded: DecisionEntry, decided: DecisionEntry): boolean {
  const [was, is] = [recorded, decided].map((entry) =>
    encodeEntry({ ...entry, trace: entry.trace.map(withoutReservations) }),
  )
  return was !== undefined && is !== undefined && was.equals(is)
}

function withoutReservations(row: TraceRow): TraceRow {
  const names = inputNames(row)
  return row.map((value, index) =>
    RESERVED_INPUTS.has(names[index - TRACE_INPUTS_AT] ?? '') ? 0 : value,
  ) as unknown as TraceRow
}
