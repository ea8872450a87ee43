// A key may be bound to address ranges. Spec 5.1. Whose address cannot be told is outside of them; which address it was stands
// in the log and in the tenant's audit log, never in the answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inRanges } from '../../shared/peer-address.ts'
import { refused } from './authenticate.ts'
import type { GateParts } from './parts.ts'

export function allow(parts: GateParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, clientAddress, admittedAtMs } = request
    if (key === null || key.ranges === null) return
    if (clientAddress !== null && inRanges(key.ranges, clientAddress)) return
    request.log.warn(
      { request_id: request.id, client_address: clientAddress, key_id: key.principal.keyId },
      'a key was used from outside its address ranges',
    )
    const { principal } = key
    const at = admittedAtMs + principal.clockOffsetMs
    parts.traces.noteStranger(principal, { requestId: request.id, address: clientAddress, at })
    // Else whoever may not come in could hold the tenant's connections.
    reply.header('Connection', 'close')
    throw refused(parts, request, 'ip_not_allowed')
  }
}
