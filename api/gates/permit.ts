// A key may do what its scope and every narrower scope may. Spec 5.1: read, write, admin.
import type { FastifyRequest } from 'fastify'
import { KEY_SCOPES, type KeyScope } from '../../shared/api-key.ts'
import { assert } from '../../shared/assert.ts'
import { Refusal } from '../refuse.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The narrowest scope that may call this route; absent where no credential is asked for. */
    scope?: KeyScope
  }
}

export async function permit(request: FastifyRequest): Promise<void> {
  const { scope } = request.routeOptions.config
  if (scope === undefined) return
  assert(request.principal !== null, 'authenticate comes before permit')
  // Spec 5.1: publishable keys read pass templates and tokenize, and nothing else.
  const permitted = request.principal.role === 'secret' && covers(request.principal.scope, scope)
  if (permitted) return
  throw new Refusal('insufficient_scope', { extra: { required_scope: scope } })
}

function covers(held: KeyScope, required: KeyScope): boolean {
  return KEY_SCOPES.indexOf(held) >= KEY_SCOPES.indexOf(required)
}
