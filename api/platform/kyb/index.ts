// Entry point of going live: applications of tenants, and their effects.
export { applyKybDecision } from './decide.ts'
export { kybRoutes } from './routes.ts'
export { findApplication, listWaiting } from './store.ts'
export { registerKybPages } from './web/apply.ts'
export { applicationFacts } from './web/apply-view.ts'
