// Only this module makes rows of portal sessions public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { PortalSession } from '../../../shared/schemas/billing-payment-method.ts'
import type { Owner } from '../../context.ts'

export interface PortalSessionRow extends Owner {
  id: string
  returnUrl: string
  /** Tenant time. */
  createdAt: EpochMs
}

/** Without the address, which the answer of the call alone shows. */
export function portalSessionView(row: PortalSessionRow): PortalSession {
  return {
    id: row.id,
    object: 'portal_session',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    return_url: row.returnUrl,
  }
}
