// Entry point of card tokens.
export { purgeCardTokens } from './purge.ts'
export { cardTokenRoutes } from './routes.ts'
export { spendCardToken } from './spend.ts'
