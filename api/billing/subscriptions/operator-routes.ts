// The endpoints of operators about the billing of a tenant.
import { Type } from '../../../shared/schema-builders.ts'
import {
  OVERRIDE_STATES,
  Subscription,
  TenantBilling,
} from '../../../shared/schemas/billing-subscription.ts'
import { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import { described } from '../../../shared/schemas/described.ts'
import { OPERATOR_REASON } from '../../../shared/schemas/tenant.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import type { BillingPort } from '../require-billing.ts'
import { overrideDunning } from './override.ts'
import { type Agreement, provisionEnterprise } from './provision.ts'
import { readTenantBilling } from './read.ts'

const TENANT = '/operator/v1/tenants/:id'
const EnvironmentField = Type.Enum(['sandbox', 'live'])
const ByEnvironment = closed({ ...IdParams.properties, environment: EnvironmentField })
const Id = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })

function ownerOf({ id, environment }: { id: string; environment: Environment }): Owner {
  return { tenantId: id, environment }
}

interface EnterpriseBody {
  quote_id?: string
  contract?: string
  terms?: AgreedTerms
}

/** Refuses with 400 a body that names neither a quote nor a contract with its terms, or both. */
function agreementOf({ quote_id: quoteId, contract, terms }: EnterpriseBody): Agreement {
  if (quoteId !== undefined && contract === undefined && terms === undefined) return { quoteId }
  if (quoteId === undefined && contract !== undefined && terms !== undefined)
    return { contract, terms }
  throw new Refusal('parameters_exclusive', {
    param: 'quote_id',
    message: 'Name an accepted quote, or a contract and its terms.',
  })
}

export const billingOperatorRoutes: readonly Route<BillingPort>[] = [
  operatorRoute({
    method: 'GET',
    paths: [TENANT + '/billing/:environment'],
    summary: 'Shows the subscription and the entitlements of a tenant.',
    params: ByEnvironment,
    answer: TenantBilling,
    run: (context, { params }, port: BillingPort) =>
      readTenantBilling(context, ownerOf(params), port),
  }),
  operatorRoute({
    method: 'PUT',
    paths: [TENANT + '/dunning_override/:environment'],
    summary: 'Sets the state of a subscription until a moment, whatever dunning computes.',
    params: ByEnvironment,
    body: closed({
      state: described(
        Type.Enum([...OVERRIDE_STATES]),
        'The state that replaces the computed status.',
      ),
      reason: OPERATOR_REASON,
      expires_at: described(
        Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 }),
        'When the override ends, Unix seconds by the tenant’s clock, at most 90 days ahead.',
      ),
    }),
    answer: Subscription,
    run: (context, { params, body: { state, reason, expires_at } }) =>
      overrideDunning(context, ownerOf(params), { state, reason, expiresAt: expires_at * 1000 }),
  }),
  operatorRoute({
    method: 'DELETE',
    paths: [TENANT + '/dunning_override/:environment'],
    summary: 'Lifts the override: the computed status holds again.',
    params: ByEnvironment,
    answer: Subscription,
    run: (context, { params }) => overrideDunning(context, ownerOf(params), null),
  }),
  operatorRoute({
    method: 'POST',
    paths: [TENANT + '/enterprise_plan'],
    summary: 'Puts an enterprise plan into force: an accepted quote, or the terms of a contract.',
    params: IdParams,
    body: closed({
      environment: EnvironmentField,
      quote_id: described(Type.Optional(Id), 'An accepted quote of the tenant.'),
      contract: described(
        Type.Optional(Type.String({ pattern: '^[0-9A-Za-z][0-9A-Za-z _./-]{0,63}$' })),
        'The name of a contract, with terms.',
      ),
      terms: described(Type.Optional(AgreedTerms), 'The terms of the contract.'),
    }),
    check: (body) => void agreementOf(body),
    answer: Subscription,
    run: (context, { params, body }, port: BillingPort) => {
      const owner = { tenantId: params.id, environment: body.environment }
      return provisionEnterprise(context, { owner, agreement: agreementOf(body) }, port)
    },
  }),
]
