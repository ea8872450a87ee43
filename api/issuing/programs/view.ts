// Only this module makes a program's row public.

import type { AuthorizationKind } from '../../../shared/authorization-kind.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import type { Program, ProgramState, SuspendedBy } from '../../../shared/schemas/program.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type {
  Environment,
  ProgramConfig,
  ProgramStatus,
} from '../../../shared/wire/config-records.ts'

/** Settings that a caller may change. */
export interface ProgramSettings {
  realtime: boolean
  standIn: ProgramConfig['stand_in']
  standInPolicy: ProgramConfig['stand_in_policy']
  fraudRules: ProgramConfig['fraud_rules']
  holdExpiry: ProgramConfig['hold_expiry']
  holdAdjustments: ProgramConfig['hold_adjustments']
  fxMarginBps: number
  billingToleranceBps: number
  billingMismatchAction: ProgramConfig['billing_mismatch_action']
  creditLimit: ProgramConfig['credit_limit']
  timeZone: string
}

export interface ProgramRow extends ProgramSettings {
  id: string
  tenantId: string
  environment: Environment
  externalId: string | null
  metadata: Metadata
  name: string
  status: ProgramStatus
  /** Null for a program that is not suspended, and for suspensions older than this column. */
  suspendedBy: SuspendedBy | null
  suspendReason: string | null
  /** Set while the program is rejected. */
  rejectReason: string | null
  /** True while the tenant's suspension suspends the program. */
  suspendedWithTenant: boolean
  /** Currency of cards that name none. */
  currency: string | null
  endpointId: string | null
  createdAt: number
}

/**
 * Returns the program's state for the engine. The engine treats a rejected program as a waiting
 * one.
 */
export function stateOf(row: ProgramRow): ProgramState {
  return row.rejectReason === null ? row.status : 'rejected'
}

export function programView(row: ProgramRow): Program {
  return {
    id: row.id,
    object: 'program',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    external_id: row.externalId,
    metadata: row.metadata,
    name: row.name,
    status: stateOf(row),
    suspended_by: row.suspendedBy,
    suspend_reason: row.suspendReason,
    reject_reason: row.rejectReason,
    currency: row.currency,
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
    billing_tolerance_bps: row.billingToleranceBps,
    billing_mismatch_action: row.billingMismatchAction,
    credit_limit: { ...row.creditLimit },
    time_zone: row.timeZone,
  }
}

/** The policy omits its action, because the program's `stand_in` already shows it. */
function policyView(policy: NonNullable<ProgramSettings['standInPolicy']>) {
  const { action: _action, excluded_kinds, ...caps } = policy
  return { ...caps, excluded_kinds: excluded_kinds as AuthorizationKind[] }
}
