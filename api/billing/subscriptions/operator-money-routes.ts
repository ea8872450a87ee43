// The endpoints of operators about the money of a tenant.
import { Type } from '../../../shared/schema-builders.ts'
import { UsageAdjustment } from '../../../shared/schemas/billing-adjustment.ts'
import { Invoice } from '../../../shared/schemas/billing-invoice.ts'
import { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import { described } from '../../../shared/schemas/described.ts'
import { OPERATOR_REASON } from '../../../shared/schemas/tenant.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { METERS } from '../catalogue/index.ts'
import type { ProcessorPort } from '../processor/index.ts'
import { adjustUsage, giveCredit } from './operator-money.ts'
import { voidInvoice } from './void-invoice.ts'

const TENANT = '/operator/v1/tenants/:id'
const EnvironmentField = Type.Enum(['sandbox', 'live'])
const UNITS_MAX = Number.MAX_SAFE_INTEGER
const CENTS_MAX = 100_000_000

function requireChange({ quantity }: { quantity: number }): void {
  if (quantity === 0)
    throw new Refusal('parameter_invalid', {
      param: 'quantity',
      message: 'A correction of 0 units corrects nothing.',
    })
}

export const operatorMoneyRoutes: readonly Route<ProcessorPort>[] = [
  operatorRoute({
    method: 'POST',
    paths: [TENANT + '/usage_adjustments'],
    summary: 'Corrects the counted usage of a month; the next invoice bills the difference.',
    params: IdParams,
    status: 201,
    body: closed({
      environment: EnvironmentField,
      month: described(
        Type.Integer({ minimum: 0, maximum: 10_000 }),
        'Number of the month within the subscription.',
      ),
      meter: described(Type.Enum([...METERS]), 'The counted thing.'),
      quantity: described(
        Type.Integer({ minimum: -UNITS_MAX, maximum: UNITS_MAX }),
        'Units to add, or to take away where negative.',
      ),
      reason: OPERATOR_REASON,
    }),
    check: requireChange,
    answer: UsageAdjustment,
    run: (context, { params, body: { environment, ...input } }) =>
      adjustUsage(context, { tenantId: params.id, environment }, input),
  }),
  operatorRoute({
    method: 'POST',
    paths: [TENANT + '/billing_credits'],
    summary: 'Gives credit, which later invoices use up.',
    params: IdParams,
    status: 201,
    body: closed({
      environment: EnvironmentField,
      amount_cents: described(
        Type.Integer({ minimum: 1, maximum: CENTS_MAX }),
        'Cents in the currency of the subscription.',
      ),
      reason: OPERATOR_REASON,
    }),
    answer: Subscription,
    run: (context, { params, body }) =>
      giveCredit(
        context,
        { tenantId: params.id, environment: body.environment },
        { amountCents: body.amount_cents, reason: body.reason },
      ),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/invoices/:id/void'],
    summary: 'Voids an open invoice that the processor does not have, or one that was given up.',
    params: IdParams,
    answer: Invoice,
    run: (context, { params }, port: ProcessorPort) => voidInvoice(context, params.id, port),
  }),
]
