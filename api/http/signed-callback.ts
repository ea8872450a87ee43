// Callbacks of outside parties: the signature covers the exact bytes of the body, so they are kept
// byte for byte and parsed only after it holds.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unixSeconds } from '../../shared/clock.ts'
import { Type } from '../../shared/schema-builders.ts'
import { verifySignature } from '../../shared/signature.ts'
import { Refusal } from './refusal.ts'

/** The answer to a callback that was accepted, new or repeated. */
export const CALLBACK_ANSWER = { 200: Type.Object({ received: Type.Literal(true) }) }

interface SignedBody {
  bytes(): Buffer
}

/** Bodies of the scope's routes are kept as bytes. */
export function keepBodyBytes(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer): Promise<SignedBody> => ({
      bytes: () => bytes,
    }),
  )
}

/**
 * Returns the bytes of the body once one of the secrets signed them within 300 seconds; `header`
 * names the header of the signature. Refuses every other call.
 */
export function signedBytes(
  { headers, body, admittedAtMs }: FastifyRequest,
  { header, secrets }: { header: string; secrets: readonly string[] },
): Buffer {
  const bytes = (body as Partial<SignedBody>).bytes?.() ?? Buffer.alloc(0)
  const sent = String(headers[header.toLowerCase()] ?? '')
  const nowS = unixSeconds(admittedAtMs)
  const problem = verifySignature({ header: sent, body: bytes, secrets, nowS })
  if (problem === null) return bytes
  const messages = {
    malformed_header: 'The ' + header + ' header is missing or cannot be parsed.',
    invalid_signature: 'No signature matches the body.',
    timestamp_out_of_tolerance: 'The signature is older or newer than 300 seconds.',
  }
  throw new Refusal(problem, { message: messages[problem] })
}
