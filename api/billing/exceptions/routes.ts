// The endpoint of operators about differences with the payment processor.

import { unixSeconds } from '../../../shared/clock.ts'
import { BillingException } from '../../../shared/schemas/billing-exception.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { closed, operatorRoute, type Route } from '../../http/route.ts'
import { type ExceptionRow, listExceptions } from './store.ts'

function exceptionView(row: ExceptionRow): BillingException {
  return {
    id: row.id,
    object: 'billing_exception',
    created: unixSeconds(row.createdAt),
    environment: row.environment,
    tenant_id: row.tenantId,
    kind: row.kind,
    subject: row.subject,
    detail: row.detail,
  }
}

export const billingExceptionRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/billing_exceptions'],
    summary: 'Lists differences with the payment processor, newest first.',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(BillingException),
    run: async ({ sql }, { query }) => mapPage(await listExceptions(sql, query), exceptionView),
  }),
]
