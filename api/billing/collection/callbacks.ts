// The endpoint for callbacks of the payment processor. A callback is a bell: it says that an object
// may have changed. The object is fetched by a job; nothing in the callback is believed.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from '../../../shared/schema-builders.ts'
import { hasShape } from '../../../shared/shape.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { parsedJson } from '../../http/outside-caller.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { CALLBACK_ANSWER, keepBodyBytes, signedBytes } from '../../http/signed-callback.ts'
import { ring } from './bells.ts'

const PATH = '/partners/stripe/callbacks/:environment'
const SIGNATURE_HEADER = 'Stripe-Signature'
/** Events of invoices hold their first lines. */
const BODY_BYTES_MAX = 512 * 1024
/** The parts of an event that a bell needs; the others are ignored. */
const Bell = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_]{1,255}$' }),
  type: Type.String({ pattern: '^[a-z0-9_.]{1,128}$' }),
  data: Type.Object({
    object: Type.Object({ id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,255}$' })) }),
  }),
})

/** The parts of the process that these callbacks use. */
export interface CallbackServices extends Pick<HttpServices, 'sql'> {
  /** Secrets with which the processor signs; an environment without one has no callbacks. */
  processorSecrets: { readonly [environment in Environment]: readonly string[] }
}

/** The endpoint does not exist while no secret is configured. */
export function registerProcessorCallbacks(
  server: FastifyInstance,
  services: CallbackServices,
): void {
  const { sandbox, live } = services.processorSecrets
  if (sandbox.length + live.length === 0) return
  server.register(async (scope) => {
    keepBodyBytes(scope)
    scope.post(
      PATH,
      {
        bodyLimit: BODY_BYTES_MAX,
        schema: {
          params: closed({ environment: Type.Enum(['sandbox', 'live']) }),
          querystring: closed({}),
          response: CALLBACK_ANSWER,
        },
      },
      (request) => receive(services, request),
    )
  })
}

/** A repeated event is answered like a new one: the processor need not send it again. */
async function receive(
  { sql, processorSecrets }: CallbackServices,
  request: FastifyRequest,
): Promise<{ received: true }> {
  const { id: request_id, params, admittedAtMs, log } = request
  const { environment } = params as { environment: Environment }
  const secrets = processorSecrets[environment]
  if (secrets.length === 0) throw new Refusal('route_not_found')
  const bytes = signedBytes(request, { header: SIGNATURE_HEADER, secrets })
  const event = parsedJson(bytes)
  if (!hasShape(Bell, event))
    throw new Refusal('parameter_invalid', { message: 'The body is no event of the processor.' })
  const { id, type, data } = event
  const objectId = data.object.id ?? null
  const isNew = await ring(sql, environment, { id, type, objectId }, admittedAtMs)
  log.info({ request_id, event_id: id, event_type: type, new: isNew }, 'processor event')
  return { received: true }
}
