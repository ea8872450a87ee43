// Entry point of going live: applications of tenants, and their effects.
export { applyKybDecision } from './decide.ts'
export { applicationFacts } from './facts-view.ts'
export { kybRoutes } from './routes.ts'
export { findApplication } from './store.ts'
