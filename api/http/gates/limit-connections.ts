// A tenant has 64 connections at most. Spec 8. The next connection is refused and closed.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CONNECTIONS_MAX } from '../connections.ts'
import { tooMany } from '../rate/answer.ts'
import type { GateParts } from './parts.ts'

/** The caller itself frees its connections: this wait makes a retry worthwhile. */
const WAIT_MS = 1000

export function limitConnections({ connections }: GateParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { principal, isInner } = request
    // A call of the dashboard has no connection that could close.
    if (isInner || principal === null || connections.enter(principal, request, reply)) return
    request.rateLimitStatus = {
      resource: 'connections',
      limit: CONNECTIONS_MAX,
      remaining: 0,
      wholeInMs: WAIT_MS,
    }
    throw tooMany('connection_limit', WAIT_MS, { Connection: 'close' })
  }
}

/**
 * Keeps the slot of a connection whose caller has authenticated. Chosen: a publishable key protects
 * none, because each visitor of a page can read it.
 */
export function keepSlot({ guarded }: GateParts) {
  return ({ principal, operatorId, raw }: FastifyRequest): void => {
    if (operatorId !== null || principal?.publishable === false) guarded.authenticated(raw.socket)
  }
}
