// Only this module makes a spending control and its versions public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { DeclineReason } from '../../../shared/decline-reason.ts'
import type { ControlTerms, SpendingControl } from '../../../shared/schemas/spending-control.ts'
import type {
  SpendingControlShadow,
  SpendingControlVersion,
} from '../../../shared/schemas/spending-control-shadow.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { ControlScope, Environment } from '../../../shared/wire/config-records.ts'

export type ControlState = SpendingControl['state']

/** A control with its current version. */
export interface ControlRow {
  id: string
  seq: number
  environment: Environment
  scope: ControlScope
  subjectId: string
  state: ControlState
  version: number
  terms: ControlTerms
  createdAt: number
  updatedAt: number
  updatedBy: string | null
  externalId: string | null
  metadata: Metadata
}

export interface VersionRow {
  controlId: string
  version: number
  state: ControlState
  terms: ControlTerms
  createdBy: string | null
  createdAt: number
}

/** Verdicts of one version with one reason; an empty reason is an approval. */
export interface ShadowRow {
  version: number
  reason: string
  verdicts: number
  firstAt: number
  lastAt: number
}

export function controlView(row: ControlRow): SpendingControl {
  return {
    id: row.id,
    object: 'spending_control',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    scope: row.scope,
    subject_id: row.subjectId,
    state: row.state,
    version: row.version,
    updated: unixSeconds(row.updatedAt),
    updated_by: row.updatedBy,
    external_id: row.externalId,
    metadata: row.metadata,
    ...row.terms,
  }
}

export function versionView(row: VersionRow): SpendingControlVersion {
  return {
    object: 'spending_control_version',
    spending_control_id: row.controlId,
    version: row.version,
    state: row.state,
    created: unixSeconds(row.createdAt),
    created_by: row.createdBy,
    ...row.terms,
  }
}

/** The rows of one control, in the order of their versions. */
export function shadowView(controlId: string, rows: readonly ShadowRow[]): SpendingControlShadow {
  const numbers = [...new Set(rows.map((row) => row.version))]
  return {
    object: 'spending_control_shadow',
    spending_control_id: controlId,
    ...verdictsOf(rows),
    versions: numbers.map((version) => {
      const own = rows.filter((row) => row.version === version)
      return {
        version,
        ...verdictsOf(own),
        decline_reasons: own
          .filter((row) => row.reason !== '')
          .map((row) => ({ decline_reason: row.reason as DeclineReason, count: row.verdicts })),
        first: unixSeconds(Math.min(...own.map((row) => row.firstAt))),
        last: unixSeconds(Math.max(...own.map((row) => row.lastAt))),
      }
    }),
  }
}

function verdictsOf(rows: readonly ShadowRow[]): { would_approve: number; would_decline: number } {
  let [would_approve, would_decline] = [0, 0]
  for (const { reason, verdicts } of rows) {
    if (reason === '') would_approve += verdicts
    else would_decline += verdicts
  }
  return { would_approve, would_decline }
}
