// A request of a signed-in person.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession, type KnownSession } from '../sessions/index.ts'
import type { PageServices } from './ports.ts'

export interface SignedCall {
  services: PageServices
  request: FastifyRequest
  reply: FastifyReply
  session: KnownSession
}

/** The process knows its own change before it hears of it. */
export function forgetPerson(
  { credentials }: Pick<PageServices, 'credentials'>,
  { identity }: KnownSession,
): void {
  credentials.forget('identity:' + identity.id)
}

/** Runs a handler for a signed-in person; anyone else goes to the sign-in page and comes back. */
export function signedIn(services: PageServices, run: (call: SignedCall) => Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await findSession(services, request)
    if (session !== null) return run({ services, request, reply, session })
    const back = request.method === 'GET' ? '?next=' + encodeURIComponent(request.url) : ''
    return reply.redirect('/sign-in' + back, 303)
  }
}
