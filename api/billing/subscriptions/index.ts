// Entry point of subscriptions.
import { billingOperatorRoutes } from './operator-routes.ts'
import { subscriptionRoutes as tenantRoutes } from './routes.ts'

export const subscriptionRoutes = [...tenantRoutes, ...billingOperatorRoutes]
