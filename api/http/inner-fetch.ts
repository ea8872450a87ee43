// A fetch that makes calls of this server inside the process, each with a one-time ticket.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GateParts } from './gates/parts.ts'
import type { Ticket } from './tickets.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Only the path of an address counts. The answers are read whole. */
export function innerFetch(
  server: FastifyInstance,
  { tickets }: GateParts,
  { request, ticket }: { request: FastifyRequest; ticket: Ticket },
): typeof fetch {
  const { clientAddress } = request
  return async (address, init = {}) => {
    const { pathname, search } = new URL(String(address))
    const authorization = tickets.issue(ticket)
    const headers = { ...(init.headers as { [name: string]: string }), authorization }
    const payload = typeof init.body === 'string' ? { payload: init.body } : {}
    try {
      const answer = await server.inject({
        ...{ method: (init.method ?? 'GET') as Method, url: pathname + search, headers },
        // A call without a credential has no other address.
        ...(clientAddress === null ? {} : { remoteAddress: clientAddress }),
        ...payload,
      })
      const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      const bytes = new Uint8Array(answer.rawPayload)
      return new Response(answer.statusCode === 204 ? null : bytes, {
        status: answer.statusCode,
        headers: Object.fromEntries(told),
      })
    } finally {
      // A call that a gate before the credential refused has left its ticket.
      tickets.take(authorization)
    }
  }
}
