// Keeps the slot of a connection whose caller has authenticated.
import type { FastifyRequest } from 'fastify'
import type { GateParts } from './parts.ts'

/** Chosen: a publishable key protects no connection, because each visitor of a page can read it. */
export function keepSlot({ guarded }: GateParts) {
  return ({ principal, operatorId, raw }: FastifyRequest): void => {
    if (operatorId !== null || principal?.publishable === false) guarded.authenticated(raw.socket)
  }
}
