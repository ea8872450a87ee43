// Looks at the credential of a stream again: the gates saw it once, and the stream may last for
// hours.
import type { FastifyRequest } from 'fastify'
import { inRanges } from '../../../shared/peer-address.ts'
import type { KnownKey } from '../../access/credentials/load.ts'
import { knownCredential, knownOperator } from './authenticate.ts'
import type { GateParts } from './parts.ts'
import { permits } from './permit.ts'

/**
 * Returns a function that tells whether the request would still pass the gates of its credential.
 * Synchronous while this process remembers the credential; rejects while the database is away.
 */
export function stillAllowed(
  parts: GateParts,
  request: FastifyRequest,
): () => boolean | Promise<boolean> {
  if (request.operatorId !== null)
    return async () =>
      (await knownOperator(parts, request, parts.clock.nowMs()))?.operatorId === request.operatorId
  if (request.isInner) return request.isPersonAllowed ?? (() => false)
  return () => {
    const known = knownCredential(parts, request, parts.clock.nowMs())
    if (known instanceof Promise) return known.then((key) => allows(key, request))
    return allows(known, request)
  }
}

function allows(key: KnownKey | null, request: FastifyRequest): boolean {
  const { route } = request.routeOptions.config
  if (key === null || route === undefined || !permits(key.principal, route)) return false
  const { clientAddress } = request
  if (key.ranges === null) return true
  return clientAddress !== null && inRanges(key.ranges, clientAddress)
}
