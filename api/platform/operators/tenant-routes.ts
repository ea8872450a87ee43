// Endpoints of operators about tenants.
import { Type } from '../../../shared/schema-builders.ts'
import { CreatedApiKey } from '../../../shared/schemas/api-key.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  ISSUED_KEY_INPUT,
  KYB_STATUSES,
  NEW_TENANT_INPUT,
  OPERATOR_REASON,
  RATE_LIMIT_INPUT,
  SUSPENSION_INPUT,
  Tenant,
} from '../../../shared/schemas/tenant.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { createTenant } from './create-tenant.ts'
import { decideKyb } from './decide-kyb.ts'
import { grantPayments, grantRealtime, liftRateLimits, restoreRateLimits } from './grant.ts'
import { type InstallationPort, issueKey } from './issue-key.ts'
import { readTenant, readTenants } from './read.ts'
import { resumeTenant, suspendTenant } from './suspend-tenant.ts'

const PATH = '/operator/v1/tenants'

export const tenantRoutes: readonly Route<InstallationPort>[] = [
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists tenants, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      kyb_status: Type.Optional(Type.Enum([...KYB_STATUSES])),
      status: Type.Optional(Type.Enum(['active', 'suspended'])),
    }),
    answer: PageOf(Tenant),
    run: (context, { query }) => readTenants(context, query),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH],
    summary: 'Makes a tenant; its sandbox is open at once.',
    status: 201,
    body: closed({ ...NEW_TENANT_INPUT }),
    answer: Tenant,
    run: (context, { body }) => createTenant(context, body),
  }),
  operatorRoute({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Returns one tenant.',
    params: IdParams,
    answer: Tenant,
    run: (context, { params }) => readTenant(context, params.id),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/kyb/approve'],
    summary: 'Approves the KYB of a tenant: live opens to it.',
    params: IdParams,
    body: closed({ reason: Type.Optional(OPERATOR_REASON) }),
    answer: Tenant,
    run: (context, { params, body }) =>
      decideKyb(context, { tenantId: params.id, move: 'approve', reason: body.reason ?? null }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/kyb/reject'],
    summary: 'Rejects the KYB of a tenant, with a reason.',
    params: IdParams,
    body: closed({ reason: OPERATOR_REASON }),
    answer: Tenant,
    run: (context, { params, body }) =>
      decideKyb(context, { tenantId: params.id, move: 'reject', reason: body.reason }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/suspend'],
    summary:
      'Suspends a tenant and its programs: nothing is issued, every authorization is declined.',
    params: IdParams,
    body: closed({ ...SUSPENSION_INPUT }),
    answer: Tenant,
    run: (context, { params, body }) =>
      suspendTenant(context, {
        tenantId: params.id,
        suspendedBy: body.suspended_by,
        reason: body.reason,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/resume'],
    summary: 'Lifts the suspension of a tenant and of the programs that were suspended with it.',
    params: IdParams,
    answer: Tenant,
    run: (context, { params }) => resumeTenant(context, { tenantId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/api_keys'],
    summary:
      'Gives a tenant a secret key, shown this once. In live its KYB must be approved, and an owner must have two ways to sign in.',
    status: 201,
    secondOperator: 'Give a tenant a secret key.',
    params: IdParams,
    body: closed({ ...ISSUED_KEY_INPUT }),
    answer: CreatedApiKey,
    run: (context, { params, body }, port: InstallationPort) =>
      issueKey(
        context,
        {
          tenantId: params.id,
          environment: body.environment,
          scope: body.scope ?? 'admin',
          name: body.name ?? 'First key',
        },
        port,
      ),
  }),
  operatorRoute({
    method: 'PUT',
    paths: [PATH + '/:id/realtime'],
    summary: 'Says whether a tenant may be asked before an approval.',
    params: IdParams,
    body: closed({ entitled: Type.Boolean() }),
    answer: Tenant,
    run: (context, { params, body }) =>
      grantRealtime(context, { tenantId: params.id, entitled: body.entitled }),
  }),
  operatorRoute({
    method: 'PUT',
    paths: [PATH + '/:id/payments'],
    summary: 'Says whether a tenant may take payments in live.',
    params: IdParams,
    body: closed({ entitled: Type.Boolean() }),
    answer: Tenant,
    run: (context, { params, body }) =>
      grantPayments(context, { tenantId: params.id, entitled: body.entitled }),
  }),
  operatorRoute({
    method: 'PUT',
    paths: [PATH + '/:id/rate_limit'],
    summary: 'Raises the rate limits of a tenant’s sandbox for a while.',
    params: IdParams,
    body: closed({ ...RATE_LIMIT_INPUT }),
    answer: Tenant,
    run: (context, { params, body }) =>
      liftRateLimits(context, { tenantId: params.id, factor: body.factor, seconds: body.seconds }),
  }),
  operatorRoute({
    method: 'DELETE',
    paths: [PATH + '/:id/rate_limit'],
    summary: 'Gives a tenant’s sandbox its usual rate limits again.',
    params: IdParams,
    answer: Tenant,
    run: (context, { params }) => restoreRateLimits(context, { tenantId: params.id }),
  }),
]
