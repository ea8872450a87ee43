// Every call takes a token from its bucket. Spec 8. A call refused after this gate has taken one as
// well.
import type { FastifyRequest } from 'fastify'
import { assert } from '../../../shared/assert.ts'
import { tooMany } from '../rate/answer.ts'
import type { Payer } from '../rate/limits.ts'
import type { Verdict } from '../rate/token-bucket.ts'
import type { Bucket } from '../route.ts'
import type { GateParts } from './parts.ts'

/** Chosen: an operator sets up many tenants, and has ten times the limits of one. */
const OPERATOR_FACTOR = 10

export function limit(parts: GateParts) {
  return (request: FastifyRequest): Promise<void> | undefined => {
    const { route } = request.routeOptions.config
    if (route === undefined) return undefined
    const payer = payerOf(request)
    if (route.method === 'GET' && request.principal?.credential.kind === 'person')
      return pass(request, parts.limits.takePerson(request.principal), 'tenant_limit')
    limitVisitor(parts, request, payer)
    if (route.bucket === 'count') return count(parts, request, payer)
    const taken = spend(parts, request, payer, route.bucket)
    if (taken !== undefined) return taken.then(() => leaveTraces(parts, request))
    return leaveTraces(parts, request)
  }
}

/** Spec 8: every GET is a read, a count too. The answer reports the bucket that is named last. */
async function count(parts: GateParts, request: FastifyRequest, payer: Payer): Promise<void> {
  await spend(parts, request, payer, 'read')
  await spend(parts, request, payer, 'count')
  leaveTraces(parts, request)
}

/** Returns the owner of the bucket that a call takes from. */
export function payerOf({ operatorId, principal, key, admittedAtMs }: FastifyRequest): Payer {
  if (operatorId !== null)
    return { tenantId: operatorId, environment: 'live', factor: OPERATOR_FACTOR }
  assert(principal !== null, 'authenticate comes before limit')
  const { tenantId, environment } = principal
  const isLifted = key !== null && admittedAtMs < key.factorUntil
  const planned = key?.entitled?.rateFactor ?? 1
  return { tenantId, environment, factor: planned * (isLifted ? key.factor : 1) }
}

/** Synchronous while this process holds a token. */
function spend(
  { limits }: GateParts,
  request: FastifyRequest,
  payer: Payer,
  bucket: Bucket,
): Promise<void> | undefined {
  const taken = limits.take(payer, bucket)
  if (!(taken instanceof Promise)) return pass(request, taken, 'tenant_limit')
  request.rateLimitStatus = limits.rateLimitStatus(payer, bucket)
  return taken.then((verdict) => pass(request, verdict, 'tenant_limit'))
}

/** Publishable keys are public: one address gets a part of the tenant's limit. */
function limitVisitor({ limits }: GateParts, request: FastifyRequest, payer: Payer): void {
  const { principal, clientAddress } = request
  const { route } = request.routeOptions.config
  if (principal?.publishable !== true || route === undefined) return
  pass(request, limits.takeVisitor(payer, route.bucket, clientAddress), 'address_limit')
}

function pass(
  request: FastifyRequest,
  { waitMs, rateLimitStatus }: Verdict,
  code: 'tenant_limit' | 'address_limit',
): undefined {
  request.rateLimitStatus = rateLimitStatus
  if (waitMs > 0) throw tooMany(code, waitMs)
}

function leaveTraces({ lastUsed }: GateParts, request: FastifyRequest): undefined {
  const { principal, clientAddress: address, admittedAtMs, headers } = request
  if (principal === null) return undefined
  const at = admittedAtMs + principal.clockOffsetMs
  if (principal.credential.kind !== 'api_key') return undefined
  lastUsed.noteUse(principal, at, address)
  if (headers.origin !== undefined && !principal.publishable)
    lastUsed.noteBrowserUse(principal, headers.origin, { requestId: request.id, address, at })
}
