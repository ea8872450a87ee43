// The legal moves of a tenant: of its KYB status, and of its tenant status. Operators make them.
import type { KybStatus, TenantStatus } from '../../../shared/schemas/tenant.ts'
import type { Move } from '../../write/move.ts'

// The specification lists no event for either; program.activated tells that KYB is completed (Spec
// 6.2).
/** Chosen: an approval is not taken back; a tenant that should not have it is suspended. */
export const KYB_MOVES = {
  submit: { from: ['pending', 'rejected'], to: 'submitted', event: null },
  approve: { from: ['pending', 'submitted', 'rejected'], to: 'approved', event: null },
  reject: { from: ['pending', 'submitted'], to: 'rejected', event: null },
} as const satisfies Record<string, Move<KybStatus>>

export const TENANT_MOVES = {
  suspend: { from: ['active'], to: 'suspended', event: null },
  resume: { from: ['suspended'], to: 'active', event: null },
} as const satisfies Record<string, Move<TenantStatus>>
