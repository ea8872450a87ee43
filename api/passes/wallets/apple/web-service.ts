// Apple's PassKit web service: devices register for a pass, ask for changes, fetch it and
// unregister. No API key: the holder of a pass has its token. A registration means “installed”, the
// last one gone means “removed”. Spec 6.2. The module also has the link by which a holder first
// gets a pass.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../../shared/clock.ts'
import { withoutPans } from '../../../../shared/log.ts'
import { Type } from '../../../../shared/schema-builders.ts'
import { openPassKeys, type PassKeys } from '../../../database/derivation.ts'
import { tx } from '../../../database/transaction.ts'
import { refused } from '../../../http/gates/authenticate.ts'
import { limitByAddress } from '../../../http/gates/limit-by-address.ts'
import type { GateParts } from '../../../http/gates/parts.ts'
import { Refusal } from '../../../http/refusal.ts'
import { passesChangedSince, recordInstalled, recordRemoved } from '../../passes/index.ts'
import type { WalletServices } from '../services.ts'
import type { AppleIssuer } from './issuer.ts'
import { type ApplePackage, openApplePackages } from './packages.ts'
import { isRegistered, purgeFormerNames } from './store.ts'

/** Path of the service below the public address; devices add `/v1/…`. */
const APPLE_WALLET_PATH = '/wallets/apple'
const REGISTRATION_BYTES_MAX = 4 * 1024
const LOG_BYTES_MAX = 64 * 1024
/**
 * Chosen: maximum of messages kept per call of a device, and only at the most verbose log level.
 */
const LOG_LINES_MAX = 10
const LOG_CHARACTERS_MAX = 300
/** Chosen: a family shares a pass; a pass on more devices than this keeps the latest. */
const DEVICES_MAX = 200
const PASS_TYPE = 'application/vnd.apple.pkpass'
const CHALLENGE = { 'WWW-Authenticate': 'ApplePass' }
/** Long hex: a token, or text like one. */
const TOKEN_LIKE = /[0-9a-f]{24,}/gi

const ID = Type.String({ pattern: '^[0-9A-Za-z_.-]{1,128}$' })
const HOLDER = Type.Object({ id: ID })
const PASS = Type.Object({ passType: ID, serial: ID })
const DEVICE = Type.Object({ device: ID, passType: ID })
const REGISTRATION = Type.Object({ device: ID, passType: ID, serial: ID })
// Apple may send more fields, now or later.
const PUSH_TOKEN = Type.Object({ pushToken: Type.String({ pattern: '^[0-9A-Fa-f]{2,200}$' }) })
const SINCE = Type.Object({ passesUpdatedSince: Type.Optional(Type.String({ maxLength: 64 })) })
const LOGS = Type.Object({ logs: Type.Array(Type.String()) })

interface ServiceWorld {
  services: WalletServices
  parts: GateParts
  issuer: AppleIssuer
  keys(): Promise<PassKeys>
}

interface PassPath {
  passType: string
  serial: string
}

/** Without a configured certificate the service does not exist. */
export function registerAppleWallet(
  server: FastifyInstance,
  services: WalletServices,
  parts: GateParts,
): void {
  const { apple: issuer, sql, publicUrl, walletThreads } = services
  if (issuer === null) return
  const keys = onceOpened(() => openPassKeys(sql, services))
  const world: ServiceWorld = { services, parts, issuer, keys }
  const packages = openApplePackages({
    sql,
    walletThreads,
    keys,
    issuer: { ...issuer, webServiceUrl: publicUrl + APPLE_WALLET_PATH },
  })
  const authorized = (request: FastifyRequest): Promise<string> => authorizedPass(world, request)
  server.register(
    async (scope) => {
      scope.addHook('onRequest', async (request) => limitByAddress(parts, request))
      registerRegistrations(scope, world, authorized)
      scope.get(
        '/v1/passes/:passType/:serial',
        { schema: { params: PASS } },
        async (request, reply) =>
          answerPass(
            await packages.find(await authorized(request), request.admittedAtMs),
            request,
            reply,
          ),
      )
      scope.get('/passes/:id', { schema: { params: HOLDER } }, async (request, reply) => {
        const { id } = request.params as { id: string }
        const found = await packages.find(id, request.admittedAtMs)
        // Chosen: anyone with the link may get the pass, and an invalid pass is not issued anew.
        if (found === null || found.revoked) throw refused(parts, request, 'resource_missing')
        return answerPass(found, request, reply)
      })
      scope.post(
        '/v1/log',
        { bodyLimit: LOG_BYTES_MAX, schema: { body: LOGS } },
        async (request, reply) => {
          keepLog(request, (request.body as { logs: string[] }).logs)
          return reply.send()
        },
      )
    },
    { prefix: APPLE_WALLET_PATH },
  )
}

function registerRegistrations(
  scope: FastifyInstance,
  world: ServiceWorld,
  authorized: (request: FastifyRequest) => Promise<string>,
): void {
  const one = '/v1/devices/:device/registrations/:passType/:serial'
  scope.post(
    one,
    { bodyLimit: REGISTRATION_BYTES_MAX, schema: { params: REGISTRATION, body: PUSH_TOKEN } },
    async (request, reply) => {
      const passId = await authorized(request)
      const { pushToken } = request.body as { pushToken: string }
      const created = await register(world, request, { passId, pushToken: pushToken.toLowerCase() })
      return reply.code(created ? 201 : 200).send()
    },
  )
  scope.delete(one, { schema: { params: REGISTRATION } }, async (request, reply) => {
    const passId = await authorized(request)
    const installation = { passId, platform: 'apple' as const, deviceId: deviceOf(request) }
    const { sql, publicUrl } = world.services
    const call = { now: request.admittedAtMs, publicUrl }
    // An unregistered device gets the same answer: it may repeat its call.
    await tx(sql, (inner) => recordRemoved(inner, { ...installation, ...call }), {
      safeToRepeat: true,
    })
    return reply.send()
  })
  scope.get(
    '/v1/devices/:device/registrations/:passType',
    { schema: { params: DEVICE, querystring: SINCE } },
    async (request, reply) => {
      requirePassType(world, request)
      const { passesUpdatedSince } = request.query as { passesUpdatedSince?: string }
      const changed = await passesChangedSince(world.services.sql, {
        deviceId: deviceOf(request),
        since: tagIn(passesUpdatedSince),
      })
      if (changed === null) return reply.code(204).send()
      return { serialNumbers: changed.passIds, lastUpdated: String(changed.tag) }
    },
  )
}

/**
 * Returns true if this device did not have the pass. A push token identifies a device that comes
 * under another name.
 */
async function register(
  { services: { sql, publicUrl } }: ServiceWorld,
  request: FastifyRequest,
  { passId, pushToken }: { passId: string; pushToken: string },
): Promise<boolean> {
  const registration = { passId, pushToken, deviceId: deviceOf(request) }
  if (await isRegistered(sql, registration)) return false
  const call = { platform: 'apple' as const, now: request.admittedAtMs, publicUrl }
  const installed = await tx(
    sql,
    async (inner) => {
      const made = await recordInstalled(inner, { ...registration, ...call })
      if (made === 'created') await purgeFormerNames(inner, registration, DEVICES_MAX)
      return made
    },
    { safeToRepeat: true },
  )
  if (installed === null) throw new Refusal('resource_missing')
  return installed === 'created'
}

/**
 * Returns the named pass if the call carries its token. Without a token the answer does not reveal
 * whether a pass exists.
 */
async function authorizedPass(world: ServiceWorld, request: FastifyRequest): Promise<string> {
  requirePassType(world, request)
  const { serial } = request.params as PassPath
  const keys = await world.keys()
  const wanted = Buffer.from('ApplePass ' + keys.authenticationToken(serial))
  const given = Buffer.from(request.headers.authorization ?? '')
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return serial
  throw refused(world.parts, request, 'invalid_credential', { headers: CHALLENGE })
}

function requirePassType({ issuer }: ServiceWorld, { params }: FastifyRequest): void {
  if ((params as PassPath).passType !== issuer.passType) throw new Refusal('resource_missing')
}

function deviceOf({ params }: FastifyRequest): string {
  return (params as { device: string }).device
}

/** A foreign tag counts as none. */
function tagIn(text: string | undefined): EpochMs {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0
}

/** A pass never changes twice in one second, the resolution of HTTP dates. */
function answerPass(
  found: ApplePackage | null,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (found === null) throw new Refusal('resource_missing')
  const modified = new Date(found.changedAt - (found.changedAt % 1000))
  reply.headers({ 'Last-Modified': modified.toUTCString(), 'Cache-Control': 'private, no-cache' })
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  if (since >= modified.getTime()) return reply.code(304).send()
  return reply.type(PASS_TYPE).send(found.bytes)
}

/** Logs complaints of devices; their messages contain addresses and tokens. */
function keepLog({ id: request_id, log }: FastifyRequest, lines: readonly string[]): void {
  for (const line of lines.slice(0, LOG_LINES_MAX)) {
    const said = withoutPans(line.slice(0, LOG_CHARACTERS_MAX).replace(TOKEN_LIKE, '…'))
    log.debug({ request_id, said }, 'a device logs')
  }
}

/** Opens at the first call; a failure is retried. */
function onceOpened<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | null = null
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
}
