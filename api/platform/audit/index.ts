// Entry point of the audit log.
export { compareAnchors, isCutLine } from './anchor-line.ts'
export { type AnchorTarget, anchorJob } from './anchors.ts'
export { auditLogRoutes } from './routes.ts'
export { AUDIT_SPANS, listLogs } from './store.ts'
export { verifyLog } from './verify.ts'
