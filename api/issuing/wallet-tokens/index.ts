// Entry point of wallet tokens.
export { walletTokenRoutes } from './routes.ts'
export { deactivateTokensOfCard } from './store.ts'
