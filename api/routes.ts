// Every route of the API: the tables of the rooms, in corridor order.
import { cardholderRoutes } from './resources/cardholders/index.ts'
import { cardRoutes } from './resources/cards/index.ts'
import { eventRoutes } from './resources/events/index.ts'
import { transactionRoutes } from './resources/transactions/index.ts'
import { endpointRoutes } from './resources/webhook-endpoints/index.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...eventRoutes,
  ...endpointRoutes,
  ...cardholderRoutes,
  ...cardRoutes,
  ...transactionRoutes,
]
