// The endpoints of the audit log. None of them writes: rows come with the changes they describe.
import { Type } from '../../../shared/schema-builders.ts'
import { AuditLogEntry, AuditVerification } from '../../../shared/schemas/audit-log-entry.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, operatorRoute, type Route, route } from '../../http/route.ts'
import { INSTALLATION_LOG } from '../../write/audit.ts'
import { readAuditLog, verifyAuditLog } from './read.ts'

/** The action as rows store it, for example `POST /v1/cards/:id/suspend`. */
const ActionFilter = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\u0020-\\u007e]*$' }),
)

const LIST = {
  method: 'GET',
  query: closed({
    ...PAGE_QUERY,
    ...CREATED_FILTERS,
    action: ActionFilter,
    actor: IdFilter,
    resource_id: IdFilter,
  }),
  answer: PageOf(AuditLogEntry),
} as const

/** The call reads and hashes thousands of rows: it uses the bucket of expensive calls. */
const VERIFY = {
  method: 'GET',
  bucket: 'count',
  query: closed({
    from: described(
      Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      'The number of the row to begin with, from 1.',
    ),
  }),
  answer: AuditVerification,
} as const

export const auditLogRoutes: readonly Route[] = [
  route({
    ...LIST,
    paths: ['/v1/audit_log'],
    summary: 'Lists what was changed, by whom and from where.',
    scope: 'admin',
    run: ({ sql, principal }, { query }) => readAuditLog(sql, principal, query),
  }),
  route({
    ...VERIFY,
    paths: ['/v1/audit_log/verify'],
    summary: 'Checks that no row of the audit log was changed, removed or moved.',
    scope: 'admin',
    run: ({ sql, principal }, { query }) => verifyAuditLog(sql, principal, query),
  }),
  operatorRoute({
    ...LIST,
    paths: ['/operator/v1/audit_log'],
    summary: 'Lists what operators did.',
    run: ({ sql }, { query }) => readAuditLog(sql, INSTALLATION_LOG, query),
  }),
  operatorRoute({
    ...VERIFY,
    paths: ['/operator/v1/audit_log/verify'],
    summary: 'Checks that no row of the operators’ audit log was changed, removed or moved.',
    run: ({ sql }, { query }) => verifyAuditLog(sql, INSTALLATION_LOG, query),
  }),
]
