// A call that makes something needs a plan that allows it, in an environment that is billed. The
// gate is the only place that asks: a route declares what it needs. A repeat under its
// Idempotency-Key is still answered.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownKey } from '../../access/credentials/load.ts'
import { type Entitled, findEntitled } from '../../platform/tenants/index.ts'
import { Refusal } from '../refusal.ts'
import type { Needed } from '../route.ts'
import type { HttpServices } from '../services.ts'
import { isRepeat } from './step-up.ts'

/** Statuses of a tenant that has not paid; answers to its own keys and people say so. */
const UNPAID: ReadonlySet<string> = new Set(['past_due', 'restricted', 'suspended'])

/**
 * Without a statement where the call is allowed: the entitlements are kept with the credential, and
 * a notice drops both. A refusal reads them first, because the plan may have changed a moment ago.
 */
export function entitle(services: HttpServices) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const { route } = request.routeOptions.config
    const { key } = request
    const entitled = key?.entitled ?? null
    if (entitled !== null && UNPAID.has(entitled.status) && !isOutsider(request))
      reply.header('Svc-Billing-Status', entitled.status)
    if (key === null || entitled === null || route === undefined || route.entitled === null)
      return undefined
    const { entitled: named } = route
    const needed = typeof named === 'function' ? named(request.body) : named
    return refusalOf(needed, entitled) === null
      ? undefined
      : refuseAsOfNow(services, request, { principal: key.principal, needed })
  }
}

/** A visitor of a web page, or a platform: what the tenant owes is not for them. */
function isOutsider({ principal }: FastifyRequest): boolean {
  return principal === null || principal.publishable || principal.credential.kind === 'oauth'
}

function refusalOf(needed: Needed, entitled: Entitled): Refusal | null {
  if (needed === 'always') return null
  if (!entitled.issuing)
    return new Refusal('billing_restricted', { extra: { billing_status: entitled.status } })
  if (needed === 'issuing') return null
  const allowed = needed === 'realtime' ? entitled.realtime : entitled.addons.includes(needed)
  return allowed ? null : new Refusal('feature_not_enabled')
}

async function refuseAsOfNow(
  services: HttpServices,
  request: FastifyRequest,
  { principal, needed }: Pick<KnownKey, 'principal'> & { needed: Needed },
): Promise<void> {
  const entitled = await findEntitled(services.sql, principal)
  const refusal = entitled === null ? null : refusalOf(needed, entitled)
  if (refusal !== null && !(await isRepeat(services, request, { ...principal, refusal })))
    throw refusal
}
