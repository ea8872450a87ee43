// The second gate: an unknown path is 404, a known path under another method is 405 with Allow. The
// gate stands before the credential and the body, so neither can change that answer. Operator-only
// routes are not revealed here.
//
// Chosen: such a call counts against its address, like one without a valid credential.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnyRoute } from '../route.ts'
import { refused } from './authenticate.ts'
import type { GateParts } from './parts.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export function locate(parts: GateParts, routes: readonly AnyRoute[]) {
  const hidden = routes
    .filter(({ caller }) => caller === 'operator')
    .flatMap(({ method, paths }) => paths.map((path) => ({ method, segments: path.split('/') })))
  return function (this: FastifyInstance, request: FastifyRequest): void {
    if (!request.is404) return
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = METHODS.filter(
      (method) =>
        this.findRoute({ method, url: path }) !== null &&
        !hidden.some((place) => leadsTo(place, method, path)),
    )
    if (allowed.length === 0) throw refused(parts, request, 'route_not_found')
    const headers = { Allow: allowed.join(', ') }
    throw refused(parts, request, 'method_not_allowed', { headers })
  }
}

interface Place {
  method: string
  segments: readonly string[]
}

function leadsTo(place: Place, method: string, path: string): boolean {
  const segments = path.split('/').map(decoded)
  return (
    place.method === (method === 'HEAD' ? 'GET' : method) &&
    place.segments.length === segments.length &&
    place.segments.every((part, index) => part.startsWith(':') || part === segments[index])
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
