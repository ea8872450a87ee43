// Entry point of card tokens.
export { cardTokenRoutes } from './routes.ts'
export { spendCardToken } from './spend.ts'
