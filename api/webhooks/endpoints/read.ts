// All reads of webhook endpoints.
import type { Certification } from '../../../shared/schemas/certification.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { BreakerReport } from '../../../shared/wire/control.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findCertification, listCertifications } from './certification/store.ts'
import { certificationView } from './certification/view.ts'
import { type EndpointFilters, findEndpoint, listEndpoints } from './store.ts'
import { type Breaker, breakerView, endpointView } from './view.ts'

export interface BreakerPort {
  /** The circuit breaker of an endpoint; null when the engine does not answer at once. */
  breakerReport: (endpointId: string) => Promise<BreakerReport | null>
}

export async function readEndpoint(
  context: Context,
  id: string,
  port: BreakerPort,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(context.sql, context.principal, id)
  if (endpoint === null) throw new Refusal('resource_missing')
  return endpointView(endpoint, endpoint.isRealtime ? await breakerOf(context, id, port) : null)
}

export async function readEndpoints(
  context: Context,
  query: PageQuery & EndpointFilters,
  port: BreakerPort,
): Promise<Page<WebhookEndpoint>> {
  const rows = await listEndpoints(context.sql, context.principal, query)
  // At most one of the endpoints is the real-time endpoint.
  const asked = rows.rows.find(({ isRealtime }) => isRealtime)
  const breaker = asked === undefined ? null : await breakerOf(context, asked.id, port)
  return mapPage(rows, (row) => endpointView(row, breaker))
}

export async function readCertification(
  { sql, principal }: Context,
  which: { endpointId: string; id: string },
): Promise<Certification> {
  const certification = await findCertification(sql, principal, which)
  if (certification === null) throw new Refusal('resource_missing')
  return certificationView(certification)
}

export async function readCertifications(
  { sql, principal }: Context,
  query: PageQuery & { endpointId: string },
): Promise<Page<Certification>> {
  if ((await findEndpoint(sql, principal, query.endpointId)) === null)
    throw new Refusal('resource_missing')
  return mapPage(await listCertifications(sql, principal, query), certificationView)
}

/**
 * Returns the engine's breaker of a present or future real-time endpoint; null if the engine does
 * not answer.
 */
export async function breakerOf(
  { now }: Context,
  id: string,
  { breakerReport }: BreakerPort,
): Promise<Breaker | null> {
  const report = await breakerReport(id)
  return report === null ? null : breakerView(report, now)
}
