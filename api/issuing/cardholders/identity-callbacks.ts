// The endpoint for results of the identity provider. It needs no API key: the secret of the
// callbacks signs them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { unixSeconds } from '../../../shared/clock.ts'
import { verifySignature } from '../../../shared/signature.ts'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { readFinding } from '../identity/http-provider.ts'
import { applyFinding } from './apply-finding.ts'

const IDENTITY_CALLBACKS = '/partners/identity/callbacks'
const SIGNATURE_HEADER = 'identity-signature'
const BODY_BYTES_MAX = 16 * 1024
const ANSWER = { 200: Type.Object({ received: Type.Literal(true) }) }

const PROBLEMS = {
  malformed_header: 'The Identity-Signature header is missing or cannot be parsed.',
  invalid_signature: 'No signature matches the body.',
  timestamp_out_of_tolerance: 'The signature is older or newer than 300 seconds.',
} as const

/** A body kept byte for byte, because the signature covers its exact bytes. */
interface SignedBody {
  bytes(): Buffer
}

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
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, bytes: Buffer): Promise<SignedBody> => ({
        bytes: () => bytes,
      }),
    )
    scope.post(
      IDENTITY_CALLBACKS,
      { bodyLimit: BODY_BYTES_MAX, schema: { querystring: closed({}), response: ANSWER } },
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
  { id: request_id, headers, body, admittedAtMs, log }: FastifyRequest,
): Promise<{ received: true }> {
  const bytes = (body as Partial<SignedBody>).bytes?.() ?? Buffer.alloc(0)
  const problem = verifySignature({
    header: String(headers[SIGNATURE_HEADER] ?? ''),
    body: bytes,
    secrets: services.identitySecrets,
    nowS: unixSeconds(admittedAtMs),
  })
  if (problem !== null) throw new Refusal(problem, { message: PROBLEMS[problem] })
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
