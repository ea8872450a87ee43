// Pages of other sites may call the routes of publishable keys, and no others: on every other route
// a browser gets no CORS answer. The API never uses a browser's own credentials, so that every
// origin is equal.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRoute } from '../route.ts'

/** Headers that a page may read beside the body. */
const EXPOSED = [
  'Request-Id',
  'Retry-After',
  'Svc-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Resource',
].join(', ')
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, Svc-Version'
/** No browser caches a preflight longer than this many seconds. */
const REMEMBERED_S = '7200'

/** Sets the headers on every answer of a publishable route, refusals included. */
export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (request.routeOptions.config.route?.publishable !== true) return
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header('Access-Control-Expose-Headers', EXPOSED)
}

/**
 * OPTIONS exists on routes that a page may call; elsewhere it is one more method that is not
 * allowed.
 */
export function registerPreflights(server: FastifyInstance, routes: readonly AnyRoute[]): void {
  const methods = new Map<string, string[]>()
  for (const route of routes.filter(({ publishable }) => publishable)) {
    for (const path of route.paths) {
      methods.set(path, [...(methods.get(path) ?? []), route.method])
    }
  }
  for (const [path, allowed] of methods) {
    server.options(path, async (_request, reply) =>
      reply
        .code(204)
        .header('Access-Control-Allow-Origin', '*')
        .header('Access-Control-Allow-Methods', allowed.join(', '))
        .header('Access-Control-Allow-Headers', ACCEPTED)
        .header('Access-Control-Max-Age', REMEMBERED_S)
        .send(),
    )
  }
}
