// Notes a refused call of a known tenant, without anything the caller sent but its route.
import type { FastifyRequest } from 'fastify'
import type { GateParts } from './gates/parts.ts'

/** `status`, `code` and `param` are those of the answer. */
export function noteRefusal(
  { refusedCalls }: GateParts,
  request: FastifyRequest,
  answer: { status: number; code: string; param: string | null },
): void {
  const { principal, clientAddress: address, admittedAtMs } = request
  const { route } = request.routeOptions.config
  if (principal === null || route === undefined) return
  const { tenantId, environment, credential, clockOffsetMs } = principal
  refusedCalls.note({
    ...{ tenantId, environment, address, ...answer },
    createdAt: admittedAtMs + clockOffsetMs,
    requestId: request.id,
    method: route.method,
    path: route.paths[0] ?? '',
    credentialKind: credential.kind,
    credentialId: credential.id,
  })
}
