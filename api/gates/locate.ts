// The second gate: a path we do not have is 404, a path we have under another method is 405 with Allow. It stands before
// the credential and before the body, so neither can change that answer.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../refuse.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export async function locate(this: FastifyInstance, request: FastifyRequest): Promise<void> {
  if (!request.is404) return
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = METHODS.filter((method) => this.findRoute({ method, url: path }) !== null)
  if (allowed.length === 0) throw new Refusal('route_not_found')
  throw new Refusal('method_not_allowed', { headers: { Allow: allowed.join(', ') } })
}
