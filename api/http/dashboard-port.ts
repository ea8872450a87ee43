// The parts of the server that the dashboard gets: it imports nothing else of the api. Its calls
// are requests to this server, through every gate, with a one-time ticket instead of a key.
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assert } from '../../shared/assert.ts'
import { approveOwnCall, challengeNamed, passkeyOffer } from '../access/factors/index.ts'
import { findSession, type KnownSession } from '../access/sessions/index.ts'
import type { DashboardPort, Member, Visitor } from '../dashboard/port.ts'
import { memberKey } from './dashboard-member.ts'
import { sendStream } from './dashboard-stream.ts'
import type { GateParts } from './gates/parts.ts'
import { permits } from './gates/permit.ts'
import { innerFetch } from './inner-fetch.ts'
import { operatorPort } from './operator-port.ts'
import { isSameOrigin, leadToOwnHost } from './pages/same-origin.ts'
import { answerErrors, readForms, readUploads } from './pages/scope.ts'
import type { AnyRoute } from './route.ts'
import type { HttpServices } from './services.ts'

const FORM_BYTES_MAX = 256 * 1024
/** A picture of 700 KB, and the fields beside it. */
const UPLOAD_BYTES_MAX = 720 * 1024

interface Parts {
  services: HttpServices
  parts: GateParts
  routes: readonly AnyRoute[]
}

/** Builds the dashboard's view of this server. */
export function dashboardPort(
  server: FastifyInstance,
  { services, parts, routes }: Parts,
): DashboardPort {
  server.decorateRequest('isInner', false)
  const byCall = new Map(
    routes.flatMap((route) => route.paths.map((path) => [route.method + ' ' + path, route])),
  )
  return {
    operators: operatorPort(server, { services, parts }),
    environments: services.installation === 'live' ? ['sandbox', 'live'] : ['sandbox'],
    apiUrl: services.publicUrl,
    docsUrl: services.docsUrl,
    panelMs: services.panelMs,
    passkeyScript: readFileSync(new URL('pages/passkey.js', import.meta.url), 'utf8'),
    prepare: (pages, send) => {
      readForms(pages, FORM_BYTES_MAX)
      readUploads(pages, UPLOAD_BYTES_MAX)
      pages.addHook('onRequest', leadToOwnHost(services))
      answerErrors(pages, services, send)
    },
    findVisitor: (request) => findSession(services, request),
    isOwnForm: isSameOrigin,
    openFetch: (request, caller) => openFetch(server, { services, parts, request, ...caller }),
    stream: (exchange, caller, path) =>
      sendStream(server, { services, parts, caller, path }, exchange),
    mayCall: ({ role, environment }, { method, path }) => {
      const route = byCall.get(method + ' ' + path.replaceAll(/\{(\w+)\}/g, ':$1'))
      return route !== undefined && permits({ granted: ['role:' + role], environment }, route)
    },
    offerApproval: async (request, handle) => {
      const challenge = await challengeNamed(services, handle)
      return challenge === null ? null : passkeyOffer(services, challenge, request.admittedAtMs)
    },
    approve: async (request, { visitor, member, handle }) => {
      const approval = await approveOwnCall(services, request, {
        session: sessionOf(visitor),
        personId: member.personId,
        handle,
      })
      request.factorOutcome = typeof approval === 'string' ? approval : 'approved'
      return approval
    },
  }
}

/** The dashboard gives back the visitor that `findVisitor` returned. */
function sessionOf(visitor: Visitor): KnownSession {
  assert('factor' in visitor, 'a visitor is a session')
  return visitor as KnownSession
}

async function openFetch(
  server: FastifyInstance,
  call: Omit<Parts, 'routes'> & {
    request: FastifyRequest
    member: Member
    environment: 'sandbox' | 'live'
  },
): Promise<typeof fetch> {
  const { services, parts, request } = call
  const key = await memberKey(services, call)
  const session = await findSession(services, request)
  const ticket = { key, address: request.clientAddress, sessionId: session?.id ?? null }
  return innerFetch(server, parts, { request, ticket })
}
