// A stream of the API for a page of the dashboard: the same route through the same gates, read
// inside this process. It ends with the session, or with the person's role.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessionAt } from '../access/sessions/index.ts'
import type { Member } from '../dashboard/port.ts'
import { memberKey } from './dashboard-member.ts'
import type { GateParts } from './gates/parts.ts'
import type { HttpServices } from './services.ts'
import { EVENT_STREAM, STREAM_HEADERS } from './stream-answer.ts'

interface Watching {
  services: HttpServices
  parts: GateParts
  caller: { member: Member; environment: 'sandbox' | 'live' }
  path: string
}

/**
 * Returns the stream, or the refusal of the API, as the body of the answer. A reply that is waited
 * for ends with its stream: a silent database would end it, like every wait.
 */
export async function sendStream(
  server: FastifyInstance,
  { services, parts, caller, path }: Watching,
  [request, reply]: readonly [FastifyRequest, FastifyReply],
): Promise<FastifyReply | Readable> {
  // A HEAD would leave its stream open.
  if (request.method !== 'GET') return reply.code(405).header('Allow', 'GET').send()
  const { member } = caller
  const authorization = parts.tickets.issue({
    key: await memberKey(services, caller),
    address: request.clientAddress,
    // A stream is a read: no approval is asked for it.
    sessionId: null,
    isAllowed: async () => {
      const session = await sessionAt(services, request, services.clock.nowMs())
      const same = session?.memberships.find(({ personId }) => personId === member.personId)
      return same?.role === member.role
    },
  })
  const last = request.headers['last-event-id']
  const headers = { authorization, ...(last === undefined ? {} : { 'last-event-id': last }) }
  const answer = await server
    .inject({ method: 'GET', url: path, headers, payloadAsStream: true })
    .finally(() => parts.tickets.take(authorization))
  const body = answer.stream()
  // A browser that goes away ends the inner call too.
  body.once('close', () => answer.raw.res.destroy())
  const type = answer.statusCode === 200 ? EVENT_STREAM : 'application/json; charset=utf-8'
  reply.code(answer.statusCode).headers(STREAM_HEADERS).type(type)
  return body
}
