// Every route of the API: the tables of the rooms, in corridor order.
import { cardholderRoutes } from './resources/cardholders/routes.ts'
import { cardRoutes } from './resources/cards/routes.ts'
import { eventRoutes } from './resources/events/routes.ts'
import { transactionRoutes } from './resources/transactions/routes.ts'
import { endpointRoutes } from './resources/webhook-endpoints/routes.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...eventRoutes,
  ...endpointRoutes,
  ...cardholderRoutes,
  ...cardRoutes,
  ...transactionRoutes,
]
