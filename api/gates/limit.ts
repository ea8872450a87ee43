// Every call takes a token from its bucket. Spec 8. What is refused behind this gate has taken one as well.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../shared/assert.ts'
import { tooMany } from '../rate/answer.ts'
import type { Payer } from '../rate/limits.ts'
import type { Verdict } from '../rate/token-bucket.ts'
import type { Bucket } from '../route.ts'
import type { GateParts } from './parts.ts'

/** Chosen: an operator sets up many tenants, and has ten times the limits of one. */
const OPERATOR_FACTOR = 10

export function limit(parts: GateParts) {
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const { route } = request.routeOptions.config
    if (route === undefined) return
    const payer = payerOf(request)
    limitVisitor(parts, request, payer)
    // Spec 8: every GET is a read, a count too. The bucket that is named last is the one the answer tells of.
    if (route.bucket === 'count') await spend(parts, request, payer, 'read')
    await spend(parts, request, payer, route.bucket)
    leaveTraces(parts, request)
  }
}

function payerOf({ operatorId, key, admittedAtMs }: FastifyRequest): Payer {
  if (operatorId !== null)
    return { tenantId: operatorId, environment: 'live', factor: OPERATOR_FACTOR }
  assert(key !== null, 'authenticate comes before limit')
  const { tenantId, environment } = key.principal
  return { tenantId, environment, factor: admittedAtMs < key.factorUntil ? key.factor : 1 }
}

async function spend(
  { limits }: GateParts,
  request: FastifyRequest,
  payer: Payer,
  bucket: Bucket,
): Promise<void> {
  const taken = limits.take(payer, bucket)
  if (taken instanceof Promise) request.standing = limits.standing(payer, bucket)
  pass(request, taken instanceof Promise ? await taken : taken, 'tenant_limit')
}

/** Publishable keys are in everybody's hands: one address gets a part of what their tenant has. */
function limitVisitor({ limits }: GateParts, request: FastifyRequest, payer: Payer): void {
  const { principal, clientAddress } = request
  const { route } = request.routeOptions.config
  if (principal?.role !== 'publishable' || route === undefined) return
  pass(request, limits.takeVisitor(payer, route.bucket, clientAddress), 'address_limit')
}

function pass(
  request: FastifyRequest,
  { waitMs, standing }: Verdict,
  code: 'tenant_limit' | 'address_limit',
): void {
  request.standing = standing
  if (waitMs > 0) throw tooMany(code, waitMs)
}

function leaveTraces({ traces }: GateParts, request: FastifyRequest): void {
  const { principal, clientAddress: address, admittedAtMs, headers } = request
  if (principal === null) return
  const at = admittedAtMs + principal.clockOffsetMs
  traces.noteUse(principal, at, address)
  if (headers.origin !== undefined && principal.role === 'secret')
    traces.noteBrowserUse(principal, headers.origin, { requestId: request.id, address, at })
}
