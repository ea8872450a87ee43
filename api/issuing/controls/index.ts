// Entry point of spending controls.
export { lockControl } from './change.ts'
export { compileControl } from './compile.ts'
export { writeOwnLimits } from './own-limits.ts'
export { readControl } from './read.ts'
export { spendingControlRoutes } from './routes.ts'
export { createControl } from './save.ts'
export { handOnControls, recordShadowVerdicts, type ShadowVerdictRow } from './store.ts'
export { newTerms } from './terms.ts'
