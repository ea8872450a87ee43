// Compares a repeated decision with the recorded one.
import { inputNames, TRACE_INPUTS_AT, type TraceRow } from '../../shared/rule-catalog.ts'
import {
  type DecisionEntry,
  type Effect,
  encodeEntry,
  isEarlierLink,
  type JournalEntry,
} from '../../shared/wire/journal-entry.ts'

/**
 * Returns the new entry with the recorded durations, and without fields that the recorded entry
 * lacked.
 */
export function asMeasured(decided: JournalEntry, recorded: DecisionEntry): DecisionEntry | null {
  if (decided.kind !== 'decision') return null
  const { judgedOrder } = recorded
  const { timings } = recorded.decision
  const decision = { ...decided.decision, timings }
  if (recorded.decision.standInPolicyVersion === null) decision.standInPolicyVersion = null
  const effect = asLinked(decided.effect, recorded.effect)
  const fx = asVerified(decided.fx, recorded.fx)
  if (decided.card === null || recorded.card?.windowsId !== null)
    return { ...decided, judgedOrder, decision, effect, fx }
  return {
    ...decided,
    judgedOrder,
    decision,
    effect,
    fx,
    card: { ...decided.card, windowsId: null },
  }
}

/** Removes the mark of a verified rate if the recorded entry comes from before that mark. */
function asVerified(
  decided: DecisionEntry['fx'],
  recorded: DecisionEntry['fx'],
): DecisionEntry['fx'] {
  if (decided === null || recorded === null || recorded.verified !== undefined) return decided
  const { verified: _verified, ...rest } = decided
  return rest
}

/** Uses the link that an earlier release gave the transaction. */
function asLinked(decided: Effect | null, recorded: Effect | null): Effect | null {
  if (decided === null || recorded === null || !isEarlierLink(recorded.link)) return decided
  return { ...decided, link: recorded.link }
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
