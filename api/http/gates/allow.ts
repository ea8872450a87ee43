// A key may be bound to address ranges. Spec 5.1. An unknown address is outside of them; the
// address goes to the log and the tenant's audit log, never into the answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inRanges } from '../../../shared/peer-address.ts'
import { refused } from './authenticate.ts'
import type { GateParts } from './parts.ts'

export function allow(parts: GateParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, clientAddress, admittedAtMs } = request
    if (key === null || key.ranges === null) return
    if (clientAddress !== null && inRanges(key.ranges, clientAddress)) return
    request.log.warn(
      {
        request_id: request.id,
        client_address: clientAddress,
        key_id: key.principal.credential.id,
      },
      'a key was used from outside its address ranges',
    )
    const { principal } = key
    const at = admittedAtMs + principal.clockOffsetMs
    parts.lastUsed.noteStranger(principal, { requestId: request.id, address: clientAddress, at })
    // Otherwise a refused caller could hold the tenant's connections.
    reply.header('Connection', 'close')
    throw refused(parts, request, 'ip_not_allowed')
  }
}
