// Entry point of pass templates.
export { lockDueFanout, type RunningFanout, saveFanout } from './fanout-store.ts'
export { misfitOf, renderPass } from './fits.ts'
export { passTemplateRoutes } from './routes.ts'
export { findContents, type IssuableTemplate, lockIssuable } from './store.ts'
