// Entry point of spending controls.
export { writeOwnLimits } from './own-limits.ts'
export { handOnControls } from './replacement.ts'
export { spendingControlRoutes } from './routes.ts'
export { createControl } from './save.ts'
export { recordShadowVerdicts, type ShadowVerdictRow } from './store.ts'
export { newTerms, OPEN_TERMS } from './terms.ts'
