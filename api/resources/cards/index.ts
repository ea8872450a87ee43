// The door of cards.
export { cardRoutes } from './routes.ts'
