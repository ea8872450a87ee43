// Entry point of the audit log.
export {
  type AuditEntry,
  type AuditedCall,
  appendAudit,
  auditCall,
  auditTimer,
  INSTALLATION_LOG,
} from './append.ts'
export { auditLogRoutes } from './routes.ts'
export { listLogs } from './store.ts'
export { verifyLog } from './verify.ts'
