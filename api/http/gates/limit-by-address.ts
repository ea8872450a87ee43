// Holders and their devices are many and have no tenant: their calls count by address.
import type { FastifyRequest } from 'fastify'
import { tooMany } from '../rate/answer.ts'
import type { GateParts } from './parts.ts'

/** Refuses (429) an address that has called too often, whichever pass it calls for. */
export function limitByAddress({ limits }: GateParts, request: FastifyRequest): void {
  const { waitMs, rateLimitStatus } = limits.takeDevice(request.clientAddress)
  request.rateLimitStatus = rateLimitStatus
  if (waitMs > 0) throw tooMany('address_limit', waitMs)
}
