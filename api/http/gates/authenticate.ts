// Identifies the caller. Every step after this gate knows its tenant and environment from the key,
// or the access token of a platform, alone. Spec 5.1 and 5.2.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ParsedKey, parseApiKey } from '../../../shared/api-key.ts'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { ErrorCode } from '../../../shared/error-catalog.ts'
import { inRanges } from '../../../shared/peer-address.ts'
import type { OperatorScope } from '../../../shared/schemas/operator.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { KnownKey, KnownOperator, KnownToken } from '../../access/credentials/load.ts'
import type { Principal } from '../../context.ts'
import { tooMany } from '../rate/answer.ts'
import { Refusal, type RefusalDetail } from '../refusal.ts'
import type { Ticket } from '../tickets.ts'
import type { GateParts } from './parts.ts'
import { checkProof } from './proof.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes without a credential, and for operators. */
    principal: Principal | null
    /** Cached knowledge of the principal's key. */
    key: KnownKey | null
    /** Null for tenants. */
    operatorId: string | null
    /** The calls of an operator's credential; those of a person on pages have no bounds. */
    operatorScope: OperatorScope
    /** The call comes from the dashboard of this process, and has no connection of its own. */
    isInner: boolean
    /** Set for a call of the dashboard that goes on: whether its person may still make it. */
    isPersonAllowed: (() => Promise<boolean>) | null
    /** The session of a person who calls; null for any other caller. */
    sessionId: string | null
  }
}

const SANDBOX_ONLY = 'This is a key of live, and this installation serves the sandbox only.'
const CREDENTIAL = /^(Bearer|DPoP) +(\S+)$/i

/**
 * A key's state is compared with the current clock: an expired or revoked key is refused from then
 * on.
 */
export function authenticate(parts: GateParts) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const { route } = request.routeOptions.config
    if (route === undefined) return undefined
    const ticket = parts.tickets.take(request.headers.authorization)
    if (route.caller === 'operator') return admitOperator(parts, request, ticket)
    if (ticket !== null && 'key' in ticket) {
      request.isInner = true
      request.clientAddress = ticket.address
      request.isPersonAllowed = ticket.isAllowed ?? null
      request.sessionId = ticket.sessionId
      return admitKey(parts, { request, reply, key: ticket.key })
    }
    const presented = presentedKey(request.headers.authorization, parts.installation)
    if (presented.kind === 'refused')
      throw refused(parts, request, presented.refuse, presented.detail)
    if (presented.kind === 'token') return admitToken(parts, { request, reply, presented })
    const found = parts.credentials.key(presented.hash)
    const enter = (key: KnownKey | null): undefined => admitKey(parts, { request, reply, key })
    return found instanceof Promise ? found.then(enter) : enter(found)
  }
}

/** Synchronous while this process knows the token, and it is bound to no key. */
function admitToken(
  parts: GateParts,
  {
    request,
    reply,
    presented,
  }: { request: FastifyRequest; reply: FastifyReply; presented: PresentedToken },
): Promise<void> | undefined {
  const enter = (token: KnownToken | null): Promise<void> | undefined => {
    if (token === null) throw refused(parts, request, 'invalid_credential', INVALID_TOKEN)
    const { principal, expiresAt, jkt } = token
    if (token.state !== 'active') throw refused(parts, request, 'token_revoked', INVALID_TOKEN)
    if (request.admittedAtMs + principal.clockOffsetMs >= expiresAt)
      throw refused(parts, request, 'token_expired', INVALID_TOKEN)
    if (jkt === null && !presented.isBound) return admitKey(parts, { request, reply, key: token })
    return requireProof(parts, { request, reply }, { presented, jkt }).then(() =>
      admitKey(parts, { request, reply, key: token }),
    )
  }
  const found = parts.credentials.token(presented.hash)
  return found instanceof Promise ? found.then(enter) : enter(found)
}

/**
 * The credential of the request as it is at this moment; null where it no longer works. A token
 * bound to a key proved that when the request began.
 */
export function knownCredential(
  { credentials, installation }: GateParts,
  { headers }: FastifyRequest,
  now: EpochMs,
): KnownKey | null | Promise<KnownKey | null> {
  const presented = presentedKey(headers.authorization, installation)
  if (presented.kind === 'refused') return null
  const working = (key: KnownKey | KnownToken | null): KnownKey | null => {
    if (key === null || !keyWorks(key, now + key.principal.clockOffsetMs)) return null
    return key
  }
  const found: KnownKey | KnownToken | null | Promise<KnownKey | KnownToken | null> =
    presented.kind === 'token' ? credentials.token(presented.hash) : credentials.key(presented.hash)
  return found instanceof Promise ? found.then(working) : working(found)
}

const INVALID_TOKEN: RefusalDetail = {
  headers: { 'WWW-Authenticate': 'Bearer realm="svc", error="invalid_token"' },
}

async function requireProof(
  parts: GateParts,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { presented, jkt }: { presented: PresentedToken; jkt: string | null },
): Promise<void> {
  const { problem, error, nonce } = await checkProof(parts, request, { ...presented, jkt })
  const told = nonce === null ? {} : { 'DPoP-Nonce': nonce }
  reply.headers(told)
  if (problem === null) return
  throw refused(parts, request, 'invalid_proof', {
    message: problem,
    headers: { ...told, 'WWW-Authenticate': 'DPoP realm="svc", error="' + error + '"' },
  })
}

function admitKey(
  parts: GateParts,
  { request, reply, key }: { request: FastifyRequest; reply: FastifyReply; key: KnownKey | null },
): undefined {
  if (key === null) throw refused(parts, request, 'invalid_credential')
  const { principal } = key
  const now = request.admittedAtMs + principal.clockOffsetMs
  if (!keyWorks(key, now))
    throw refused(parts, request, hasEnded(key, now) ? 'key_expired' : 'key_revoked')
  // Sandbox routes do not exist in live.
  if (request.routeOptions.config.route?.sandboxOnly && principal.environment === 'live')
    throw refused(parts, request, 'route_not_found')
  request.key = key
  request.principal = principal
  reply.header('Svc-Version', principal.apiVersion)
  if (key.revokeAt !== null && key.state === 'pending')
    reply.header('Svc-Key-Revokes-At', String(unixSeconds(key.revokeAt)))
}

/** For any other caller, an operator's route reads like an unknown path. */
async function admitOperator(
  parts: GateParts,
  request: FastifyRequest,
  ticket: Ticket | null,
): Promise<void> {
  if (ticket !== null && 'operatorId' in ticket) {
    request.isInner = true
    request.clientAddress = ticket.address
    request.operatorId = ticket.operatorId
    request.factor = ticket.approval === null ? null : { challengeId: null, ...ticket.approval }
    return
  }
  const operator = await knownOperator(parts, request, request.admittedAtMs)
  if (operator === null) throw refused(parts, request, 'route_not_found')
  request.operatorId = operator.operatorId
  request.operatorScope = operator.scope
}

/** The operator whose credential works at this moment, from this address; or null. */
export async function knownOperator(
  { credentials }: GateParts,
  { headers, clientAddress }: FastifyRequest,
  now: EpochMs,
): Promise<KnownOperator | null> {
  const presented = credentialIn(headers.authorization)
  if (presented?.parsed.role !== 'operator' || presented.isBound) return null
  const known = await credentials.operator(hash('sha256', presented.text))
  if (known?.state !== 'active') return null
  const { expiresAt, ranges } = known
  if (expiresAt !== null && now >= expiresAt) return null
  const isNear = ranges === null || (clientAddress !== null && inRanges(ranges, clientAddress))
  return isNear ? known : null
}

/**
 * Refuses requests before they count for any tenant: a wrong credential (Spec 5.1, 401), an unknown
 * path. A caller who keeps sending them has to wait.
 */
export function refused(
  parts: GateParts,
  request: FastifyRequest,
  code: ErrorCode,
  detail: RefusalDetail = {},
): Refusal {
  const { waitMs, rateLimitStatus } = parts.limits.takeUnauthenticated(request.clientAddress)
  request.rateLimitStatus = rateLimitStatus
  return waitMs === 0 ? new Refusal(code, detail) : tooMany('unauthenticated_limit', waitMs)
}

interface PresentedToken {
  kind: 'token'
  text: string
  hash: string
  /** The scheme is that of a token bound to a key. */
  isBound: boolean
}

type Presented =
  | { kind: 'refused'; refuse: ErrorCode; detail?: RefusalDetail }
  | { kind: 'key'; hash: string }
  | PresentedToken

/** Returns the credential with the hex of its hash, or the reason a lookup is pointless. */
function presentedKey(header: string | undefined, installation: Environment): Presented {
  if (header === undefined) return { kind: 'refused', refuse: 'missing_credential' }
  const presented = credentialIn(header)
  if (presented === null || presented.parsed.role === 'operator')
    return { kind: 'refused', refuse: 'invalid_credential' }
  const { text, parsed, isBound } = presented
  // The key's own text shows it: the answer does not reveal whether the key exists.
  if (parsed.environment === 'live' && installation !== 'live')
    return { kind: 'refused', refuse: 'invalid_credential', detail: { message: SANDBOX_ONLY } }
  const digest = hash('sha256', text)
  if (parsed.role === 'access_token') return { kind: 'token', text, hash: digest, isBound }
  return isBound ? { kind: 'refused', refuse: 'invalid_credential' } : { kind: 'key', hash: digest }
}

/** The checksum spares the database a lookup for text that cannot be a key. */
function credentialIn(
  header: string | undefined,
): { text: string; parsed: ParsedKey; isBound: boolean } | null {
  const [, scheme = '', text] = CREDENTIAL.exec(header ?? '') ?? []
  const parsed = text === undefined ? null : parseApiKey(text)
  if (text === undefined || parsed === null) return null
  return { text, parsed, isBound: scheme.toLowerCase() === 'dpop' }
}

/** A key that is not revoked came to its own end. */
function hasEnded({ state, expiresAt }: KnownKey, now: EpochMs): boolean {
  return state !== 'revoked' && expiresAt !== null && now >= expiresAt
}

/** Spec 5.1: a key pending revocation works until its grace is over. */
function keyWorks(key: Pick<KnownKey, 'state' | 'revokeAt' | 'expiresAt'>, now: EpochMs): boolean {
  if (key.expiresAt !== null && now >= key.expiresAt) return false
  if (key.state === 'active') return true
  if (key.state === 'revoked') return false
  return key.revokeAt !== null && now < key.revokeAt
}
