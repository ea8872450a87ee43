// The only way a program's row becomes public.

import type { AuthorizationKind } from '../../../shared/authorization-kind.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import type { Program } from '../../../shared/schemas/program.ts'
import type { Environment, ProgramFact, ProgramStatus } from '../../../shared/wire/facts.ts'

/** What a caller may set. */
export interface ProgramSettings {
  realtime: boolean
  standIn: ProgramFact['stand_in']
  standInPolicy: ProgramFact['stand_in_policy']
  fraudRules: ProgramFact['fraud_rules']
  holdExpiry: ProgramFact['hold_expiry']
  holdAdjustments: ProgramFact['hold_adjustments']
  fxMarginBps: number
  timeZone: string
}

export interface ProgramRow extends ProgramSettings {
  id: string
  environment: Environment
  name: string
  status: ProgramStatus
  endpointId: string | null
  createdAt: number
}

export function programView(row: ProgramRow): Program {
  return {
    id: row.id,
    object: 'program',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    name: row.name,
    status: row.status,
    realtime: row.realtime,
    realtime_endpoint_id: row.endpointId,
    stand_in: row.standIn,
    stand_in_policy: row.standInPolicy === null ? null : policyView(row.standInPolicy),
    fraud_rules: [...row.fraudRules],
    hold_expiry: row.holdExpiry.map(({ mccs, ...rest }) => ({
      ...rest,
      mccs: mccs === null ? null : [...mccs],
    })),
    hold_adjustments: row.holdAdjustments.map(({ mccs, ...rest }) => ({
      ...rest,
      mccs: [...mccs],
    })),
    fx_margin_bps: row.fxMarginBps,
    time_zone: row.timeZone,
  }
}

/** The action is the program's `stand_in`; it is not shown twice. */
function policyView(policy: NonNullable<ProgramSettings['standInPolicy']>) {
  const { action: _action, excluded_kinds, ...caps } = policy
  return { ...caps, excluded_kinds: excluded_kinds as AuthorizationKind[] }
}
