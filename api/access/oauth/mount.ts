// The endpoints of OAuth on our server: its limits, headers, log and request ids hold here too.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GateParts } from '../../http/gates/parts.ts'
import { sendPage } from '../../http/pages/page.ts'
import { readForms } from '../../http/pages/scope.ts'
import { tooMany } from '../../http/rate/answer.ts'
import { Refusal, refusalAnswer } from '../../http/refusal.ts'
import type { HttpServices } from '../../http/services.ts'
import type { Endpoint } from './call.ts'
import { registerConsent } from './consent.ts'
import { errorPage } from './consent-view.ts'
import { type Asked, type Given, OauthEndpoints, TooManyCalls } from './endpoints.ts'
import type { LibraryAnswer } from './exchange.ts'
import { fillAuthorization, fillRevocation, fillToken, oauthError } from './fill-in.ts'
import { METADATA_PATH, publicMetadata, RESPONSE_MODE } from './metadata.ts'

const FORM_BYTES_MAX = 16 * 1024
/** Chosen: longer than any state that a platform makes. */
const STATE_CHARACTERS_MAX = 1024
/** Chosen: calls per minute of one platform from one address. */
const TOKEN_LIMIT = 60
/**
 * Chosen: calls per minute from one address, whatever platforms they name: nobody gets a further
 * limit by an invented name.
 */
const ADDRESS_LIMIT = 600
/** Chosen: authorization requests per minute from one address. */
const AUTHORIZE_LIMIT = 30
const CLIENT_CHARACTERS_MAX = 100
/** The library's own session; ours is in another cookie. */
const LIBRARY_SESSION = /^svc_oauth(?:\.sig)?=/

/** A separate scope of the server: these endpoints read forms, and have errors of their own. */
export function registerOauth(
  server: FastifyInstance,
  services: HttpServices,
  parts: GateParts,
): void {
  const endpoints = new OauthEndpoints(services)
  server.register(async (pages) => {
    readForms(pages, FORM_BYTES_MAX)
    pages.setErrorHandler((error, request, reply) => answerError(services, error, [request, reply]))
    registerAuthorization(pages, endpoints, parts)
    registerTokens(pages, endpoints, parts)
    registerConsent(pages, services, endpoints)
  })
}

function registerAuthorization(
  pages: FastifyInstance,
  endpoints: OauthEndpoints,
  parts: GateParts,
): void {
  const options = { exposeHeadRoute: false }
  pages.get('/oauth/authorize', options, async (request, reply) => {
    limitCall(parts, request, { resource: 'oauth_authorize', limit: AUTHORIZE_LIMIT, name: '' })
    const query = queryOf(request)
    const description = problemOf(query)
    if (description !== null)
      return sendPage(reply, errorPage({ error: 'invalid_request', description }, 400))
    const url = '/oauth/authorize?' + fillAuthorization(query).toString()
    return run(endpoints, [request, reply], { endpoint: 'authorize', url, form: null })
  })
  pages.get('/oauth/authorize/:uid', options, (request, reply) =>
    run(endpoints, [request, reply], { endpoint: 'resume', url: request.url, form: null }),
  )
  pages.get(METADATA_PATH, async (request, reply) => {
    const asked = { endpoint: 'metadata', method: 'GET', url: METADATA_PATH, form: null } as const
    const { answer } = await endpoints.answer(request, asked, async () => asked)
    return send(reply, { ...answer, body: publicMetadata(answer.body as object) })
  })
}

/** A sentence about a request that must not be answered at the platform; null for none. */
function problemOf(query: URLSearchParams): string | null {
  const twice = ['client_id', 'redirect_uri'].find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) return twice + ' must not be given twice'
  const isLong = query.getAll('state').some((state) => state.length > STATE_CHARACTERS_MAX)
  if (isLong) return 'state has more than ' + STATE_CHARACTERS_MAX + ' characters'
  const isOther = query.getAll('response_mode').some((mode) => mode !== RESPONSE_MODE)
  return isOther ? 'response_mode must be ' + RESPONSE_MODE : null
}

function registerTokens(pages: FastifyInstance, endpoints: OauthEndpoints, parts: GateParts): void {
  pages.post('/oauth/token', (request, reply) =>
    runForm(endpoints, parts, [request, reply], 'token'),
  )
  pages.post('/oauth/revoke', (request, reply) =>
    runForm(endpoints, parts, [request, reply], 'revoke'),
  )
  pages.post('/oauth/par', (request, reply) => runForm(endpoints, parts, [request, reply], 'par'))
  // Pages of public clients ask first. The library knows their origins.
  for (const name of ['token', 'revoke', 'par'] as const) {
    pages.options('/oauth/' + name, (request, reply) =>
      run(endpoints, [request, reply], { endpoint: name, url: '/oauth/' + name, form: null }),
    )
  }
}

type Exchange = [FastifyRequest, FastifyReply]

async function run(
  endpoints: OauthEndpoints,
  [request, reply]: Exchange,
  asked: Omit<Asked, 'method'>,
): Promise<FastifyReply> {
  const whole = { ...asked, method: request.method }
  return give(reply, await endpoints.answer(request, whole, async () => whole))
}

async function runForm(
  endpoints: OauthEndpoints,
  parts: GateParts,
  [request, reply]: Exchange,
  endpoint: 'token' | 'revoke' | 'par',
): Promise<FastifyReply> {
  const form = formOf(request.body)
  const description = endpoint === 'par' ? problemOf(form) : null
  if (description !== null) return send(reply, oauthError(400, 'invalid_request', description))
  const name = clientIn(request, form)
  limitCall(parts, request, { resource: 'oauth_calls', limit: ADDRESS_LIMIT, name: '' })
  limitCall(parts, request, { resource: 'oauth_' + endpoint, limit: TOKEN_LIMIT, name })
  const asked = { endpoint, method: 'POST', url: '/oauth/' + endpoint, form }
  const isAuthenticated = request.headers.authorization !== undefined
  const given = await endpoints.answer(request, asked, async (sql) => {
    if (endpoint === 'par') return { ...asked, form: fillAuthorization(form) }
    const fill = endpoint === 'token' ? fillToken : fillRevocation
    const filled = await fill(sql, { form, isAuthenticated })
    return 'answer' in filled ? filled.answer : { ...asked, form: filled.form }
  })
  if (given.answer.status === 401) countRefusal(parts, request)
  return give(reply, given)
}

/** A wrong client counts like a wrong key: its address has to wait. */
function countRefusal({ limits }: GateParts, request: FastifyRequest): void {
  const { waitMs, rateLimitStatus } = limits.takeUnauthenticated(request.clientAddress)
  request.rateLimitStatus = rateLimitStatus
  if (waitMs > 0) throw tooMany('unauthenticated_limit', waitMs)
}

function limitCall(
  { limits }: GateParts,
  request: FastifyRequest,
  bucket: { resource: string; limit: number; name: string },
): void {
  const { waitMs, rateLimitStatus } = limits.takeByAddress(bucket, request.clientAddress)
  request.rateLimitStatus = rateLimitStatus
  if (waitMs > 0) throw tooMany('address_limit', waitMs)
}

/** The client that the call names, for its limit; nothing of it is believed. */
function clientIn({ headers }: FastifyRequest, form: URLSearchParams): string {
  const basic = /^Basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const decoded = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('latin1')
  const named = form.get('client_id') ?? decoded.split(':', 1)[0] ?? ''
  return named.slice(0, CLIENT_CHARACTERS_MAX)
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?').slice(1).join('?'))
}

/** JSON is taken as well: an object of texts is a form. */
function formOf(body: unknown): URLSearchParams {
  if (body instanceof URLSearchParams) return body
  const form = new URLSearchParams()
  if (typeof body !== 'object' || body === null) return form
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string') throw new Refusal('parameter_invalid', { param: name })
    form.set(name, value)
  }
  return form
}

function give(reply: FastifyReply, { answer, shownError }: Given): FastifyReply {
  return shownError === null
    ? send(reply, answer)
    : sendPage(reply, errorPage(shownError, answer.status))
}

function send(reply: FastifyReply, { status, headers, body }: LibraryAnswer): FastifyReply {
  const { 'set-cookie': cookies = [], ...others } = headers
  const own = [cookies].flat().filter((cookie) => !LIBRARY_SESSION.test(cookie))
  reply.code(status).headers(others)
  if (own.length > 0) reply.header('set-cookie', own)
  // A redirect has no page.
  return status >= 300 && status < 400 ? reply.send() : reply.send(body ?? '')
}

function answerError(
  { docsUrl }: HttpServices,
  error: unknown,
  [request, reply]: Exchange,
): FastifyReply {
  const known = refusalAnswer(error, { requestId: request.id, docsUrl })
  const isBusy = error instanceof TooManyCalls
  const status = isBusy ? 503 : known.status
  if (known.unexpected && !isBusy)
    request.log.error({ request_id: request.id, err: error }, 'OAuth call failed')
  const description = isBusy ? error.message : known.body.error.message
  const shown = { error: errorCode(status), description }
  reply.headers(known.headers).header('cache-control', 'no-store')
  if (isPage(request)) return sendPage(reply, errorPage(shown, status))
  return send(reply, oauthError(status, shown.error, description))
}

/** RFC 6749 has no code for a limit; a call may be repeated after it. */
function errorCode(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

const PAGES: ReadonlySet<Endpoint> = new Set(['authorize', 'resume', 'consent'])

function isPage({ routeOptions }: FastifyRequest): boolean {
  const [, , name = ''] = (routeOptions.url ?? '').split('/')
  return PAGES.has(name as Endpoint)
}
