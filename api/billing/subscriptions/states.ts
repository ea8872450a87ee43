// The legal calls by status, and their events. Spec 6.2. Other statuses follow from the passage of
// time (standing.ts) and have no event.

import type { EventType } from '../../../shared/event-catalog.ts'
import type { BillingStatus } from '../../../shared/schemas/billing-subscription.ts'

interface SubscriptionMove {
  from: readonly BillingStatus[]
  event: EventType
}

const RUNNING = ['trialing', 'active', 'past_due', 'restricted', 'suspended'] as const

export const SUBSCRIPTION_MOVES = {
  startTrial: { from: ['none', 'canceled'], event: 'billing.trial_started' },
  subscribe: {
    from: ['none', 'canceled', 'trialing', 'restricted'],
    event: 'billing.plan_changed',
  },
  change: { from: RUNNING, event: 'billing.plan_changed' },
  cancel: { from: RUNNING, event: 'billing.subscription_canceled' },
  override: { from: [...RUNNING, 'canceled'], event: 'billing.dunning_state_overridden' },
  provision: {
    from: ['none', 'canceled', ...RUNNING],
    event: 'billing.enterprise_quote_provisioned',
  },
} as const satisfies { [name: string]: SubscriptionMove }

export const PLAN_CHANGED: EventType = 'billing.plan_changed'
