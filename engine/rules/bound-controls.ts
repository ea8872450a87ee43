// The checks of one subject's controls, in the order of the rules. Derived once per config record:
// a message then meets only the checks that exist.
import type { ControlConfig, ControlsConfig } from '../../shared/wire/config-records.ts'
import { interned } from './interned-values.ts'
import { CONTROL_RULES } from './order.ts'
import type { BoundControls, SingleUse } from './rule.ts'

/** Returns some controls of a config record, never used yet. Equal checks are shared. */
export function boundControls(
  { scope, version }: ControlsConfig,
  controls: readonly ControlConfig[],
): BoundControls {
  const asked: unknown[] = []
  const askers: string[] = []
  const from = [0]
  let rules = 0
  for (const [at, rule] of CONTROL_RULES.entries()) {
    for (const control of controls) {
      const about = rule.asks(control)
      if (about === null) continue
      asked.push(interned(about))
      askers.push(control.id)
      rules |= 1 << at
    }
    from.push(asked.length)
  }
  const singleUses: SingleUse[] = []
  for (const { single_use: use } of controls) if (use !== null) singleUses.push(use)
  return { scope, version, asked, askers, from, rules, singleUses, uses: [] }
}
