// Entry point of subscriptions.
import { operatorMoneyRoutes } from './operator-money-routes.ts'
import { billingOperatorRoutes } from './operator-routes.ts'
import { subscriptionRoutes as tenantRoutes } from './routes.ts'

export { rollNext } from './apply-roll.ts'
export { entitlementsJob, renewEntitlements } from './entitlements.ts'
export { newPricesJob } from './new-prices.ts'
export { renewOverdue } from './overdue.ts'
export { lockAnySubscription, saveSubscription } from './store.ts'
export type { SubscriptionRow } from './view.ts'

export const subscriptionRoutes = [
  ...tenantRoutes,
  ...billingOperatorRoutes,
  ...operatorMoneyRoutes,
]
