// Chooses the version of an answer, and renders its body in that version. The version is the
// tenant's pin, unless the request asks for another one: a preview of a single answer, which
// changes no pin and no event.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { Refusal } from '../refusal.ts'
import { API_VERSIONS, inVersion, spokenVersion } from './chain.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Version of the answer. */
    apiVersion: string
  }
}

/**
 * Runs after the credential check: an unknown caller reads the newest version. `Svc-Version` of the
 * answer names the version.
 */
export function chooseVersion(request: FastifyRequest, reply: FastifyReply): void {
  const asked = request.headers['svc-version']
  if (asked !== undefined) requireKnownVersion(String(asked), 'Svc-Version')
  request.apiVersion =
    asked === undefined
      ? spokenVersion(request.principal?.apiVersion ?? API_VERSION)
      : String(asked)
  reply.header('Svc-Version', request.apiVersion)
}

/** Refuses an unknown version, and lists the known ones. */
export function requireKnownVersion(version: string, param: string): void {
  if (API_VERSIONS.includes(version)) return
  throw new Refusal('parameter_invalid', {
    param,
    message: 'There is no such version. Known versions: ' + API_VERSIONS.join(', ') + '.',
    extra: { known_versions: API_VERSIONS },
  })
}

/**
 * Returns the body in the chosen version. It starts from the text that the answer's own schema
 * admitted, so an older version shows nothing that the newest would not. Errors have one shape in
 * all versions; answers without a schema are stored text, such as an event: that keeps the bytes of
 * the version in which it was stored.
 */
export function renderVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): unknown {
  const { apiVersion, routeOptions } = request
  if (apiVersion === API_VERSION || typeof body !== 'string' || body === '') return body
  const schemas = routeOptions.schema?.response as { [status: string]: unknown } | undefined
  const shaped = schemas !== undefined && String(reply.statusCode) in schemas
  return shaped ? JSON.stringify(inVersion(JSON.parse(body), apiVersion)) : body
}
