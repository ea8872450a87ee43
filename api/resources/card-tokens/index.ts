// The door of card tokens.
export { forgetCardTokens } from './forget.ts'
export { cardTokenRoutes } from './routes.ts'
export { spendCardToken } from './spend.ts'
