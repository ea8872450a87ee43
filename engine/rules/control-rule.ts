// A rule that checks every control, one after the other, and stops at the first objection. The
// checks of a control are derived once: `boundControls`.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceRow } from '../../shared/rule-catalog.ts'
import type { ControlConfig } from '../../shared/wire/config-records.ts'
import type { BoundControls, ControlInputs, ControlUses, MutableTraceRow } from './rule.ts'

/** `Asked` is the part of a control that the rule checks. */
export interface ControlRule<Asked = unknown> {
  readonly id: RuleId
  /** Null if the control has no setting for the rule. */
  asks(control: ControlConfig): Asked | null
  /** Inputs of the check; null if the check does not apply to this message. */
  rowOf(
    judged: ControlInputs,
    bound: BoundControls,
    asker: string,
    asked: Asked,
  ): MutableTraceRow | null
  /** Returns the verdict of one recorded row: inputs start at TRACE_INPUTS_AT. */
  decide(row: TraceRow): DeclineReason | null
}

const NEVER: Omit<ControlUses, 'controlId'> = { uses: 0, usesWaiting: 0, lockedMerchant: null }

/** Returns the use count of a control. */
export function usesOf({ uses }: BoundControls, controlId: string): Omit<ControlUses, 'controlId'> {
  for (const one of uses) if (one.controlId === controlId) return one
  return NEVER
}
