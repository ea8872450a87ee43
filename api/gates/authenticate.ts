// Who is calling. Everything behind this gate knows its tenant and environment from the key alone. Spec 5.1.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiKeyHash, parseApiKey } from '../../shared/api-key.ts'
import type { EpochMs } from '../../shared/clock.ts'
import type { Environment } from '../../shared/wire/facts.ts'
import type { Principal, Services } from '../context.ts'
import { Refusal } from '../refuse.ts'
import { findKeyByHash, type KeyRow } from '../resources/api-keys/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes that ask for no credential. */
    principal: Principal | null
  }
}

const BEARER = /^Bearer +(\S+)$/i

/** The key is looked up for every request: one that was revoked is refused from the next request on. */
export function authenticate(services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.routeOptions.config.scope === undefined) return
    const key = presentedKey(request.headers.authorization, services.installation)
    const row = await findKeyByHash(services.sql, apiKeyHash(key))
    if (row === null) throw new Refusal('invalid_credential')
    if (!keyWorks(row, request.admittedAtMs + row.clockOffsetMs)) throw new Refusal('key_revoked')
    const { id: keyId, tenantId, environment, role, scope, apiVersion, clockOffsetMs } = row
    request.principal = {
      keyId,
      tenantId,
      environment,
      role,
      scope,
      apiVersion,
      clockOffsetMs,
    }
    reply.header('Svc-Version', apiVersion)
  }
}

function presentedKey(header: string | undefined, installation: Environment): string {
  if (header === undefined) throw new Refusal('missing_credential')
  const key = BEARER.exec(header)?.[1]
  // The checksum spares the database a lookup for what cannot be a key.
  const parsed = key === undefined ? null : parseApiKey(key)
  if (key === undefined || parsed === null) throw new Refusal('invalid_credential')
  if (parsed.environment === 'live' && installation !== 'live')
    throw new Refusal('invalid_credential')
  return key
}

/** Spec 5.1: a key pending revocation works until its grace is over. */
function keyWorks(key: Pick<KeyRow, 'state' | 'revokeAt'>, now: EpochMs): boolean {
  if (key.state === 'active') return true
  if (key.state === 'revoked') return false
  return key.revokeAt !== null && now < key.revokeAt
}
