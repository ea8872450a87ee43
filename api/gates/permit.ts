// A key may do what its scope and every narrower scope may. Spec 5.1: read, write, admin.
import type { FastifyRequest } from 'fastify'
import { KEY_SCOPES, type KeyScope } from '../../shared/api-key.ts'
import { assert } from '../../shared/assert.ts'
import { Refusal } from '../refuse.ts'
import type { Route } from '../route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the request calls; absent where no credential is asked for. */
    route?: Route
  }
}

export async function permit(request: FastifyRequest): Promise<void> {
  const { route } = request.routeOptions.config
  if (route === undefined || route.caller === 'operator') return
  const { scope } = route
  assert(request.principal !== null, 'authenticate comes before permit')
  // Spec 5.1: publishable keys read pass templates and tokenize, and nothing else.
  const permitted = request.principal.role === 'secret' && covers(request.principal.scope, scope)
  if (permitted) return
  throw new Refusal('insufficient_scope', { extra: { required_scope: scope } })
}

function covers(held: KeyScope, required: KeyScope): boolean {
  return KEY_SCOPES.indexOf(held) >= KEY_SCOPES.indexOf(required)
}
