// Entry point of the audit log.
export { compareAnchors, isCutLine } from './anchor-line.ts'
export { type AnchorTarget, anchorJob } from './anchors.ts'
export { auditLogRoutes } from './routes.ts'
export { listLogs } from './store.ts'
export { verifyLog } from './verify.ts'
