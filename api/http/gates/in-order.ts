// Gates one after the other, as one hook.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DatabaseWatchdog } from '../../database/database-watchdog.ts'

/**
 * A gate refuses by throwing. Only a waiting gate returns a promise: most requests pass all gates
 * synchronously.
 */
type Gate = (
  this: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void> | void

export function inOrder(pulse: DatabaseWatchdog, ...gates: readonly Gate[]) {
  return function (
    this: FastifyInstance,
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): Promise<void> | void {
    let passed = 0
    for (const gate of gates) {
      passed += 1
      const waiting = gate.call(this, request, reply)
      // Fastify prefers the returned promise.
      if (waiting !== undefined)
        return pulse.within(() => passRest(waiting, gates.slice(passed), [this, request, reply]))
    }
    done()
  }
}

async function passRest(
  waiting: Promise<void>,
  rest: readonly Gate[],
  [server, request, reply]: [FastifyInstance, FastifyRequest, FastifyReply],
): Promise<void> {
  await waiting
  for (const gate of rest) await gate.call(server, request, reply)
}
