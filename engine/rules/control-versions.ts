// The control versions behind a verdict.
import type { ControlScope } from '../../shared/wire/config-records.ts'
import type { CardRecord } from '../../shared/wire/journal-entry.ts'
import type { BoundControls } from './rule.ts'

const PLACES: { readonly [Scope in ControlScope]: 0 | 1 | 2 } = {
  program: 0,
  cardholder: 1,
  card: 2,
  payment_account: 2,
}

/**
 * Versions of the controls of program, cardholder and card or payment account, drafts included; 0
 * for no controls.
 */
export function controlVersions({
  controls,
  drafts,
}: {
  controls: readonly BoundControls[]
  drafts: readonly { readonly bound: BoundControls }[]
}): CardRecord['controlVersions'] {
  const versions: [program: number, cardholder: number, card: number] = [0, 0, 0]
  for (const { scope, version } of controls) versions[PLACES[scope]] = version
  for (const { bound } of drafts) versions[PLACES[bound.scope]] = bound.version
  return versions
}
