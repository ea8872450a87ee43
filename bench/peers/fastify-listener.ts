// Verifies messages in Fastify: the signature covers the bytes, so it is checked before they are
// parsed.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Border } from './authorization-request.ts'

class Unauthorized extends Error {
  statusCode = 401
}

/** Takes JSON only where the network has signed it. */
export function takeSigned(server: FastifyInstance, border: Border): void {
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      const problem = border.problem(body, String(request.headers['svc-signature'] ?? ''))
      if (problem !== null) return done(new Unauthorized(problem))
      try {
        done(null, JSON.parse(body.toString()))
      } catch (error) {
        done(Object.assign(error as Error, { statusCode: 400 }))
      }
    },
  )
}
