// Who is calling. Everything behind this gate knows its tenant and environment from the key alone. Spec 5.1.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiKeyHash, type ParsedKey, parseApiKey } from '../../shared/api-key.ts'
import type { EpochMs } from '../../shared/clock.ts'
import type { Environment } from '../../shared/wire/facts.ts'
import type { Principal, Services } from '../context.ts'
import { type KeyRow, loadKey, loadOperator } from '../credentials/load.ts'
import { Refusal } from '../refuse.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes that ask for no credential, and for operators. */
    principal: Principal | null
    /** Null for tenants. */
    operatorId: string | null
  }
}

const BEARER = /^Bearer +(\S+)$/i

/** The key is looked up for every request: one that was revoked is refused from the next request on. */
export function authenticate(services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { route } = request.routeOptions.config
    if (route === undefined) return
    if (route.caller === 'operator') {
      request.operatorId = await operatorOf(services, request.headers.authorization)
      return
    }
    const presented = presentedKey(request.headers.authorization, services.installation)
    const row = await loadKey(services.sql, apiKeyHash(presented))
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

/** To whoever is no operator, an operator's route reads like one that is not there. */
async function operatorOf(services: Services, header: string | undefined): Promise<string> {
  const presented = credentialIn(header)
  if (presented?.parsed.role !== 'operator') throw new Refusal('route_not_found')
  const row = await loadOperator(services.sql, apiKeyHash(presented.text))
  if (row?.state !== 'active') throw new Refusal('route_not_found')
  return row.id
}

function presentedKey(header: string | undefined, installation: Environment): string {
  if (header === undefined) throw new Refusal('missing_credential')
  const presented = credentialIn(header)
  if (presented === null || presented.parsed.role === 'operator')
    throw new Refusal('invalid_credential')
  if (presented.parsed.environment === 'live' && installation !== 'live')
    throw new Refusal('invalid_credential')
  return presented.text
}

/** The checksum spares the database a lookup for what cannot be a key. */
function credentialIn(header: string | undefined): { text: string; parsed: ParsedKey } | null {
  const text = BEARER.exec(header ?? '')?.[1]
  const parsed = text === undefined ? null : parseApiKey(text)
  return text === undefined || parsed === null ? null : { text, parsed }
}

/** Spec 5.1: a key pending revocation works until its grace is over. */
function keyWorks(key: Pick<KeyRow, 'state' | 'revokeAt'>, now: EpochMs): boolean {
  if (key.state === 'active') return true
  if (key.state === 'revoked') return false
  return key.revokeAt !== null && now < key.revokeAt
}
