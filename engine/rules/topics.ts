// What a control speaks of, as bits, found out once for each control and kept as long as the facts that hold it.
import type { ControlFact } from '../../shared/wire/facts.ts'
import { bitOf } from './control-rule.ts'
import { CONTROL_RULES } from './order.ts'

const known = new WeakMap<ControlFact, number>()

/** The bits of the rules that the control answers to. */
export function topicsOf(control: ControlFact): number {
  let topics = known.get(control)
  if (topics === undefined) {
    topics = 0
    for (const { id, concerns } of CONTROL_RULES) if (concerns?.(control)) topics |= bitOf(id)
    known.set(control, topics)
  }
  return topics
}
