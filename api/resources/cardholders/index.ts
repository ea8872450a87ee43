// The door of cardholders.
export { cardholderRoutes } from './routes.ts'
