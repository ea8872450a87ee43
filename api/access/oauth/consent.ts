// The page on which a person lets a platform act for a tenant. Its address names the authorization
// request, and a signed cookie binds the request to the browser that began it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { OauthScope } from '../../../shared/schemas/oauth.ts'
import { sendPage } from '../../http/pages/page.ts'
import { isSameOrigin } from '../../http/pages/same-origin.ts'
import { Refusal } from '../../http/refusal.ts'
import type { HttpServices } from '../../http/services.ts'
import { requireTenantFor } from '../../platform/tenants/index.ts'
import { lockActiveMember, mayApprove } from '../people/index.ts'
import { findSession, type KnownSession, type Membership } from '../sessions/index.ts'
import { CONSENT_PATH, type OauthCall } from './call.ts'
import { type ActiveClient, findActiveClient } from './client-store.ts'
import { consentPage, endingPage } from './consent-view.ts'
import type { OauthEndpoints } from './endpoints.ts'
import { libraryRequest, passedHeaders } from './exchange.ts'
import { agreedAddress } from './redirect-uri.ts'
import { findRemembered } from './store.ts'

/** An authorization request that waits for a person. */
interface Interaction {
  uid: string
  params: { [name: string]: unknown }
  returnTo: string
  result?: unknown
}

/** A request of the page, while its authorization request is locked. */
interface Visit {
  request: FastifyRequest
  call: OauthCall
  provider: Provider
  sides: ReturnType<typeof libraryRequest>
  interaction: Interaction
  client: ActiveClient
  /** Scopes that the platform asks for and may have. */
  scopes: readonly OauthScope[]
}

type Reaction = (reply: FastifyReply) => FastifyReply

export function registerConsent(
  pages: FastifyInstance,
  services: HttpServices,
  endpoints: OauthEndpoints,
): void {
  const path = CONSENT_PATH + ':uid'
  // People who are not signed in sign in first, and come back.
  const options = { exposeHeadRoute: false }
  pages.get(path, options, async (request, reply) => {
    const session = await findSession(services, request)
    const react = await visit(endpoints, request, async (at) =>
      session === null ? toSignIn(at) : answerOrAsk(at, session),
    )
    return react(reply)
  })
  pages.post(path, async (request, reply) => {
    if (!isSameOrigin(request)) return sendPage(reply, endingPage('foreign'))
    const session = await findSession(services, request)
    const react = await visit(endpoints, request, async (at) =>
      session === null ? toSignIn(at) : decide(at, session),
    )
    return react(reply)
  })
}

async function visit(
  endpoints: OauthEndpoints,
  request: FastifyRequest,
  work: (visit: Visit) => Promise<Reaction>,
): Promise<Reaction> {
  const { provider } = await endpoints.library()
  const sides = libraryRequest(endpoints.issuer, {
    method: request.method,
    url: request.url,
    headers: passedHeaders(request.headers),
    form: null,
  })
  return endpoints.within(request, 'consent', async (call) => {
    const interaction = await interactionOf(provider, sides)
    const { uid } = request.params as { uid: string }
    if (interaction === null) return page(endingPage('over'))
    if (interaction.uid !== uid) return page(endingPage('foreign'))
    // A form that is sent twice goes on where the first one did.
    if (interaction.result !== undefined) return redirect(interaction.returnTo)
    const id = String(interaction.params['client_id'])
    const client = await findActiveClient(call.sql, { id, now: call.now })
    if (client === null) return page(endingPage('over'))
    const asked = new Set(String(interaction.params['scope'] ?? '').split(' '))
    const scopes = client.scopes.filter((scope) => asked.has(scope))
    const at = { request, call, provider, sides, interaction, client, scopes }
    if (scopes.length === 0) return finish(at, NO_SCOPE)
    return work(at)
  })
}

const NO_SCOPE = { error: 'invalid_scope', error_description: 'no known scope was requested' }
const DENIED = { error: 'access_denied', error_description: 'the person denied the request' }

/** Null without a valid cookie, or after the request's end. */
async function interactionOf(
  provider: Provider,
  { incoming, outgoing }: Visit['sides'],
): Promise<Interaction | null> {
  try {
    return (await provider.interactionDetails(incoming, outgoing)) as Interaction
  } catch (error) {
    const { errors } = await import('oidc-provider')
    if (error instanceof errors.SessionNotFound) return null
    throw error
  }
}

async function finish(
  { provider, sides, interaction }: Visit,
  result: Parameters<Provider['interactionResult']>[2],
): Promise<Reaction> {
  const { incoming, outgoing } = sides
  await provider.interactionResult(incoming, outgoing, result, { mergeWithLastSubmission: false })
  return redirect(interaction.returnTo)
}

/** A person who agreed to the same before, for the same redirect address, is not asked again. */
async function answerOrAsk(visited: Visit, session: KnownSession): Promise<Reaction> {
  const grantId = await remembered(visited, session)
  if (grantId === null) return question(visited, session, null)
  return finish(visited, { login: { accountId: session.identity.id }, consent: { grantId } })
}

/**
 * Chosen: never for `admin` nor for writes in live, and only where the person has one tenant to
 * choose. A platform that sends prompt=consent has its person asked.
 */
async function remembered(visited: Visit, session: KnownSession): Promise<string | null> {
  const { call, client, scopes, interaction } = visited
  const { id: clientId, environment } = client
  const isLive = environment === 'live'
  const isWeighty = scopes.some((scope) => scope === 'admin' || (isLive && /write$/.test(scope)))
  if (isWeighty || interaction.params['prompt'] === 'consent') return null
  if (isLive && session.factor === 'password') return null
  const [only, ...more] = choices(client, session)
  if (only === undefined || more.length > 0) return null
  const { tenantId, personId: userId } = only
  const redirectUri = addressOf(visited)
  const agreed = { tenantId, environment, clientId, userId, scopes, redirectUri }
  const grantId = await findRemembered(call.sql, agreed)
  if (grantId === null || !(await isStillAllowed({ call, client }, userId))) return null
  return (await isOpen(call, only, environment)) ? grantId : null
}

/** False for a person who was disabled, or lost the role, since the request began. */
async function isStillAllowed(
  { call, client }: Pick<Visit, 'call' | 'client'>,
  userId: string,
): Promise<boolean> {
  const role = await lockActiveMember(call.sql, userId)
  return role !== null && mayApprove(role, client.environment)
}

async function isOpen(
  { sql }: OauthCall,
  { tenantId }: Membership,
  environment: ActiveClient['environment'],
): Promise<boolean> {
  try {
    await requireTenantFor(sql, tenantId, environment)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

async function decide(visited: Visit, session: KnownSession): Promise<Reaction> {
  const { request } = visited
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  if (form.get('decision') === 'deny') return finish(visited, DENIED)
  if (form.get('decision') !== 'approve') return question(visited, session, 'unreadable')
  const chosen = choices(visited.client, session).find(
    ({ tenantId }) => tenantId === form.get('tenant'),
  )
  if (chosen === undefined) return question(visited, session, 'not_yours')
  return approve(visited, session, chosen)
}

async function approve(
  visited: Visit,
  session: KnownSession,
  chosen: Membership,
): Promise<Reaction> {
  const { tenantId, personId: userId } = chosen
  const { call, provider, client, scopes } = visited
  const { environment } = client
  // A password alone approves nothing that moves money.
  if (environment === 'live' && session.factor === 'password')
    return question(visited, session, 'factor_missing')
  if (!(await isStillAllowed(visited, userId))) return question(visited, session, 'not_yours')
  if (!(await isOpen(call, chosen, environment))) return question(visited, session, 'closed')
  const accountId = session.identity.id
  call.approval = { tenantId, environment, userId, scopes, redirectUri: addressOf(visited) }
  const grant = new provider.Grant({ accountId, clientId: client.id })
  grant.addOIDCScope(scopes.join(' '))
  const grantId = await grant.save()
  return finish(visited, { login: { accountId }, consent: { grantId } })
}

function addressOf({ client, interaction }: Pick<Visit, 'client' | 'interaction'>): string {
  return agreedAddress(String(interaction.params['redirect_uri']), client.applicationType)
}

/** Tenants for which the person may connect platforms of this environment. */
function choices({ environment }: ActiveClient, { memberships }: KnownSession) {
  return memberships.filter(({ role }) => mayApprove(role, environment))
}

function question(
  { client, scopes, interaction }: Visit,
  session: KnownSession,
  problem: Parameters<typeof consentPage>[0]['problem'],
): Reaction {
  return page(
    consentPage({
      path: CONSENT_PATH + interaction.uid,
      client: client.name,
      environment: client.environment,
      returnHost: hostOf(String(interaction.params['redirect_uri'])),
      scopes,
      email: session.identity.email,
      tenants: choices(client, session),
      problem,
    }),
  )
}

/** A native app's own scheme has no host. */
function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return host === '' ? protocol.slice(0, -1) : host
}

function toSignIn({ interaction }: Visit): Reaction {
  const next = CONSENT_PATH + interaction.uid
  return redirect('/sign-in?next=' + encodeURIComponent(next))
}

function page(shown: Parameters<typeof sendPage>[1]): Reaction {
  return (reply) => sendPage(reply, shown)
}

function redirect(address: string): Reaction {
  return (reply) => reply.redirect(address, 303)
}
