// The door of the account.
export { accountRoutes } from './routes.ts'
