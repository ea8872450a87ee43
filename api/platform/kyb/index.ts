// Entry point of going live: applications of tenants, and their effects.
export { applyKybDecision } from './decide.ts'
export { kybRoutes } from './routes.ts'
