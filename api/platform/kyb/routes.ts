// The endpoints of going live: the tenant applies, operators read the application and decide.
import { KYB_INPUT, KybApplication, WaitingKybApplication } from '../../../shared/schemas/kyb.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import { findApplication, listWaiting } from './store.ts'
import { requireKnownCodes, submitKyb } from './submit.ts'
import { kybView, waitingView } from './view.ts'

export const kybRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/account/kyb'],
    summary: 'Shows the tenant’s newest application for live.',
    scope: 'admin',
    answer: KybApplication,
    absent: true,
    run: ({ sql, principal }) => readApplication(sql, principal.tenantId),
  }),
  route({
    method: 'POST',
    paths: ['/v1/account/kyb'],
    summary: 'Applies for live: an operator verifies the business and decides.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Apply for live with the details of the business.',
    status: 201,
    body: closed({ ...KYB_INPUT }),
    check: requireKnownCodes,
    answer: KybApplication,
    run: (context, { body }) => submitKyb(context, body),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/kyb_applications'],
    summary: 'Lists applications for live that wait for a decision, newest first.',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(WaitingKybApplication),
    run: async ({ sql }, { query }) => mapPage(await listWaiting(sql, query), waitingView),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/tenants/:id/kyb'],
    summary: 'Returns the newest application of a tenant for live.',
    params: IdParams,
    answer: KybApplication,
    run: ({ sql }, { params }) => readApplication(sql, params.id),
  }),
]

/** Refuses with 404 where there is no application. */
async function readApplication(sql: SqlTag, tenantId: string): Promise<KybApplication> {
  const row = await findApplication(sql, tenantId)
  if (row === null) throw new Refusal('resource_missing')
  return kybView(row)
}
