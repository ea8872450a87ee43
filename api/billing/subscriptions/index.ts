// Entry point of subscriptions.
import { operatorMoneyRoutes } from './operator-money-routes.ts'
import { billingOperatorRoutes } from './operator-routes.ts'
import { subscriptionRoutes as tenantRoutes } from './routes.ts'

export { rollNext } from './apply-roll.ts'
export { entitlementsJob, renewEntitlements } from './entitlements.ts'
export { payUp } from './pay-up.ts'
export { lockAnySubscription, saveSubscription } from './store.ts'

export const subscriptionRoutes = [
  ...tenantRoutes,
  ...billingOperatorRoutes,
  ...operatorMoneyRoutes,
]
