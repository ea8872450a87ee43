// The endpoint for results of the identity provider. It needs no API key: the secret of the
// callbacks signs them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { CALLBACK_ANSWER, keepBodyBytes, signedBytes } from '../../http/signed-callback.ts'
import { readFinding } from '../identity/http-provider.ts'
import { applyFinding } from './apply-finding.ts'

const IDENTITY_CALLBACKS = '/partners/identity/callbacks'
const SIGNATURE_HEADER = 'Identity-Signature'
const BODY_BYTES_MAX = 16 * 1024

/** The parts of the process that these callbacks use. */
export interface IdentityServices extends Pick<HttpServices, 'sql'> {
  /**
   * Secrets with which the identity provider signs its callbacks; empty: its callbacks are refused.
   */
  identitySecrets: readonly string[]
}

/** The endpoint does not exist while no secret is configured. */
export function registerIdentityCallbacks(
  server: FastifyInstance,
  services: IdentityServices,
): void {
  if (services.identitySecrets.length === 0) return
  server.register(async (scope) => {
    keepBodyBytes(scope)
    scope.post(
      IDENTITY_CALLBACKS,
      { bodyLimit: BODY_BYTES_MAX, schema: { querystring: closed({}), response: CALLBACK_ANSWER } },
      (request) => receive(services, request),
    )
  })
}

/**
 * A late or repeated result, or one of a decided verification, is answered like a new one: the
 * provider need not send it again.
 */
async function receive(
  services: IdentityServices,
  request: FastifyRequest,
): Promise<{ received: true }> {
  const { id: request_id, admittedAtMs, log } = request
  const secrets = services.identitySecrets
  const bytes = signedBytes(request, { header: SIGNATURE_HEADER, secrets })
  const finding = readFinding(bytes)
  if (finding === null)
    throw new Refusal('parameter_invalid', { message: 'The body is no result of a verification.' })
  const effect = await tx(services.sql, (sql) => applyFinding(sql, finding, admittedAtMs), {
    safeToRepeat: true,
  })
  const { verificationId: verification_id, eventId: event_id } = finding
  log.info({ request_id, verification_id, event_id, effect }, 'identity result')
  if (effect === 'unknown') throw new Refusal('resource_missing', { param: 'verification_id' })
  return { received: true }
}
