// Entry point of the account.
export { accountRoutes } from './routes.ts'
