// The first gate: every request gets an id, a moment and an origin, and every answer carries its
// common headers, refusals included.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { setRateLimitHeaders } from '../rate/answer.ts'
import type { RateLimitStatus } from '../rate/token-bucket.ts'
import { Refusal } from '../refusal.ts'
import type { GateParts } from './parts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request was admitted; every time rule of this request uses it. */
    admittedAtMs: EpochMs
    /** Address of the caller; null when unknown. */
    clientAddress: string | null
    /** The request came over the connection of a trusted proxy. */
    proxied: boolean
    /** State of the bucket that counts the request; null until one does. */
    rateLimitStatus: RateLimitStatus | null
  }
}

/**
 * Chosen: after this many calls a connection is closed, so that callers spread over the processes
 * running by then.
 */
const CALLS_PER_CONNECTION_MAX = 1000

export function admit(parts: GateParts) {
  const calls = new WeakMap<Socket, number>()
  return (request: FastifyRequest, reply: FastifyReply): void => {
    initRequest(parts, request, reply)
    const { socket } = request.raw
    const count = (calls.get(socket) ?? 0) + 1
    calls.set(socket, count)
    // Node's own limit answers further requests with a bare 503.
    if (count >= CALLS_PER_CONNECTION_MAX) reply.header('Connection', 'close')
    // RFC 9112 3.2: only HTTP/1.0 may omit Host.
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0')
      throw new Refusal('malformed_request')
  }
}

/** No browser interprets an answer as another type than its Content-Type. */
export const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' }
/**
 * RFC 6797: for a year a browser reaches this host by HTTPS only. We do not control its subdomains.
 */
export const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' }

/**
 * `Request-Id` is ours and never taken from the caller. `Svc-Version` becomes the tenant's once the
 * tenant is known.
 */
export function initRequest(parts: GateParts, request: FastifyRequest, reply: FastifyReply): void {
  const { address, proxied } = parts.originOf(request.raw)
  request.admittedAtMs = parts.clock.nowMs()
  request.clientAddress = address
  request.proxied = proxied
  reply.header('Request-Id', request.id)
  reply.header('Svc-Version', API_VERSION)
  reply.headers(NOSNIFF)
  if (parts.secure || forwardedFromHttps(request)) reply.headers(HTTPS_ONLY)
}

/** Returns true when a trusted proxy received the call by HTTPS. */
function forwardedFromHttps({ proxied, headers }: FastifyRequest): boolean {
  return proxied && headers['x-forwarded-proto'] === 'https'
}

/**
 * The last step before an answer leaves: it adds the state of the bucket that counted the call, or,
 * without one, the state of the caller's address. Spec 8.
 */
export function addResponseHeaders(parts: GateParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const rateLimitStatus =
      request.rateLimitStatus ?? parts.limits.unauthenticated(request.clientAddress)
    setRateLimitHeaders(reply, rateLimitStatus, request.admittedAtMs)
  }
}
