// The operator behind a request for a page: a person who signed in with a passkey, from an address
// of operators, and whose credential has not ended.
import type { FastifyRequest } from 'fastify'
import { addressRanges, inRanges } from '../../../../shared/peer-address.ts'
import { findSession, type KnownSession } from '../../../access/sessions/index.ts'
import type { HttpServices } from '../../../http/services.ts'
import { findOperatorOf } from '../store.ts'

export interface FoundOperator {
  operatorId: string
  session: KnownSession
}

/** Returns a finder of operators; it finds null for anyone else. */
export function operatorFinder(
  services: HttpServices,
): (request: FastifyRequest) => Promise<FoundOperator | null> {
  const ranges = addressRanges(services.operatorCidrs)
  return async (request) => {
    const address = request.clientAddress
    const isNear = address !== null && inRanges(ranges, address)
    const session = isNear ? await findSession(services, request) : null
    if (session?.factor !== 'passkey') return null
    const operator = await findOperatorOf(services.sql, {
      identityId: session.identity.id,
      now: request.admittedAtMs,
    })
    return operator === null ? null : { operatorId: operator.id, session }
  }
}
