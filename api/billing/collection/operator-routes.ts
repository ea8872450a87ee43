// The endpoint of operators about the customer of a tenant at the payment processor.
import { Type } from '../../../shared/schema-builders.ts'
import { BillingCustomer } from '../../../shared/schemas/billing-customer.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import type { ProcessorPort } from '../processor/index.ts'
import { relinkCustomer } from './relink-customer.ts'

export const relinkRoutes: readonly Route<ProcessorPort>[] = [
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/tenants/:id/billing_customer'],
    summary:
      'Makes a customer anew that was deleted at the processor, and sends open invoices to it.',
    params: IdParams,
    body: closed({ environment: Type.Enum(['sandbox', 'live']) }),
    answer: BillingCustomer,
    run: (context, { params, body: { environment } }, port: ProcessorPort) =>
      relinkCustomer(context, { tenantId: params.id, environment }, port),
  }),
]
