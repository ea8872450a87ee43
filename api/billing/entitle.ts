// The entitlements of a tenant: one pure function of its terms, its add-ons and its status.
import type { BillingStatus } from '../../shared/schemas/billing-subscription.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Entitled } from '../platform/tenants/index.ts'
import { ADDON_KEYS, type AddonKey, type Terms, TRIAL_CAPS } from './catalogue/index.ts'

export interface EntitledBy {
  environment: Environment
  /** False: the environment has no processor, and nothing is gated. */
  billed: boolean
  /** The tenant is older than billing: until it has a subscription it keeps all it had. */
  waived: boolean
  status: BillingStatus
  /** Null without a subscription. */
  terms: Terms | null
  /** Add-ons that are enabled. */
  addons: readonly AddonKey[]
  /** An operator granted real-time authorization, whatever the plan. */
  realtimeGranted: boolean
}

const PAYING: readonly BillingStatus[] = ['trialing', 'active', 'past_due']

/** Chosen: a sandbox without a subscription is open, for integrators begin without a plan. */
export function entitlementsOf(by: EntitledBy): Entitled {
  const { environment, billed, waived, status, terms, realtimeGranted } = by
  const plan = terms?.plan ?? null
  const isOpen = !billed || (status === 'none' && (environment === 'sandbox' || waived))
  if (isOpen) {
    const open = { issuing: true, authorizations: true, realtime: realtimeGranted, rateFactor: 1 }
    return { plan, status, ...open, endpointsMax: null, addons: ADDON_KEYS, caps: null }
  }
  const isPaying = PAYING.includes(status)
  return {
    plan,
    status,
    issuing: isPaying,
    authorizations: isPaying || status === 'restricted',
    realtime: isPaying && (realtimeGranted || terms?.realtime === true),
    rateFactor: isPaying ? (terms?.rateFactor ?? 1) : 1,
    endpointsMax: terms?.endpointsMax ?? null,
    addons: isPaying ? by.addons : [],
    caps: status === 'trialing' ? TRIAL_CAPS : null,
  }
}
