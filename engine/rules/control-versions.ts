// The control versions behind a verdict.
import type { ControlScope } from '../../shared/wire/config-records.ts'
import type { CardRecord } from '../../shared/wire/journal-entry.ts'
import type { BoundControls } from './rule.ts'

const PLACES: readonly ControlScope[] = ['program', 'cardholder', 'card']

/** Versions of the controls of program, cardholder and card, drafts included; 0 for no controls. */
export function controlVersions({
  controls,
  drafts,
}: {
  controls: readonly BoundControls[]
  drafts: readonly { readonly bound: BoundControls }[]
}): CardRecord['controlVersions'] {
  const versions: [program: number, cardholder: number, card: number] = [0, 0, 0]
  for (const { scope, version } of controls) versions[PLACES.indexOf(scope)] = version
  for (const { bound } of drafts) versions[PLACES.indexOf(bound.scope)] = bound.version
  return versions
}
