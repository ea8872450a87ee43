// The door of cards.
export { cardRoutes } from './routes.ts'
export { type FraudSuspension, suspendForFraud } from './suspend-for-fraud.ts'
