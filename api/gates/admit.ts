// The first gate: every request gets an id and a moment, and every answer carries them, refusals included.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { Refusal } from '../refuse.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request was admitted; every time rule of this request uses it. */
    admittedAtMs: EpochMs
  }
}

export function admit(clock: Clock) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.admittedAtMs = clock.nowMs()
    announce(request, reply)
    // RFC 9112 3.2: only HTTP/1.0 may leave it out.
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0')
      throw new Refusal('malformed_request')
  }
}

/** `Request-Id` is ours and never the caller's word. `Svc-Version` becomes the tenant's once that is known. */
export function announce(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('Request-Id', request.id)
  reply.header('Svc-Version', API_VERSION)
}
