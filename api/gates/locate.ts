// The second gate: a path we do not have is 404, a path we have under another method is 405 with Allow. It stands before
// the credential and before the body, so neither can change that answer. What only operators call is told to nobody here.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../refuse.ts'
import { ROUTES } from '../routes.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export async function locate(this: FastifyInstance, request: FastifyRequest): Promise<void> {
  if (!request.is404) return
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = METHODS.filter(
    (method) => this.findRoute({ method, url: path }) !== null && !operatorsOnly(method, path),
  )
  if (allowed.length === 0) throw new Refusal('route_not_found')
  throw new Refusal('method_not_allowed', { headers: { Allow: allowed.join(', ') } })
}

const OPERATOR_PATHS = ROUTES.filter(({ caller }) => caller === 'operator').flatMap(
  ({ method, paths }) => paths.map((path) => ({ method, segments: path.split('/') })),
)

function operatorsOnly(method: string, path: string): boolean {
  const segments = path.split('/').map(decoded)
  return OPERATOR_PATHS.some(
    (route) =>
      route.method === (method === 'HEAD' ? 'GET' : method) &&
      route.segments.length === segments.length &&
      route.segments.every((part, index) => part.startsWith(':') || part === segments[index]),
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
