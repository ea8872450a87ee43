// The legal moves of a cardholder and of their verification. Spec 3 knows one: frozen pending
// review.
import type { Cardholder, Kyc } from '../../../shared/schemas/cardholder.ts'
import type { CardholderStatus } from '../../../shared/wire/config-records.ts'
import { erasedRefusal } from '../../write/erased.ts'
import type { Move } from '../../write/move.ts'

export type Freezer = NonNullable<Cardholder['frozen_by']>

/** A frozen cardholder keeps the status it had; while frozen, only that counts. */
export type CardholderState = CardholderStatus | `frozen_by_${Freezer}`

// The specification lists no event for a freeze by the tenant; cardholder.sanctions.alert announces
// the other kind.
export const CARDHOLDER_MOVES = {
  freeze: { from: ['active', 'inactive'], to: 'frozen_by_tenant', event: null },
  unfreeze: { from: ['frozen_by_tenant'], to: 'active', event: null },
  lift: { from: ['frozen_by_operator'], to: 'active', event: null },
  release: { from: ['frozen_by_sanctions'], to: 'active', event: null },
} as const satisfies Record<string, Move<CardholderState>>

export type KycStatus = Kyc['status']

/**
 * Chosen: a verification can be requested again while none is open, but not for an approved person;
 * only a new name or date of birth makes a person unknown again. Results of a provider or an
 * operator are final.
 */
export const KYC_MOVES = {
  request: { from: ['not_started', 'requires_action', 'rejected'], to: 'pending', event: null },
  // The person did what was required, and the provider looks again.
  resume: { from: ['requires_action'], to: 'pending', event: null },
  flag: {
    from: ['pending', 'requires_action'],
    to: 'requires_action',
    event: 'cardholder.kyc.requires_action',
  },
  approve: {
    from: ['pending', 'requires_action'],
    to: 'approved',
    event: 'cardholder.kyc.completed',
  },
  reject: {
    from: ['pending', 'requires_action'],
    to: 'rejected',
    event: 'cardholder.kyc.completed',
  },
  forget: {
    from: ['not_started', 'pending', 'requires_action', 'approved'],
    to: 'not_started',
    event: null,
  },
} as const satisfies Record<string, Move<KycStatus>>

export type KycMove = keyof typeof KYC_MOVES

/** Only the strongest freeze counts: a weaker party lifts nothing. */
export function stateOf(row: {
  status: CardholderStatus
  freezes: readonly { by: Freezer }[]
}): CardholderState {
  const [freeze] = row.freezes
  return freeze === undefined ? row.status : `frozen_by_${freeze.by}`
}

/** Refuses with 409 a change of somebody who is erased. */
export function requireUnerased({ erasedAt }: { erasedAt: number | null }): void {
  if (erasedAt !== null) throw erasedRefusal()
}
