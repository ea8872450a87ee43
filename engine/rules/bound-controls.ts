// What the controls of one subject ask, in the order of the rules. Found out once for a fact: a message then meets only what
// it is asked, however much else controls might have said.
import type { ControlFact, ControlsFact } from '../../shared/wire/facts.ts'
import { CONTROL_RULES } from './order.ts'
import type { BoundControls, SingleUse } from './rule.ts'
import { shared } from './shared.ts'

/** Some controls of a fact, never used yet. What they ask is shared with all that ask the same. */
export function boundControls(
  { scope, version }: ControlsFact,
  controls: readonly ControlFact[],
): BoundControls {
  const asked: unknown[] = []
  const askers: string[] = []
  const from = [0]
  let rules = 0
  for (const [at, rule] of CONTROL_RULES.entries()) {
    for (const control of controls) {
      const about = rule.asks(control)
      if (about === null) continue
      asked.push(shared(about))
      askers.push(control.id)
      rules |= 1 << at
    }
    from.push(asked.length)
  }
  const singleUses: SingleUse[] = []
  for (const { single_use: use } of controls) if (use !== null) singleUses.push(use)
  return { scope, version, asked, askers, from, rules, singleUses, uses: [] }
}
