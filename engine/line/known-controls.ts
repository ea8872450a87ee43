// Data that gather needs about the controls of one subject, derived once per config record. Part of
// gather.
import {
  type ControlConfig,
  type ControlsConfig,
  countsUses,
} from '../../shared/wire/config-records.ts'
import { boundControls } from '../rules/bound-controls.ts'
import type { BoundControls } from '../rules/rule.ts'
import { useFilter } from '../state/merchant-locks.ts'
import { type CountedLimit, countedLimits } from './limit-views.ts'

/** A control that counts something. */
export interface CountedControl {
  readonly control: ControlConfig
  /** Filter of the windows of its uses, as text; empty if the control needs none. */
  readonly uses: string
  readonly limits: readonly CountedLimit[]
}

/** A draft, bound as if it were the only control. */
export interface KnownDraft {
  readonly bound: BoundControls
  readonly counted: CountedControl
}

export interface CachedControls {
  /** The active controls; null if there are none. */
  readonly bound: BoundControls | null
  /** The active controls that count. */
  readonly counted: readonly CountedControl[]
  readonly drafts: readonly KnownDraft[]
}

const known = new WeakMap<ControlsConfig, CachedControls>()

/**
 * Returns the derived data of a config record, which must never change. A program's data is derived
 * once; the caller that looks up a card keeps the others.
 */
export function knownControls(configRecord: ControlsConfig): CachedControls {
  if (configRecord.scope !== 'program') return knownOf(configRecord)
  let controls = known.get(configRecord)
  if (controls === undefined) {
    controls = knownOf(configRecord)
    known.set(configRecord, controls)
  }
  return controls
}

function knownOf(configRecord: ControlsConfig): CachedControls {
  const active: ControlConfig[] = []
  const counted: CountedControl[] = []
  const drafts: KnownDraft[] = []
  for (const control of configRecord.controls) {
    if (control.state === 'active') {
      active.push(control)
      if (control.limits.length > 0 || countsUses(control))
        counted.push(countedControl(control, ''))
    } else {
      const own = countedControl(control, 'draft:' + control.id)
      drafts.push({ bound: boundControls(configRecord, [control]), counted: own })
    }
  }
  return {
    bound: active.length === 0 ? null : boundControls(configRecord, active),
    counted,
    drafts,
  }
}

/** `prefix` distinguishes the windows of a draft. */
function countedControl(control: ControlConfig, prefix: string): CountedControl {
  const uses = countsUses(control) ? useFilter(prefix === '' ? control.id : prefix) : ''
  return { control, uses, limits: countedLimits(control.limits, prefix) }
}
