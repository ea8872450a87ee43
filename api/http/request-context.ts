// Builds the context of a handler from a request that passed the gates.
import type { FastifyRequest } from 'fastify'
import { assert } from '../../shared/assert.ts'
import { newId } from '../../shared/id.ts'
import type { Context, OperatorContext } from '../context.ts'
import type { Wait } from '../database/database-watchdog.ts'
import type { HttpServices } from './services.ts'

/** Throws where no tenant's key was checked. */
export function createContext(
  services: HttpServices,
  request: FastifyRequest,
  wait: Wait,
): Context {
  const { principal } = request
  assert(principal !== null, 'a handler runs behind the gates')
  return {
    ...callContext(services, request, wait),
    principal,
    now: request.admittedAtMs + principal.clockOffsetMs,
  }
}

/** Throws where no operator's token was checked. */
export function createOperatorContext(
  services: HttpServices,
  request: FastifyRequest,
  wait: Wait,
): OperatorContext {
  const { operatorId } = request
  assert(operatorId !== null, 'a handler runs behind the gates')
  return { ...callContext(services, request, wait), operatorId }
}

function callContext(
  { sql, seal, unseal, waitUntilEngineCovers }: HttpServices,
  request: FastifyRequest,
  wait: Wait,
): Omit<Context, 'principal'> {
  const { id: requestId, admittedAtMs: now, clientAddress, keyed, factor } = request
  const secondOperator = request.secondOperator ?? undefined
  return {
    sql,
    seal,
    unseal,
    requestId,
    now,
    newId: (prefix) => newId(prefix, now),
    wait,
    call: {
      operation: operationOf(request),
      clientAddress,
      keyed,
      factor,
      secondOperator,
      waitUntilEngineCovers,
    },
  }
}

/** Every spelling of the path yields the same name. */
function operationOf({ routeOptions }: FastifyRequest): string {
  const { route } = routeOptions.config
  assert(route !== undefined, 'only our own routes have handlers')
  return route.method + ' ' + route.paths[0]
}
