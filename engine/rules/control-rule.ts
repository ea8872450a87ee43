// A rule that asks every control, one after the other, and stops at the first that objects. What a control asks is found out
// once: `boundControls`.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceRow } from '../../shared/rule-catalog.ts'
import type { ControlFact } from '../../shared/wire/facts.ts'
import type { BoundControls, ControlUses, Judged, MutableTraceRow } from './rule.ts'

/** `Asked` is what of a control the rule asks about. */
export interface ControlRule<Asked = unknown> {
  readonly id: RuleId
  /** Null where the control says nothing about it. */
  asks(control: ControlFact): Asked | null
  /** What the question looks at; null where it has no say in this message. */
  rowOf(judged: Judged, bound: BoundControls, asker: string, asked: Asked): MutableTraceRow | null
  /** The verdict of one recorded row: inputs start at TRACE_INPUTS_AT. */
  decide(row: TraceRow): DeclineReason | null
}

const NEVER: Omit<ControlUses, 'controlId'> = { uses: 0, usesWaiting: 0, lockedMerchant: null }

/** How often a control was used. */
export function usesOf({ uses }: BoundControls, controlId: string): Omit<ControlUses, 'controlId'> {
  for (const one of uses) if (one.controlId === controlId) return one
  return NEVER
}
