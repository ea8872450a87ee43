// The HTTP server of the API. A request passes the gates below in this order; the route's handler
// comes last.

import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RouteOptions,
} from 'fastify'
import { newId } from '../../shared/id.ts'
import { API_BODY_BYTES_MAX } from '../../shared/limits.ts'
import type { Wait } from '../database/database-watchdog.ts'
import { answerLostBrowser, isBrowser } from '../documents/lost-page.ts'
import { answerPassError, isPassAddress } from '../passes/wallets/web/pass.ts'
import { ROUTES, type Services } from '../routes.ts'
import { logAnswers } from './access-log.ts'
import { registerAddresses, type ServerParts } from './addresses.ts'
import { answerWriter } from './answer-schema.ts'
import { answerClientFault } from './client-fault.ts'
import { answerCsv, asksForCsv, type ReadPage } from './csv/answer.ts'
import { addResponseHeaders, admit, initRequest } from './gates/admit.ts'
import { allow } from './gates/allow.ts'
import { authenticate } from './gates/authenticate.ts'
import { refuseCardNumberInPath } from './gates/card-numbers.ts'
import { setCorsHeaders } from './gates/cors.ts'
import { entitle } from './gates/entitle.ts'
import { refuseFields, refuseUnkeepable } from './gates/field-faults.ts'
import { inOrder } from './gates/in-order.ts'
import { limit } from './gates/limit.ts'
import { keepSlot, limitConnections } from './gates/limit-connections.ts'
import { locate } from './gates/locate.ts'
import { parseJson } from './gates/parse.ts'
import { type GateParts, gateParts } from './gates/parts.ts'
import { permit } from './gates/permit.ts'
import { keptText, replay } from './gates/replay.ts'
import { requireSchema } from './gates/require-schema.ts'
import { stepUp } from './gates/step-up.ts'
import { requireStrictFraming } from './gates/strict-framing.ts'
import { createValidators, schemaRefusal, supplyBody } from './gates/validate.ts'
import { noteRefusal } from './note-refusal.ts'
import { setRateLimitHeaders, tooMany } from './rate/answer.ts'
import { Refusal, refusalAnswer } from './refusal.ts'
import { createContext, createOperatorContext } from './request-context.ts'
import type { AnyRoute, FileAnswer, Route, RouteInput } from './route.ts'
import { EVENT_STREAM, openStream, STREAM_HEADERS, type StreamAnswer } from './stream-answer.ts'
import { transport } from './transport.ts'
import { chooseVersion, renderVersion } from './versions/answer.ts'

const PARAM_CHARACTERS_MAX = 256
/** Chosen: seconds until a repeat is worthwhile while a person decides. */
const PENDING_RETRY_S = 2

/**
 * Builds the server without listening. All options are explicit: the server does not rely on
 * library defaults.
 */
export function createServer(
  services: Services,
  routes: readonly Route<Services>[] = ROUTES,
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = services.log
  const parts = gateParts(services)
  const answerFault = answerClientFault(parts)
  const server = fastify({
    loggerInstance,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    requestIdHeader: false,
    genReqId: () => newId('req', services.clock.nowMs()),
    trustProxy: false,
    bodyLimit: API_BODY_BYTES_MAX,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: true,
    ...transport(services),
    routerOptions: {
      maxParamLength: PARAM_CHARACTERS_MAX,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
    },
    clientErrorHandler: answerFault,
    frameworkErrors: (error, request, reply) => refuseUnread(parts, error, request, reply),
  })
  setFormats(server)
  // A child logger would add a cost to every request for a few entries.
  server.setChildLoggerFactory((log) => log)
  server.setErrorHandler((error, request, reply) => refuse(parts, error, [request, reply]))
  parts.guarded.guard(server.server)
  server.decorate('connectionSlots', parts.guarded.slots)
  server.decorate('signedIn', (socket, identityId) => parts.guarded.signedIn(socket, identityId))
  passGates(server, { services, parts, routes })
  const closing = [parts.lastUsed, parts.refusedCalls, parts.limits, services.walletThreads]
  server.addHook('onClose', () => Promise.all(closing.map((part) => part.close())))
  // Otherwise the server waits for streams, which have no end of their own.
  server.addHook('preClose', async () => services.feed.close())
  services.credentials.onChange(() => services.feed.check())
  server.addHook('onResponse', logAnswers(services))
  // RFC 9110 10.1.1 lets an unknown expectation pass; Node would answer 417 without a body.
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange))
  // Without this handler Node closes the connection silently.
  server.server.on('connect', (_request, socket) => answerFault(new Error('no proxy'), socket))
  server.addHook('onRoute', withinPatience(services))
  registerAddresses(server, { services, parts, routes })
  for (const route of routes) register(server, { services, parts }, route)
  return server
}

/** How bodies are read, checked and written: none of it is the library's own way. */
function setFormats(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson)
  server.setValidatorCompiler(createValidators().compile)
  server.setSerializerCompiler(answerWriter)
  server.setSchemaErrorFormatter(schemaRefusal)
}

/**
 * The gates: request id → route → database → credential → connections → addresses → limit → scope →
 * validation → idempotency → plan → second factor → handler. Therefore 401 comes before 429, that
 * before 403, and that before 400.
 */
function passGates(server: FastifyInstance, { services, parts, routes }: ServerParts): void {
  server.decorateReply('refusedWith', null)
  server.decorateRequest('admittedAtMs', 0)
  server.decorateRequest('clientAddress', null)
  server.decorateRequest('proxied', false)
  server.decorateRequest('key', null)
  server.decorateRequest('principal', null)
  server.decorateRequest('rawBody', null)
  server.decorateRequest('keyed', null)
  server.decorateRequest('factor', null)
  server.decorateRequest('factorOutcome', null)
  server.decorateRequest('secondOperator', null)
  server.decorateRequest('operatorId', null)
  server.decorateRequest('operatorScope', 'all')
  server.decorateRequest('isPersonAllowed', null)
  server.decorateRequest('sessionId', null)
  server.decorateRequest('apiVersion', '')
  server.decorateRequest('wait', null)
  const { pulse } = services
  const onRequest = inOrder(
    pulse,
    admit(parts),
    requireStrictFraming,
    locate(parts, routes),
    requireSchema(services),
    setCorsHeaders,
    authenticate(parts),
    limitConnections(parts),
    keepSlot(parts),
    allow(parts),
    limit(parts),
    permit(routes),
    chooseVersion,
  )
  const tell = addResponseHeaders(parts)
  server.addHook('onRequest', onRequest)
  server.addHook('preValidation', inOrder(pulse, supplyBody, refuseUnkeepable))
  server.addHook(
    'preHandler',
    inOrder(
      pulse,
      refuseCardNumberInPath,
      refuseFields,
      replay(parts),
      entitle(services),
      stepUp(services),
    ),
  )
  server.addHook('onSend', (request, reply, body, done) => {
    tell(request, reply)
    done(null, renderVersion(request, reply, body))
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The wait of a page for the database: its transactions take it, and none commits later. Null
     * in the route table, whose contexts have their own.
     */
    wait: Wait | null
  }
}

/**
 * Paths outside the tables have handlers of their own, which also stop waiting for the database.
 */
function withinPatience({ pulse }: Services) {
  return (declared: RouteOptions): void => {
    if (declared.config?.route !== undefined) return
    const { handler } = declared
    declared.handler = function (request, reply) {
      const wait: Wait = { over: false, committing: false }
      request.wait = wait
      const answer: unknown = handler.call(this, request, reply)
      return answer instanceof Promise ? pulse.within(() => answer, wait) : answer
    }
  }
}

/**
 * Maps statuses to answers: 202 is “not yet”, 200 also covers a creating call whose body asks for
 * no creation.
 */
function responsesOf({ status, makes, answer }: AnyRoute): { [status: number]: unknown } {
  return { [status]: answer, 202: answer, ...(makes !== null && { 200: answer }) }
}

function register(
  server: FastifyInstance,
  { services, parts }: Omit<ServerParts, 'routes'>,
  route: Route<Services>,
): void {
  for (const path of route.paths) {
    server.route({
      method: route.method,
      url: path,
      config: { route },
      // A HEAD would leave its stream open.
      exposeHeadRoute: route.media !== EVENT_STREAM,
      schema: {
        params: route.params,
        querystring: route.query,
        ...(route.body === null ? {} : { body: route.body }),
        ...(route.answer === null ? {} : { response: responsesOf(route) }),
      },
      handler: async (request, reply) => {
        const { params, query, body } = request
        reply.code(route.makes?.(body) === false ? 200 : route.status)
        if (asksForCsv(route, query)) {
          const read: ReadPage = (page) =>
            services.pulse.within((wait) =>
              run(services, [route, request, wait], { params, query: page, body }),
            )
          return answerCsv(parts, [request, reply], [route, query], read)
        }
        const result = await services.pulse.within(async (wait) => {
          const answer = await run(services, [route, request, wait], { params, query, body })
          if (route.media !== EVENT_STREAM) return answer
          return openStream(parts, [request, reply], answer as StreamAnswer)
        })
        if (route.pending?.(result)) reply.code(202).header('Retry-After', PENDING_RETRY_S)
        return keptText(request, reply) ?? answerIn(route, reply, result)
      },
    })
  }
}

function run(
  services: Services,
  [route, request, wait]: [Route<Services>, FastifyRequest, Wait],
  input: RouteInput<unknown, unknown, unknown>,
): Promise<unknown> {
  return route.caller === 'operator'
    ? route.run(createOperatorContext(services, request, wait), input, services)
    : route.run(createContext(services, request, wait), input, services)
}

function answerIn({ media }: AnyRoute, reply: FastifyReply, result: unknown): unknown {
  if (media === null) return result
  if (media === EVENT_STREAM) {
    reply.type(media).headers({ ...FILE_HEADERS, ...STREAM_HEADERS })
    return result
  }
  const { headers, body } = result as FileAnswer
  reply.type(media).headers({ ...FILE_HEADERS, ...headers })
  return body
}

/** A browser must never run a file's content. */
const FILE_HEADERS = { 'Content-Security-Policy': "default-src 'none'" }

/** No gate ran: the URL was unreadable. */
function refuseUnread(
  parts: GateParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  initRequest(parts, request, reply)
  const { waitMs, rateLimitStatus } = parts.limits.takeUnauthenticated(request.clientAddress)
  setRateLimitHeaders(reply, rateLimitStatus, request.admittedAtMs)
  const told = waitMs > 0 ? tooMany('unauthenticated_limit', waitMs) : error
  if (!isPassAddress(request.url)) return refuse(parts, told, [request, reply])
  const end = waitMs > 0 ? told : new Refusal('resource_missing')
  return answerPassError(parts, end, [request, reply])
}

function refuse(
  parts: GateParts,
  error: unknown,
  [request, reply]: [FastifyRequest, FastifyReply],
): FastifyReply {
  if (error instanceof Refusal && error.code === 'route_not_found' && isBrowser(request))
    return answerLostBrowser(request, reply)
  const answer = refusalAnswer(error, { requestId: request.id, docsUrl: parts.docsUrl })
  if (answer.unexpected) request.log.error({ request_id: request.id, err: error }, 'request failed')
  const { code, param } = answer.body.error
  reply.refusedWith = code
  noteRefusal(parts, request, { status: answer.status, code, param })
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}
