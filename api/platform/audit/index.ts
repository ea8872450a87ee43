// Entry point of the audit log.
export { auditLogRoutes } from './routes.ts'
export { listLogs } from './store.ts'
export { verifyLog } from './verify.ts'
