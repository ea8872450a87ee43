// A key may do everything its scope and every narrower scope allow. Spec 5.1: read, write, admin. A
// granted scope may also be narrowed to a family of resources, as in `card:write`. Spec 5.2.
import type { FastifyRequest } from 'fastify'
import { KEY_SCOPES, type KeyScope } from '../../../shared/api-key.ts'
import { assert } from '../../../shared/assert.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { GRANTS, type Grant } from '../../access/people/grants.ts'
import type { Principal } from '../../context.ts'
import { Refusal } from '../refusal.ts'
import type { AnyRoute, OperatorRoute } from '../route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** AnyRoute of the request; absent without a required credential. */
    route?: AnyRoute
  }
}

export function permit(routes: readonly AnyRoute[]) {
  const message = publishableSentence(routes)
  return (request: FastifyRequest): void => {
    const { route } = request.routeOptions.config
    if (route === undefined) return
    if (route.caller === 'operator') return requireOperatorScope(request, route)
    const { principal } = request
    assert(principal !== null, 'authenticate comes before permit')
    // Spec 5.1: publishable keys read pass templates and tokenize, and nothing else.
    const shut = principal.publishable && !route.publishable
    const granted = shut ? [] : principal.granted
    if (permits({ ...principal, granted }, route)) return
    throw new Refusal('insufficient_scope', {
      // No publishable key has a wider scope.
      ...(shut ? { message } : {}),
      extra: { required_scope: route.scope, granted_scopes: granted },
      headers: {
        'WWW-Authenticate':
          'Bearer realm="svc", error="insufficient_scope", scope="' + route.scope + '"',
      },
    })
  }
}

function requireOperatorScope(
  { operatorScope: scope }: FastifyRequest,
  { operatorScope, method }: OperatorRoute<never>,
): void {
  if (scope === 'all' || operatorScope === scope || (scope === 'read' && method === 'GET')) return
  throw new Refusal('insufficient_scope', {
    message: 'The credential of this operator is for other calls.',
    extra: { required_scope: 'all', granted_scopes: [scope] },
  })
}

function publishableSentence(routes: readonly AnyRoute[]): string {
  const calls = routes
    .filter(({ publishable }) => publishable)
    .map(({ method, paths }) => method + ' ' + paths[0])
  return 'Publishable keys only call ' + calls.join(' and ') + '; use a secret key.'
}

type Needs = Pick<AnyRoute, 'scope' | 'family' | 'method' | 'paths'>

/**
 * Returns true when one of the granted scopes, generic or of the route's family, covers the route's
 * need, or the role of a person gives it. The only reader of the table of roles.
 */
export function permits(
  { granted, environment }: Pick<Principal, 'granted' | 'environment'>,
  route: Needs,
): boolean {
  return granted.some((text) => {
    const [first = '', level] = text.split(':')
    if (first === 'role') return rolePermits(GRANTS[level as PersonRole][environment], route)
    return scopePermits(text, route)
  })
}

function rolePermits({ scopes, operations, except }: Grant, route: Needs): boolean {
  const path = route.paths[0] ?? ''
  const isBelow = (start: string): boolean => path === start || path.startsWith(start + '/')
  const call = route.method + ' ' + path
  if (except.some((part) => part === call || isBelow(part))) return false
  return operations.some(isBelow) || scopes.some((scope) => scopePermits(scope, route))
}

function scopePermits(granted: string, { scope, family }: Needs): boolean {
  const [first = '', level] = granted.split(':')
  if (level === undefined) return covers(first, scope)
  return first === family && covers(level, scope)
}

function covers(held: string, required: KeyScope): boolean {
  return KEY_SCOPES.indexOf(held as KeyScope) >= KEY_SCOPES.indexOf(required)
}
