// Only this module makes rows of payment methods public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { PaymentMethod } from '../../../shared/schemas/billing-payment-method.ts'
import type { Owner } from '../../context.ts'

export interface MethodRow extends Owner {
  id: string
  processorId: string
  status: 'attached' | 'detached'
  isDefault: boolean
  brand: string
  last4: string
  expMonth: number
  expYear: number
  /** Tenant time. */
  createdAt: EpochMs
}

export function methodView(row: MethodRow): PaymentMethod {
  return {
    id: row.id,
    object: 'payment_method',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: row.status,
    default: row.isDefault,
    brand: row.brand,
    last4: row.last4,
    exp_month: row.expMonth,
    exp_year: row.expYear,
  }
}
